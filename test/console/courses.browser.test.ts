import sharp from 'sharp';
import { buildCourse, buildEnrollment, buildMaterial, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect, holdRequests } from './support/browser.js';
import { answerLeaving, returnToPage, useConsole } from './support/console.js';
import { buildScene, dialog, row } from './support/courses.js';

const image = () =>
  sharp({ create: { width: 40, height: 40, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();

describePages('The courses of the web console', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  it('show a trainer their own courses, and the super admin all courses', async () => {
    const { trainer, admin, foreign } = await buildScene(test);
    const page = await test.openAs(trainer, '/courses');
    await expect(row(page, 'Compilers')).toContainText('0 of 4');
    await expect(row(page, 'Pottery')).toHaveCount(0);
    await page.goto(`${test.url}/courses/${foreign.id}`);
    await expect(page.getByText("This is another trainer's course.")).toBeVisible();
    await expect(page.getByRole('tab')).toHaveCount(0);
    const all = await test.openAs(admin, '/courses');
    await expect(row(all, 'Pottery')).toContainText('Olga Other');
    await all.getByLabel('Catalogue').selectOption('Not published');
    await expect(all.getByText('Nothing matches these filters.')).toBeVisible();
    await all.getByRole('button', { name: 'Clear filters' }).click();
    await all.getByRole('combobox', { name: 'Trainer' }).fill('Olga');
    await expect(all.getByRole('option', { name: /Tom Trainer/ })).toHaveCount(0);
    await all.getByRole('option', { name: /Olga Other/ }).click();
    await expect(row(all, 'Compilers')).toHaveCount(0);
    await all.reload();
    await expect(row(all, 'Pottery')).toBeVisible();
    await expect(row(all, 'Compilers')).toHaveCount(0);
  });

  it('can be created, with errors shown at their fields, and published', async () => {
    const { trainer } = await buildScene(test);
    const page = await test.openAs(trainer, '/courses');
    await page.getByRole('link', { name: 'New course' }).click();
    test.expectErrors(page, /status of 400/);
    const seats = page.getByLabel('Seats at most');
    const create = page.getByRole('button', { name: 'Create', exact: true });
    await seats.fill('12.5');
    await create.click();
    await expect(page.getByText('Enter a whole number from 1')).toBeVisible();
    await expect(seats).toHaveValue('12.5');
    await seats.fill('12');
    await create.click();
    await expect(page.getByLabel('Title')).toHaveAttribute('aria-invalid', 'true');
    await page.getByLabel('Title').fill('Weaving');
    await page.getByLabel('Description').fill('Warp and weft.');
    const firstDay = page.getByLabel('First day');
    await firstDay.pressSequentially('0403');
    await create.click();
    await expect(firstDay).toHaveAttribute('aria-invalid', 'true');
    await expect(firstDay).toBeFocused();
    await firstDay.fill('2027-03-01');
    await page.getByRole('combobox', { name: 'Tags' }).fill('craft');
    await page.getByRole('combobox', { name: 'Tags' }).press('Enter');
    await create.dblclick();
    await expect(page.getByRole('heading', { level: 1, name: 'Weaving' })).toBeVisible();
    await expect(page.getByText('The course was created. It is not published yet.')).toBeVisible();
    await page.getByRole('link', { name: 'Edit' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Edit Weaving' })).toBeFocused();
    await expect(seats).toHaveValue('12');
    // In sight wherever the form is scrolled to.
    await expect(page.getByRole('button', { name: 'Save' })).toBeInViewport({ ratio: 1 });
    const requests = page.getByRole('group', { name: 'Requests and waiting list' });
    await page.getByLabel('Last day', { exact: true }).fill('2027-03-31');
    await requests.getByLabel('Last day to ask for a place').fill('2027-03-31');
    await expect(requests).toContainText('After that day, only trainers and super admins can add participants.');
    await requests.getByLabel('Last day to ask for a place').fill('2027-04-01');
    await expect(requests).toContainText('This is after the last day of the course');
    await requests.getByLabel('Longest waiting list').fill('1.5');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(requests).toContainText('Enter a whole number from 0');
    await requests.getByLabel('Longest waiting list').fill('0');
    await requests.getByLabel('Accept requests at once while seats last').check();
    await expect(requests).toContainText('Otherwise the trainer answers each request');
    await page.getByRole('button', { name: 'Save' }).click();
    const { Course } = test.context.database.models;
    const stored = () => Course.findOne({ where: { title: 'Weaving' } });
    await expect
      .poll(async () => (await stored())?.toJSON())
      .toMatchObject({ enrollUntil: '2027-04-01', waitingMax: 0, autoAccept: true });
    await expect(page.getByRole('heading', { level: 1, name: 'Weaving', exact: true })).toBeFocused();
    await page.getByRole('link', { name: 'Edit' }).click();
    await firstDay.press('Backspace');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Enter day, month and year of a date that exists')).toBeVisible();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expect(firstDay).toHaveValue('2027-03-01');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Publish' }).click();
    await expect(dialog(page)).toContainText('trainees can ask for a place');
    await dialog(page).getByRole('button', { name: 'Publish' }).click();
    await expect(page.getByText('The course is published.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Publish' })).toHaveCount(0);
    await page.getByRole('link', { name: 'All courses' }).click();
    await expect(row(page, 'Weaving')).toHaveCount(1);
    await expect(row(page, 'Weaving')).toContainText('Published');
  });

  it('are saved with the changed fields only, and keep changes by others', async () => {
    const { trainer, course } = await buildScene(test);
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=edit`);
    const alert = page.getByRole('main').getByRole('alert');
    const save = () => page.getByRole('button', { name: 'Save' }).click();
    const edit = () => page.getByRole('link', { name: 'Edit' }).click();
    const stored = async () => {
      await course.reload();
      return [course.location, course.language];
    };
    await page.getByLabel('Location').fill('Room 1');
    await page.getByRole('link', { name: 'Back to the course' }).click();
    await answerLeaving(page, 'Keep editing', 'Location');
    await course.update({ location: 'Room 2', language: 'English' });
    // The unchanged fields are updated at once.
    await returnToPage(page);
    await expect(page.getByRole('textbox', { name: 'Language' })).toHaveValue('English');
    await save();
    await expect(alert).toContainText('since you opened them: Location. Save again to overwrite them');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expect(page.getByLabel('Location')).toHaveValue('Room 2');

    await page.getByLabel('Location').fill('Room 1');
    await course.update({ location: 'Room 2b' });
    await save();
    await expect(alert).toContainText('Save again to overwrite them');
    await save();
    await expect.poll(stored).toEqual(['Room 1', 'English']);

    await edit();
    await course.update({ language: 'French' });
    await page.getByLabel('Location').fill('Room 3');
    await save();
    await expect.poll(stored).toEqual(['Room 3', 'French']);
    await edit();
    await expect(page.getByRole('textbox', { name: 'Language' })).toHaveValue('French');
    test.expectErrors(page, /status of 400/);
    await page.getByLabel('Title').fill(' ');
    await page.getByLabel('Location').fill('Room 5');
    await course.update({ language: 'Dutch' });
    await save();
    await expect(page.getByLabel('Title')).toHaveAttribute('aria-invalid', 'true');
    await page.getByLabel('Title').fill('Weaving');
    const release = await holdRequests(page, `**/api/courses/${course.id}`);
    await save();
    // The form stays open for what is typed while it is saved.
    await page.getByLabel('Location').fill('Room 6');
    release();
    await expect.poll(stored).toEqual(['Room 5', 'Dutch']);
    expect(course.title).toBe('Weaving');
    await expect(page.getByText('Saved.').last()).toBeVisible();
    await save();
    await expect.poll(stored).toEqual(['Room 6', 'Dutch']);
    await page.getByRole('tab', { name: 'Materials' }).click();
    await expect(page).toHaveURL(/tab=materials/);
  });

  it('open as a summary, with counts that lead to their lists, and what trainees see', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    await course.update({ isPublished: false, startDate: day(3), endDate: day(5), maxStudents: 3, waitingMax: 8 });
    for (const [index, status] of (['active', 'active', 'pending', 'waiting'] as const).entries())
      if (trainees[index]) await buildEnrollment(test.context, trainees[index], course, { status });
    const graduate = await buildUser(test.context);
    await buildEnrollment(test.context, graduate, course, { status: 'completed' });
    await buildMaterial(test.context, course);
    const page = await test.openAs(trainer, `/courses/${course.id}`);
    const figure = (name: string) => page.locator('dl > div').filter({ has: page.locator('dt', { hasText: name }) });
    await expect(figure('Dates').first()).toContainText(/Begins in [2-4] days/);
    await expect(figure('Seats').first()).toContainText('3 of 3');
    await expect(figure('Seats').first()).toContainText('Full');
    await expect(figure('Requests')).toContainText('1Answer');
    await expect(figure('Waiting list')).toContainText('1At most 8');
    await expect(figure('Participants')).toContainText('21 completed');
    await expect(page.getByText('Visible to participants only')).toBeVisible();
    await expect(page.getByRole('region', { name: 'What trainees see' })).toContainText('Computing');
    await expect(page.getByRole('tab')).toHaveText(['Overview', 'Participants21 request', 'Materials1']);
    await expect(page.getByRole('button', { name: 'Publish' })).toBeVisible();
    await page.getByRole('link', { name: 'Answer' }).click();
    await expect(page).toHaveURL(/tab=participants&status=pending/);
    await page.getByRole('button', { name: 'Accept: Cem Trainee' }).click();
    await dialog(page).getByRole('button', { name: 'Accept' }).click();
    await expect(page.getByRole('tab', { name: 'Participants' })).toHaveText('Participants3');
  });

  it('are listed by date, running ones after upcoming ones, with their requests', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    const [trainee] = trainees;
    if (trainee) await buildEnrollment(test.context, trainee, course, { status: 'pending' });
    await course.update({ startDate: '2999-03-01' });
    await buildCourse(test.context, trainer, { title: 'Weaving', startDate: '2999-02-01' });
    await buildCourse(test.context, trainer, { title: 'Running', startDate: '2020-01-01', endDate: '2999-01-01' });
    await buildCourse(test.context, trainer, { title: 'Undated' });
    const page = await test.openAs(trainer, '/courses');
    const titles = page.getByRole('row').getByRole('link', { name: /^(Comp|Weav|Runn|Unda)/ });
    await expect(titles).toHaveText(['Weaving', 'Compilers', 'Running', 'Undated']);
    await expect(page.getByRole('columnheader', { name: 'Next date' })).not.toHaveAttribute('aria-sort');
    const order = page.getByRole('combobox', { name: 'Order' });
    await expect(order.locator('option:checked')).toHaveText('Upcoming first, then running');
    await expect(row(page, 'Running')).toContainText('until 1 Jan 2999');
    await order.selectOption('First day, descending');
    await expect(titles).toHaveText(['Compilers', 'Weaving', 'Running', 'Undated']);
    await row(page, 'Compilers').getByRole('link', { name: '1', exact: true }).click();
    await expect(page).toHaveURL(new RegExp(`${course.id}\\?tab=participants&status=pending`));
  });

  it('are copied with their image and without dates, and published at once', async () => {
    const { admin, trainer, course } = await buildScene(test);
    await course.update({ startDate: '2027-03-01', endDate: '2027-03-02', enrollUntil: '2027-02-01', waitingMax: 2 });
    const own = await test.openAs(trainer, `/courses/${course.id}?tab=edit`);
    const file = { name: 'cover.png', mimeType: 'image/png', buffer: await image() };
    await own.locator('input[type=file]').setInputFiles(file);
    await own.getByRole('button', { name: 'Save image' }).click();
    await expect(own.getByRole('button', { name: 'Remove image' })).toBeVisible();
    const page = await test.openAs(admin, '/courses');
    await page.getByRole('button', { name: 'Actions for Compilers' }).click();
    await page.getByRole('menuitem', { name: 'Copy course' }).click();
    await expect(page.getByText('The fields and the image are those of Compilers.')).toBeVisible();
    await expect(page.getByLabel('First day')).toHaveValue('');
    await expect(page.getByRole('combobox', { name: 'Trainer' })).toHaveValue(/Tom Trainer/);
    await page.getByLabel('Title').fill('Compilers again');
    await page.getByRole('button', { name: 'Create and publish' }).click();
    await expect(page.getByText('The course is published.')).toBeVisible();
    await expect(page.getByRole('heading', { level: 1, name: 'Compilers again' })).toBeVisible();
    const { Course } = test.context.database.models;
    await course.reload();
    const copy = await Course.findOne({ where: { title: 'Compilers again' } });
    expect(copy?.toJSON()).toMatchObject({
      ...{ trainerId: trainer.id, maxStudents: 4, waitingMax: 2, category: 'Computing', isPublished: true },
      ...{ startDate: null, endDate: null, enrollUntil: null, thumbnail: expect.stringMatching(/^\/api\/images\//) },
    });
    expect(copy?.thumbnail).not.toBe(course.thumbnail);
    // What cannot be published exists nevertheless, and isn't created twice.
    test.expectErrors(page, /status of 500/);
    await page.route('**/publish', (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto(`${test.url}/courses/new?copyOf=${course.id}`);
    await page.getByLabel('Title').fill('Compilers hidden');
    await page.getByRole('button', { name: 'Create and publish' }).click();
    await expect(page.getByText('It is not published yet.')).toBeVisible();
    await expect(page.getByText('Not visible to trainees yet')).toBeVisible();
    expect(await Course.count({ where: { title: 'Compilers hidden' } })).toBe(1);
  });

  it('show an image before it is uploaded', async () => {
    const { trainer, course } = await buildScene(test);
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=edit`);
    const file = { name: 'cover.png', mimeType: 'image/png', buffer: await image() };
    await page.locator('input[type=file]').setInputFiles(file);
    await expect(page.getByText('cover.png is not saved yet.')).toBeVisible();
    await expect(page.locator('img[src^="blob:"]')).toBeVisible();
    await page.getByRole('button', { name: 'Save image' }).click();
    await expect(page.locator('img[src^="/api/images/"]')).toBeVisible();
    await page.getByRole('button', { name: 'Remove image' }).click();
    await dialog(page).getByRole('button', { name: 'Remove image' }).click();
    await expect(page.locator('img[src^="/api/images/"]')).toHaveCount(0);
    const text = { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no image') };
    await page.locator('input[type=file]').setInputFiles(text);
    await expect(page.getByRole('main').getByRole('alert')).toHaveText('broken.png cannot be read as an image.');
    await expect(page.getByRole('button', { name: 'Save image' })).toBeHidden();
    await expect(page.locator('img[src^="blob:"]')).toHaveCount(0);
    await page.locator('input[type=file]').setInputFiles(file);
    await expect(page.getByText('cover.png is not saved yet.')).toBeVisible();
    await expect(page.getByRole('main').getByRole('alert')).toBeHidden();
  });

  it('are deleted with participants only if the super admin forces it', async () => {
    const { admin, course, trainees } = await buildScene(test);
    for (const trainee of trainees.slice(0, 1))
      await buildEnrollment(test.context, trainee, course, { status: 'active' });
    const page = await test.openAs(admin, `/courses/${course.id}`);
    test.expectErrors(page, /status of 400/);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete course' }).click();
    await expect(dialog(page)).toContainText('1 of them requested or active');
    await dialog(page).getByRole('button', { name: 'Delete course' }).click();
    await dialog(page).getByLabel('Delete it although trainees take part').check();
    await dialog(page).getByRole('button', { name: 'Delete course' }).click();
    await expect(page.getByText('Compilers was deleted.')).toBeVisible();
    await expect(page).toHaveURL(/\/courses$/);
    await expect(row(page, 'Compilers')).toHaveCount(0);
  });

  it('keep the form after a failed reload, but hide it if the course is gone', async () => {
    const { trainer, course } = await buildScene(test);
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=edit`);
    await page.getByLabel('Location').fill('Room 1');
    test.expectErrors(page, /status of (500|404)/);
    const alert = page.getByRole('main').getByRole('alert');
    const courses = `**/api/courses/${course.id}*`;
    await page.route(courses, (route) => route.fulfill({ status: 500, json: {} }));
    await returnToPage(page);
    await expect(alert).toContainText('This could not be loaded');
    await expect(page.getByLabel('Location')).toHaveValue('Room 1');
    await page.unroute(courses);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await expect(alert).toHaveCount(0);
    await expect(page.getByLabel('Location')).toHaveValue('Room 1');
    await course.destroy();
    await returnToPage(page);
    await expect(alert).toContainText('Not found');
    await expect(page.getByLabel('Location')).toHaveCount(0);
  });

  it('can be assigned to another trainer', async () => {
    const { admin, course, other } = await buildScene(test);
    const page = await test.openAs(admin, '/courses');
    await page.getByRole('button', { name: 'Actions for Compilers' }).click();
    await page.getByRole('menuitem', { name: 'Assign trainer' }).click();
    await expect(dialog(page)).toContainText('from Tom Trainer to the new trainer');
    const field = dialog(page).getByRole('combobox', { name: 'New trainer' });
    await field.click();
    // Escape closes the list first, not the dialog.
    await expect(dialog(page).getByRole('option', { name: /Olga Other/ })).toBeVisible();
    await field.press('Escape');
    await expect(dialog(page).getByRole('option')).toHaveCount(0);
    await field.fill('Olga');
    await expect(page.getByRole('option', { name: /Tom Trainer/ })).toHaveCount(0);
    await page.getByRole('option', { name: /Olga Other/ }).click();
    // The dialog stays open after a failed refetch of the list.
    test.expectErrors(page, /status of 500/);
    await page.route(/api\/courses\?/, (route) => route.fulfill({ status: 500, json: {} }));
    await returnToPage(page);
    await expect(page.getByRole('main').getByText('This could not be loaded')).toBeVisible();
    await expect(field).toHaveValue(/Olga Other/);
    await page.unrouteAll();
    await dialog(page).getByRole('button', { name: 'Assign trainer' }).click();
    await expect(page.getByText('The course has a new trainer.')).toBeVisible();
    await course.reload();
    expect(course.trainerId).toBe(other.id);
  });
});
