import { mailSettings } from '../support/environment.js';
import { buildCourse, buildEnrollment, buildImport, buildLock, buildMail, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect } from './support/browser.js';
import { type ConsoleTest, returnToPage, useConsole } from './support/console.js';

const dayIn = (days: number) => new Intl.DateTimeFormat('sv-SE').format(new Date(Date.now() + days * 86_400_000));

async function buildProgramme({ context }: ConsoleTest) {
  const admin = await buildUser(context, { role: 'super_admin', firstName: 'Ada', lastName: 'Admin' });
  const trainer = await buildUser(context, { role: 'trainer', firstName: 'Tom', lastName: 'Trainer' });
  const course = await buildCourse(context, trainer, { title: 'Compilers', isPublished: true });
  await buildCourse(context, trainer, { title: 'Draft' });
  for (const status of ['pending', 'pending', 'active', 'completed'] as const)
    await buildEnrollment(context, await buildUser(context, { isActive: status !== 'completed' }), course, { status });
  return { admin, trainer, course };
}

describePages('The overview', function () {
  this.timeout(scaled(120_000));
  const test = useConsole(mailSettings);

  it('of the super admin shows the figures, each with a link to its list', async () => {
    const { admin } = await buildProgramme(test);
    const page = await test.openAs(admin);
    const people = page.getByRole('region', { name: 'People' });
    await expect(people).toContainText('Accounts6');
    await expect(people).toContainText('Inactive1');
    await expect(page.getByRole('region', { name: 'Courses' })).toContainText('Not published1');
    await expect(page.getByText('Nothing has been imported yet.')).toBeVisible();
    await expect(page.getByText('0 files, 0 bytes')).toBeVisible();
    await expect(page.locator('.recharts-surface').first()).toBeVisible();
    await page.getByText('Table', { exact: true }).click();
    const table = page.getByRole('table', { name: 'The last 12 weeks' });
    await expect(table.getByRole('row')).toHaveCount(13);
    await expect(table.getByRole('row').last()).toContainText('46');
    await people.getByRole('link', { name: 'Inactive' }).click();
    await expect(page.getByText('1 to 1 of 1')).toBeVisible();
    await page.goBack();
    await page.getByRole('link', { name: 'Answer: requests wait for an answer' }).click();
    await expect(page).toHaveURL(/\/enrollments\?status=pending/);
  });

  it('of the super admin begins with what waits, each with its list behind it', async () => {
    const { context } = test;
    const { admin, trainer } = await buildProgramme(test);
    const soon = await buildCourse(context, trainer, { title: 'Knots', isPublished: true, startDate: dayIn(3) });
    await buildEnrollment(context, await buildUser(context), soon, { status: 'pending' });
    await buildLock(context, { accountId: trainer.id });
    const failed = { state: 'failed', nextAt: null, finishedAt: new Date() } as const;
    await buildMail(context, { ...failed, lastError: '554 5.7.1 No' });
    await buildMail(context, { ...failed, lastError: '550 5.1.1 Unknown', addressUnknown: true });
    const { Import } = context.database.models;
    const rejected = await buildImport(context, 2);
    await Import.update({ finishedAt: new Date() }, { where: { id: rejected } });
    await Import.update({ status: 'planned', rowsDone: 0 }, { where: { id: await buildImport(context, 0) } });
    const page = await test.openAs(admin);
    const tasks = page.getByRole('region', { name: 'Needs your attention' });
    await expect(tasks.getByRole('listitem')).toHaveText([
      /^3requests wait for an answer/,
      /^2Compilers/,
      /^1KnotsStarts on/,
      /^1course starts within 7 days/,
      /^1of them has open requests1 request/,
      /^1planned import waits for you/,
      /^1import with rejected rows/,
      /^1mail refused by the mail server.*554 5\.7\.1 No/,
      /^1mail to an address that does not exist/,
      /^1locked account/,
    ]);
    await expect(page.getByText('All rows rejected')).toBeVisible();
    expect(await accessibilityProblems(page)).toEqual([]);
    for (const [task, rows] of [
      ['Answer: Compilers', 2],
      ['Show: course starts within 7 days', 1],
      ['Answer: of them has open requests', 1],
      ['Show: planned import waits for you', 1],
      ['Show: import with rejected rows', 1],
      ['Show: mail refused by the mail server', 1],
      ['Show: mail to an address that does not exist', 1],
      ['Show: locked account', 1],
    ] as const) {
      await tasks.getByRole('link', { name: task }).click();
      await expect(page.getByText(`1 to ${rows} of ${rows}`)).toBeVisible();
      await page.goBack();
    }
  });

  it('of a trainer begins with the next course', async () => {
    const { context } = test;
    const { trainer } = await buildProgramme(test);
    const given = { courseType: 'classroom', location: 'Room 4', maxStudents: 8 } as const;
    const next = await buildCourse(context, trainer, { title: 'Knots', startDate: dayIn(1), ...given });
    for (const status of ['pending', 'active'] as const)
      await buildEnrollment(context, await buildUser(context), next, { status });
    const page = await test.openAs(trainer);
    const region = page.getByRole('region', { name: 'Next course' });
    await expect(region).toContainText(/Knots.*Not published.*Room 4, Classroom.*1 of 8.*Requests waiting1/);
    expect(await accessibilityProblems(page)).toEqual([]);
    await region.getByRole('link', { name: 'Answer 1 request' }).click();
    await expect(page).toHaveURL(new RegExp(`courseId=${next.id}`));
    await page.goBack();
    await region.getByRole('link', { name: 'Participants' }).click();
    await expect(page).toHaveURL(new RegExp(`/courses/${next.id}\\?tab=participants`));
    await page.goBack();
    await region.getByRole('link', { name: 'Attendance list' }).click();
    await expect(page.getByRole('heading', { name: 'Attendance list: Knots' })).toBeVisible();
  });

  it('says that nothing waits, and which first steps are done', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    await buildUser(test.context, { role: 'trainee' });
    const page = await test.openAs(admin);
    await expect(page.getByText('Nothing is waiting for you.')).toBeVisible();
    const steps = page.getByRole('region', { name: 'First steps' }).getByRole('listitem');
    await expect(steps.getByRole('img', { name: 'Done' })).toHaveCount(1);
    await expect(steps.nth(0).getByRole('img', { name: 'Done' })).toBeVisible();
    await expect(steps.nth(1).getByRole('link', { name: 'Open people' })).toBeVisible();
  });

  it('of a trainer counts waiting and finished trainees, with links to their lists', async () => {
    const { trainer, course } = await buildProgramme(test);
    // The course is full, so the service gives no seats to the waiting list.
    await course.update({ maxStudents: 1 });
    for (const given of [{ status: 'waiting' }, { status: 'active', progress: 100 }] as const)
      await buildEnrollment(test.context, await buildUser(test.context, { lastName: given.status }), course, given);
    const page = await test.openAs(trainer);
    const figures = page.getByRole('region', { name: 'Enrollments' });
    await expect(figures).toContainText('Waiting list1');
    await expect(figures).toContainText('Taking part2');
    await expect(figures).toContainText('Ready to complete1');
    await figures.getByRole('link', { name: 'Ready to complete' }).click();
    await expect(page.getByRole('combobox', { name: 'Status' })).toHaveValue('finished');
    await expect(page.getByRole('row').filter({ hasText: '@' })).toHaveCount(1);
    await expect(page.getByRole('row').filter({ hasText: '@' })).toContainText(/active.*100%/);
    await page.getByRole('button', { name: 'Complete 1' }).click();
    await expect(page.getByRole('dialog')).toContainText('completed the course?');
  });

  it('of the super admin shows the day in the programme, and warns if no time zone is set', async () => {
    const { admin } = await buildProgramme(test);
    const page = await test.openAs(admin);
    await expect(page.getByText(/^Today is .+ in the programme \(.+\)\.$/)).toBeVisible();
    const warning = page.getByText('no time zone is chosen for the programme');
    await expect(warning).toHaveCount(0);
    await page.route('**/api/overview', async (route) => {
      const response = await route.fetch();
      const { overview } = await response.json();
      const programme = { timeZone: 'UTC', today: '2026-02-01', timeZoneMissing: true };
      await route.fulfill({ response, json: { overview: { ...overview, programme } } });
    });
    await returnToPage(page);
    await expect(warning).toBeVisible();
    await expect(page.getByText('Today is 1 Feb 2026 in the programme (UTC).')).toBeVisible();
  });

  it('of a trainer shows the requests for each course, also after a failed reload', async () => {
    const { trainer } = await buildProgramme(test);
    const page = await test.openAs(trainer);
    const courses = page.getByRole('region', { name: 'Courses', exact: true });
    await expect(courses).toContainText('Not published1');
    test.expectErrors(page, /status of 503/);
    await page.route('**/api/overview', (route) => route.fulfill({ status: 503, json: {} }));
    await returnToPage(page);
    await expect(page.getByRole('main').getByRole('alert')).toContainText('This could not be loaded');
    await expect(courses).toContainText('Not published1');
    const tasks = page.getByRole('region', { name: 'Needs your attention' });
    await expect(tasks.getByRole('listitem').filter({ hasText: 'Compilers' })).toContainText('2');
    await tasks.getByRole('link', { name: 'Answer: Compilers' }).click();
    await expect(page).toHaveURL(/status=pending.*courseId=|courseId=.*status=pending/);
  });
});
