import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect } from './support/browser.js';
import { type ConsoleTest, returnToPage, useConsole } from './support/console.js';

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
  const test = useConsole();

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
    await page.getByRole('link', { name: 'Answer 2 requests' }).click();
    await expect(page).toHaveURL(/\/enrollments\?status=pending/);
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
    const table = page.getByRole('table', { name: 'Requests by course' });
    await expect(table.getByRole('row', { name: 'Compilers 2' })).toBeVisible();
    await table.getByRole('link', { name: 'Compilers' }).click();
    await expect(page).toHaveURL(/status=pending.*courseId=|courseId=.*status=pending/);
  });
});
