import { insertEnrollments } from '../../src/services/enrollments/store.js';
import { withNewIds } from '../../src/services/new-ids.js';
import { buildEnrollment, buildTrainees } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import {
  accessibilityProblems,
  describePages,
  expect,
  holdRequests,
  keepScreenshot,
  settled,
} from './support/browser.js';
import { answerLeaving, useConsole } from './support/console.js';
import { buildScene, dialog, row } from './support/courses.js';
import { layoutProblems } from './support/layout.js';

describePages('The participants of a course', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  async function withRequests() {
    const scene = await buildScene(test);
    for (const trainee of scene.trainees)
      await buildEnrollment(test.context, trainee, scene.course, { status: 'pending', notes: 'Please.' });
    return scene;
  }

  it('are accepted after their messages are shown in full, and get progress', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    const notes = `I would like to take part. ${'This is why. '.repeat(30)}And that is all.`;
    const asked = { status: 'pending', notes, notesAt: new Date('2026-11-20T12:00:00Z') } as const;
    const [ann, ...others] = await Promise.all(
      trainees.map((trainee) => buildEnrollment(test.context, trainee, course, asked)),
    );
    await others[1]?.update({ notes: null });
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    await expect(row(page, 'Ann Trainee')).toContainText(/Message, .*2026/);
    const message = row(page, 'Ann Trainee').getByText(notes);
    const isCut = () => message.evaluate(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight);
    await expect.poll(isCut).toBe(true);
    await page.getByRole('button', { name: 'Show all: Ann Trainee' }).click();
    await expect.poll(isCut).toBe(false);
    await page.getByRole('button', { name: 'Show less: Ann Trainee' }).click();
    await expect.poll(isCut).toBe(true);

    await page.getByRole('button', { name: 'Accept: Ann Trainee' }).click();
    await expect(dialog(page)).toContainText(notes);
    await expect(dialog(page).getByLabel('Reply to Ann Trainee')).toHaveValue('');
    await dialog(page).getByLabel('Reply to Ann Trainee').fill('Welcome!');
    await dialog(page).getByRole('button', { name: 'Accept' }).click();
    await expect(row(page, 'Ann Trainee')).toContainText(/Your reply, .*Welcome!.*Taking part/);
    await expect(row(page, 'Ann Trainee')).toContainText(notes);
    await ann?.reload();
    expect(ann).toMatchObject({ notes, reply: 'Welcome!', replyBy: trainer.id });
    await page.getByRole('button', { name: 'Actions for Ann Trainee' }).click();
    await page.getByRole('menuitem', { name: 'Set progress' }).click();
    await dialog(page).getByLabel('Progress in percent').fill('30');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await expect(row(page, 'Ann Trainee')).toContainText('30%');

    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Accept (3)' }).click();
    await expect(dialog(page)).toContainText('2 of them have written a message:');
    await expect(dialog(page)).toContainText(`Ben Trainee: ${notes}`);
    await dialog(page).getByLabel('Reply to all 3').fill('See you in March.');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Accept' }).click();
    await expect(page.getByText('3 enrollments were changed.')).toBeVisible();
    await expect(row(page, 'See you in March.')).toHaveCount(3);
    await others[0]?.reload();
    expect(others[0]).toMatchObject({ notes, reply: 'See you in March.' });
  });

  it('are completed after a warning about renames since the enrollment, one or many', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    for (const [index, trainee] of trainees.entries())
      await buildEnrollment(test.context, trainee, course, {
        status: 'active',
        ...(index < 2 && { formerName: `Former ${index}` }),
      });
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    await expect(row(page, 'Ann Trainee')).toContainText('Renamed since enrolling: was Former 0');
    await expect(row(page, 'Cem Trainee')).not.toContainText('Renamed');
    const ask = async (item: string) => {
      await page.getByRole('button', { name: 'Actions for Ann Trainee' }).click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
      await expect(dialog(page)).toBeVisible();
    };
    const title = 'Renamed since enrolling:';
    await ask('Cancel place');
    await expect(dialog(page)).not.toContainText(title);
    await page.keyboard.press('Escape');
    await ask('Mark as completed');
    await expect(dialog(page)).toContainText(`${title}Ann Trainee, was Former 0`);
    await page.keyboard.press('Escape');

    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Mark as completed (4)' }).click();
    await expect(dialog(page).getByRole('group', { name: title }).getByRole('listitem')).toHaveText([
      /^(Ann Trainee, was Former 0|Ben Trainee, was Former 1)$/,
      /^(Ann Trainee, was Former 0|Ben Trainee, was Former 1)$/,
    ]);
    expect(await accessibilityProblems(page)).toEqual([]);
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await settled(page);
      expect(await layoutProblems(page)).toEqual([]);
      await keepScreenshot(page, `renamed ${width} en`);
    }
    await dialog(page).getByRole('button', { name: 'Mark as completed' }).click();
    await expect(page.getByText('4 enrollments were changed.')).toBeVisible();
    await keepScreenshot(page, 'renamed list en');
  });

  it('can get a reply later, which can be changed and deleted', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    const [ann] = trainees;
    if (ann) await buildEnrollment(test.context, ann, course, { status: 'pending', notes: 'Is there a ramp?' });
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    const open = async (item: string) => {
      await page.getByRole('button', { name: 'Actions for Ann Trainee' }).click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
      await expect(dialog(page)).toContainText('Is there a ramp?');
    };
    const field = dialog(page).getByRole('textbox', { name: 'Reply' });
    const save = () => dialog(page).getByRole('button', { name: 'Save' }).click();
    await open('Reply');
    await expect(field).toHaveValue('');
    await field.fill('Yes, at the back.');
    await page.keyboard.press('Escape');
    expect(await accessibilityProblems(page)).toEqual([]);
    await save();
    await expect(row(page, 'Ann Trainee')).toContainText(/ramp\?.*Yes, at the back\..*Requested/);
    await open('Change reply');
    await expect(field).toHaveValue('Yes, at the back.');
    await field.fill('');
    await save();
    await expect(row(page, 'Ann Trainee')).not.toContainText('at the back');
  });

  it('on the waiting list get a place or are removed; a full course says what to do', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    await course.update({ maxStudents: 1 });
    for (const [index, trainee] of trainees.entries())
      await buildEnrollment(test.context, trainee, course, { status: index === 0 ? 'active' : 'waiting' });
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    await expect(page.getByText('1 of 1 taken, 3 waiting')).toBeVisible();
    await expect(row(page, 'Dia Trainee')).toContainText('Waiting listNumber 3');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Waiting list');
    for (const [index, name] of ['Ben', 'Cem', 'Dia'].entries())
      await expect(row(page, '@').nth(index)).toContainText(new RegExp(`${name} Trainee.*example\\.org${index + 1}`));
    const choose = async (name: string, action: string) => {
      await page.getByRole('button', { name: `Actions for ${name} Trainee` }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await choose('Dia', 'Give a place now');
    await expect(dialog(page)).toContainText('those before Dia Trainee keep waiting');
    test.expectErrors(page, /status of 400/);
    await dialog(page).getByRole('button', { name: 'Give a place now' }).click();
    await expect(dialog(page).getByRole('alert')).toContainText('Raise its number of seats, or cancel a place');
    await course.update({ maxStudents: 2 });
    await dialog(page).getByRole('button', { name: 'Give a place now' }).click();
    await expect(row(page, 'Dia Trainee')).toHaveCount(0);
    await choose('Ben', 'Remove from the waiting list');
    await dialog(page).getByRole('button', { name: 'Remove from the waiting list' }).click();
    await expect(page.getByText('2 of 2 taken, 1 waiting')).toBeVisible();
    await page.goto(`${test.url}/courses`);
    await expect(row(page, 'Compilers')).toContainText('2 of 2, 1 waiting');
  });

  it('with a completed course take part again while there are seats left', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    await course.update({ maxStudents: 1 });
    for (const [index, trainee] of trainees.slice(0, 2).entries())
      await buildEnrollment(test.context, trainee, course, {
        status: index === 0 ? 'completed' : 'active',
        progress: 100,
      });
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    await page.getByRole('button', { name: 'Actions for Ann Trainee' }).click();
    await page.getByRole('menuitem', { name: 'Not completed after all' }).click();
    await expect(dialog(page)).toContainText('The certificate is revoked.');
    test.expectErrors(page, /status of 400/);
    const reopen = dialog(page).getByRole('button', { name: 'Not completed after all' });
    await reopen.click();
    await expect(dialog(page).getByRole('alert')).toContainText('The course is full.');
    await course.update({ maxStudents: 2 });
    await reopen.click();
    await expect(row(page, 'Ann Trainee')).toContainText('Taking part');
    await expect(row(page, 'Ann Trainee')).toContainText('100%');
  });

  it('show why their place was cancelled, and the reply', async () => {
    const { trainer, admin, course, trainees } = await buildScene(test);
    const replied = { reply: 'Next year.', replyAt: new Date('2026-11-21T12:00:00Z') };
    for (const [index, given] of [
      { cancelReason: 'refused', ...replied, replyBy: trainer.id },
      { cancelReason: 'left' },
      { cancelReason: 'removed', ...replied, replyBy: admin.id },
    ].entries()) {
      const trainee = trainees[index];
      if (trainee) await buildEnrollment(test.context, trainee, course, { status: 'cancelled', ...given } as never);
    }
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    await expect(row(page, 'Ann Trainee')).toContainText(/Your reply, .*2026Next year\..*Request refused/);
    await expect(row(page, 'Ben Trainee')).toContainText('By the trainee');
    await expect(row(page, 'Cem Trainee')).toContainText(/Reply, .*2026Next year\..*By trainer or admin/);
    const person = await test.openAs(admin, `/people/${trainees[2]?.id}?tab=enrollments`);
    await expect(row(person, 'Compilers')).toContainText(/Your reply, .*2026Next year\..*By trainer or admin/);
  });

  it('are accepted, refused and removed in bulk across pages, with a list of the unchanged ones', async () => {
    const { trainer, course } = await withRequests();
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants&limit=2`);
    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect(page).toHaveURL(/page=2/);
    await page.getByLabel('Select Ann Trainee').check();
    await expect(page.getByText('3 selected')).toBeVisible();
    await page.getByRole('button', { name: 'Accept (3)' }).click();
    await expect(dialog(page)).toContainText('Accept 3 requests?');
    // Meanwhile one trainee withdraws the request.
    const { Enrollment } = test.context.database.models;
    const [taken] = await Enrollment.findAll({
      include: 'user',
      where: { courseId: course.id },
      order: [['id', 'DESC']],
    });
    await taken?.update({ status: 'cancelled' });
    await dialog(page).getByRole('button', { name: 'Accept' }).click();
    await expect(dialog(page).getByRole('alert')).toHaveText('2 enrollments were changed. 1 was not changed.');
    await expect(dialog(page)).toHaveAccessibleName('Not all were changed');
    await expect(dialog(page).getByRole('textbox')).toHaveCount(0);
    await expect(dialog(page)).not.toContainText('Please.');
    await expect(dialog(page).getByRole('button')).toHaveText(['', 'Close']);
    await expect(dialog(page).getByRole('button').last()).toBeFocused();
    await expect(dialog(page)).toContainText(
      'Dia Trainee: The place has changed in the meantime. Look at it before you change it.',
    );
    await dialog(page).getByRole('button', { name: 'Close' }).last().click();
    // The enrollment is still selected, with the actions for its new status.
    await page.getByRole('button', { name: 'Previous page' }).click();
    await expect(page.getByRole('button', { name: 'Readmit (1)' })).toBeVisible();
    await page.goto(`${test.url}/courses/${course.id}?tab=participants&status=active`);
    await expect(page.getByText('Taking part', { exact: true }).filter({ visible: true })).not.toHaveCount(0);
    await expect(row(page, 'Trainee').filter({ hasText: 'Taking part' })).toHaveCount(2);

    await page.goto(`${test.url}/courses/${course.id}?tab=participants&status=pending`);
    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Refuse (1)' }).click();
    await dialog(page).getByRole('button', { name: 'Refuse' }).click();
    await expect(page.getByText('1 enrollment was changed.')).toBeVisible();
    await expect(page.getByText('Nothing matches these filters.')).toBeVisible();

    await page.goto(`${test.url}/courses/${course.id}?tab=participants`);
    await page.getByLabel('Select all on this page').check();
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Remove (4)' }).click();
    await expect(dialog(page)).toContainText('deleted with their progress and messages');
    await dialog(page).getByRole('button', { name: 'Remove' }).click();
    await expect(page.getByText('Nobody takes part yet, and nobody has asked to.')).toBeVisible();
  });

  it('are put on the waiting list of a full course if that is chosen', async () => {
    const { trainer, course } = await buildScene(test);
    await course.update({ maxStudents: 1 });
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    await page.getByRole('button', { name: 'Add participants' }).click();
    await dialog(page).getByLabel('Select Ann Trainee').check();
    await dialog(page).getByLabel('Select Ben Trainee').check();
    test.expectErrors(page, /400 \(Bad Request\)/);
    await dialog(page).getByRole('button', { name: 'Add (2)' }).click();
    await expect(dialog(page).getByRole('alert')).toContainText('use its waiting list');
    await dialog(page)
      .getByRole('switch', { name: 'When the course is full, put the others on its waiting list' })
      .click();
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'add to a full course');
    await dialog(page).getByRole('button', { name: 'Add (2)' }).click();
    await expect(page.getByText('1 trainee was added.')).toBeVisible();
    await expect(page.getByText('1 trainee is on the waiting list.')).toBeVisible();
  });

  it('are found by search and added in bulk', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    const page = await test.openAs(trainer, `/courses/${course.id}`);
    await page.getByRole('tab', { name: 'Participants' }).click();
    await page.getByRole('button', { name: 'Add participants' }).click();
    await dialog(page).getByRole('searchbox', { name: 'Search trainees' }).fill('Ann');
    await expect(dialog(page).getByRole('row')).toHaveCount(2);
    await dialog(page).getByLabel('Select Ann Trainee').check();
    // Escape empties the field. Escape, a click beside the dialog, and Back keep the selection.
    await dialog(page).getByRole('searchbox', { name: 'Search trainees' }).press('Escape');
    await page.mouse.click(5, 5);
    await page.goBack();
    await answerLeaving(page, 'Keep editing', '1 selected');
    await expect(dialog(page).getByRole('searchbox', { name: 'Search trainees' })).toHaveValue('');
    await expect(dialog(page).getByLabel('Select Ann Trainee')).toBeChecked();
    await dialog(page).getByLabel('Select Ben Trainee').check();
    await dialog(page).getByLabel('Select Cem Trainee').check();
    // Meanwhile somebody else enrolls one of the trainees.
    const [ann] = trainees;
    if (ann) await buildEnrollment(test.context, ann, course, { status: 'active' });
    const release = await holdRequests(page, '**/api/enrollments/bulk');
    await dialog(page).getByRole('button', { name: 'Add (3)' }).click();
    await expect(dialog(page).getByRole('button', { name: 'Close' })).toBeDisabled();
    release();
    await expect(dialog(page).getByRole('alert')).toContainText('1 trainee was not added.');
    await expect(dialog(page).getByRole('alert')).toContainText('Ann Trainee');
    await dialog(page).getByRole('button', { name: 'Close' }).last().click();
    await expect(row(page, 'Taking part')).toHaveCount(3);
    await page.getByRole('tab', { name: 'Overview' }).click();
    await expect(page.getByRole('region', { name: 'What trainees see' })).toBeVisible();
  });

  it('are selected by pasted emails; unknown ones stay in the field, and the seats stay in sight', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    const [ann, ben, cem, dia] = trainees.map(({ email }) => email);
    if (trainees[3]) await buildEnrollment(test.context, trainees[3], course, { status: 'active' });
    await course.update({ maxStudents: 3 });
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    await page.getByRole('button', { name: 'Add participants' }).click();
    const seats = dialog(page).getByRole('status').filter({ hasText: 'left' });
    await expect(seats).toHaveText('2 of 3 seats left');
    await expect(seats).toBeInViewport();
    await dialog(page).getByRole('button', { name: 'Paste emails' }).click();
    const field = dialog(page).getByRole('textbox', { name: 'Emails' });
    await field.fill(`"Trainee, Ann" <${ann}>, ${ben?.toUpperCase()};${cem}\n${cem}\nnobody@example.org ${dia}\n`);
    await dialog(page).getByRole('button', { name: 'Select 5 people' }).click();
    await expect(dialog(page).getByText('3 people were selected.')).toBeVisible();
    await expect(dialog(page).getByRole('alert')).toContainText('No active trainees have these 2 emails');
    await expect(field).toHaveValue(`nobody@example.org\n${dia}`);
    await expect(field).toHaveAttribute('aria-invalid', 'true');
    await expect(seats).toHaveText('2 of 3 seats left, 3 selected');
    await expect(seats).toBeInViewport();
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await settled(page);
      await expect(seats).toBeInViewport();
      expect(await layoutProblems(page)).toEqual([]);
      await keepScreenshot(page, `paste emails ${width} en`);
    }
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog(page).getByLabel('Select Ann Trainee').uncheck();
    await dialog(page).getByRole('button', { name: 'Add (2)' }).click();
    await expect(page.getByText('2 trainees were added.')).toBeVisible();
    await expect(row(page, 'Taking part')).toHaveCount(3);
  });

  it('are added by more pasted emails than one request takes', async () => {
    const { trainer, course } = await buildScene(test);
    await course.update({ maxStudents: null });
    const { User, Enrollment } = test.context.database.models;
    const ids = await buildTrainees(test.context, 600);
    const emails = (await User.findAll({ attributes: ['email'], where: { id: ids } })).map(({ email }) => email);
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    await page.getByRole('button', { name: 'Add participants' }).click();
    await dialog(page).getByRole('button', { name: 'Paste emails' }).click();
    const field = dialog(page).getByRole('textbox', { name: 'Emails' });
    await field.fill(Array.from({ length: 1001 }, (_, index) => `${index}@example.org`).join(','));
    await dialog(page).getByRole('button', { name: 'Select 1,001 people' }).click();
    await expect(dialog(page).getByRole('alert')).toHaveText('Enter at most 1,000 emails.');
    await field.fill(emails.join('\n'));
    await dialog(page).getByRole('button', { name: 'Select 600 people' }).click();
    await dialog(page).getByRole('button', { name: 'Add (600)' }).click();
    await expect(page.getByText('600 trainees were added.')).toBeVisible({ timeout: scaled(20_000) });
    expect(await Enrollment.count({ where: { courseId: course.id, status: 'active' } })).toBe(600);
  });

  /** Opens a page with 101 selected requests. */
  async function withManySelected() {
    const { trainer, course } = await buildScene(test);
    await course.update({ maxStudents: null });
    const places = (await buildTrainees(test.context, 101)).map((userId) => ({ userId, courseId: course.id }));
    const requests = withNewIds(places).map(([id, place]) => ({
      ...{ id, ...place, trainerId: trainer.id },
      ...{ status: 'pending' as const, notes: null },
    }));
    await test.context.database.inTransaction((transaction) =>
      insertEnrollments(test.context, requests, new Date(), transaction),
    );
    const page = await test.openAs(trainer);
    await page.goto(`${test.url}/courses/${course.id}?tab=participants&status=pending`);
    await page.getByRole('link', { name: 'Enrollments' }).click();
    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Select all 101 that match' }).click();
    await page.getByRole('button', { name: 'Accept (101)' }).click();
    const { Enrollment } = test.context.database.models;
    return { page, accepted: () => Enrollment.count({ where: { courseId: course.id, status: 'active' } }) };
  }

  it('are changed until the user confirms to leave the page; the rest stays unchanged', async () => {
    const { page, accepted } = await withManySelected();
    const release = await holdRequests(page, '**/api/enrollments/bulk/status');
    await dialog(page).getByRole('button', { name: 'Accept' }).click();
    await page.goBack();
    await answerLeaving(page, 'Stay', 'the rest will stay as it is');
    await page.goBack();
    await answerLeaving(page, 'Leave', 'the rest will stay as it is');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Compilers');
    const answered = page.waitForResponse('**/api/enrollments/bulk/status');
    release();
    await answered;
    await settled(page);
    expect(await accepted()).toBe(100);
  });

  it('are changed a hundred at a time until all are done or the user stops', async () => {
    const { page, accepted } = await withManySelected();
    const release = await holdRequests(page, '**/api/enrollments/bulk/status');
    await dialog(page).getByRole('button', { name: 'Accept' }).click();
    await dialog(page).getByRole('button', { name: 'Stop' }).click();
    release();
    await expect(dialog(page).getByRole('alert')).toContainText('Stopped: 100 of 101 are done');
    expect(await accepted()).toBe(100);
    await dialog(page).getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByText('1 enrollment was changed.')).toBeVisible();
    expect(await accepted()).toBe(101);
  });

  it('with 100 % progress can be filtered and completed together', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    for (const [index, trainee] of trainees.entries())
      await buildEnrollment(test.context, trainee, course, {
        status: 'active',
        progress: index < 2 ? 100 : 99,
        notes: 'Please.',
      });
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    await expect(page.getByText('2 trainees have reached 100%.')).toBeVisible();
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Ready to complete');
    await expect(row(page, 'Taking part')).toHaveCount(2);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Complete all 2' }).click();
    await expect(dialog(page)).toContainText('Have 2 trainees completed the course?');
    await expect(dialog(page)).toContainText('They get certificates, and mails');
    await expect(dialog(page)).toContainText('Free places go to the waiting list');
    await expect(dialog(page)).not.toContainText('Please.');
    await dialog(page).getByRole('button', { name: 'Mark as completed' }).click();
    await expect(page.getByText('2 enrollments were changed.')).toBeVisible();
    await expect(page.getByText('have reached 100%')).toHaveCount(0);
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Completed');
    await expect(row(page, 'Trainee').filter({ hasText: 'Completed' })).toHaveCount(2);
  });

  it('are exported as filtered, and so are courses', async () => {
    const { trainer, course } = await withRequests();
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants&status=pending`);
    const addresses = async () => {
      await page.getByRole('button', { name: 'Export' }).click();
      await expect(page.getByRole('menuitem')).toHaveCount(2);
      const links = await page.getByRole('menuitem').all();
      return Promise.all(links.map((link) => link.getAttribute('href')));
    };
    expect(await addresses()).toEqual([
      `/api/enrollments/export.csv?courseId=${course.id}&status=pending&format=xlsx`,
      `/api/enrollments/export.csv?courseId=${course.id}&status=pending`,
    ]);
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'CSV' }).click();
    expect((await download).suggestedFilename()).toBe('enrollments.csv');
    await page.goto(`${test.url}/enrollments?status=finished&search=Ben`);
    const finished = '/api/enrollments/export.csv?status=active&progress=100&search=Ben';
    expect(await addresses()).toEqual([`${finished}&format=xlsx`, finished]);
    await page.goto(`${test.url}/courses?isPublished=true`);
    const courses = `/api/courses/export.csv?isPublished=true&ended=false&trainerId=${trainer.id}`;
    expect(await addresses()).toEqual([`${courses}&format=xlsx`, courses]);
  });

  it('are in one list for all courses, by status and course', async () => {
    const { trainer, admin, course, trainees } = await withRequests();
    const page = await test.openAs(trainer, '/enrollments');
    await expect(row(page, 'Compilers')).toHaveCount(4);
    await page.getByRole('searchbox', { name: 'Search participants' }).fill('Ben');
    await expect(row(page, 'Compilers')).toHaveCount(1);
    const [first] = trainees;
    const all = await test.openAs(admin, `/enrollments?userId=${first?.id}`);
    await expect(all.getByText('Only Ann Trainee')).toBeVisible();
    await expect(row(all, 'Compilers')).toHaveCount(1);
    await all.getByRole('button', { name: 'Show everybody' }).click();
    await expect(row(all, 'Compilers')).toHaveCount(4);
    await all.getByRole('combobox', { name: 'Course' }).fill('Pott');
    await expect(all.getByRole('option', { name: 'Compilers' })).toHaveCount(0);
    await all.getByRole('option', { name: 'Pottery' }).click();
    await expect(all.getByText('Nothing matches these filters.')).toBeVisible();
    await all.goto(`${test.url}/enrollments?courseId=${course.id}&status=pending`);
    await all.getByLabel('Select all on this page').check();
    await all.getByRole('button', { name: 'Accept (4)' }).click();
    await dialog(all).getByRole('button', { name: 'Accept' }).click();
    await expect(all.getByText('4 enrollments were changed.')).toBeVisible();
  });
});
