import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { buildCourse, buildEnrollment, buildMaterial, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect, keepScreenshot, settled } from './support/browser.js';
import { answerLeaving, returnToPage, useConsole } from './support/console.js';
import { layoutProblems } from './support/layout.js';

const cards = (page: Page) => page.getByRole('article');
const place = (page: Page) => page.getByRole('region', { name: 'Your place' });

describePages('The catalogue', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  /** Creates a published course with two seats, a full course, and an unpublished course. */
  async function scene() {
    const { context } = test;
    await buildUser(context, { role: 'super_admin' });
    const trainer = await buildUser(context, { role: 'trainer', firstName: 'Tom', lastName: 'Trainer' });
    const trainee = await buildUser(context, { firstName: 'Tia', lastName: 'Trainee' });
    const build = (title: string, values: object = {}) =>
      buildCourse(context, trainer, { title, isPublished: true, ...values });
    const compilers = await build('Compilers', { maxStudents: 2, category: 'Computing', level: 'advanced' });
    const pottery = await build('Pottery', {
      maxStudents: 1,
      waitingMax: 0,
      category: 'Crafts',
      level: 'beginner',
    });
    await build('Secret', { isPublished: false });
    await buildEnrollment(context, await buildUser(context), pottery, { status: 'active' });
    return { trainer, trainee, compilers, pottery };
  }

  it('lists the next course first with its dates and location, marks running courses, and shows ended courses only on request', async () => {
    const { trainee, trainer } = await scene();
    const day = (days: number) => new Date(test.context.now().getTime() + days * 86_400_000).toISOString().slice(0, 10);
    const build = (title: string, values: object) =>
      buildCourse(test.context, trainer, { title, isPublished: true, ...values });
    await build('Later', {
      startDate: '2099-05-04',
      endDate: '2099-05-04',
      location: 'Room 5',
      courseType: 'classroom',
    });
    await build('Soon', { startDate: day(20), endDate: day(30), enrollUntil: '2099-04-30' });
    await build('Past', { startDate: '2020-05-04', endDate: '2020-05-05' });
    await build('Closed', { startDate: day(25), enrollUntil: '2020-05-05' });
    await build('Begun', { startDate: day(-25), endDate: day(25) });
    const page = await test.openAs(trainee, '/catalogue');
    await expect(cards(page)).toHaveText([/Soon/, /Closed/, /Later/, /^RunningBegun/, /Pottery/, /Compilers/]);
    const card = (title: string) => cards(page).filter({ has: page.getByRole('link', { name: title, exact: true }) });
    await expect(card('Later')).toContainText('Tom Trainer4 May 2099Room 5 · Classroom');
    await expect(card('Soon')).toContainText('Ask for a place until 30 Apr 2099');
    await expect(card('Closed')).toContainText('Requests are closed');
    await expect(card('Closed')).not.toContainText('Ask for a place');
    await expect(page.getByText('Running', { exact: true })).toHaveCount(1);

    await page.getByLabel('Dates').selectOption('Ended');
    await expect(cards(page)).toHaveText([/Past/]);
    await expect(page).toHaveURL(/ended=/);
    await expect(card('Past')).toContainText('Ended');
    await page.getByLabel('Dates').selectOption('All dates');
    await expect(cards(page)).toHaveCount(7);
    await expect(cards(page).last()).toContainText('Past');
  });

  it('shows published courses with their free seats, and keeps searches and filters in the URL', async () => {
    const { trainee, compilers, pottery } = await scene();
    const page = await test.openAs(trainee, '/catalogue');
    await expect(cards(page)).toHaveCount(2);
    await expect(cards(page).filter({ hasText: 'Compilers' })).toContainText('2 of 2 seats left');
    await expect(cards(page).filter({ hasText: 'Pottery' })).toContainText('Full');

    await page.getByLabel('Only with seats left').check();
    await expect(cards(page)).toHaveCount(1);
    await expect(page).toHaveURL(/seatsLeft=/);
    await page.getByLabel('Only with seats left').uncheck();
    await page.getByLabel('Category').selectOption('Crafts');
    await expect(cards(page)).toHaveText([/Pottery/]);
    await page.getByLabel('Level').selectOption('advanced');
    await expect(page.getByText('Nothing matches these filters.')).toBeVisible();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('searchbox', { name: 'Search courses' }).fill('compi');
    await expect(cards(page)).toHaveText([/Compilers/]);

    await page.getByRole('link', { name: 'Compilers' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Compilers' })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('searchbox', { name: 'Search courses' })).toHaveValue('compi');
    await expect(cards(page)).toHaveCount(1);

    // Somebody else takes the last seat in the meantime.
    await page.getByRole('link', { name: 'Compilers' }).click();
    const ask = page.getByRole('button', { name: 'Ask for a place' });
    await ask.waitFor();
    await compilers.update({ maxStudents: 1 });
    await buildEnrollment(test.context, await buildUser(test.context), compilers, { status: 'active' });
    test.expectErrors(page, /status of 400/);
    await ask.click();
    await expect(place(page)).toContainText('The course is full.');
    await expect(place(page).getByRole('button', { name: 'Join the waiting list' })).toBeVisible();
    await page.goto(`${test.url}/catalogue/${pottery.id}`);
    await expect(place(page)).toContainText('There are no seats left in this course. Look again later');
    await expect(place(page).getByRole('button')).toHaveCount(0);
  });

  it('shows a course without an image by its initials, in the same color on each page', async () => {
    const { trainee, trainer } = await scene();
    await buildCourse(test.context, trainer, { title: 'Grundlagen der (alten) Buchhaltung', isPublished: true });
    const page = await test.openAs(trainee, '/catalogue?sort=title');
    const box = (title: string) => cards(page).filter({ hasText: title }).locator('.image-placeholder');
    await expect(box('Grundlagen')).toHaveAttribute('data-initials', 'GB');
    await expect(box('Pottery')).toHaveAttribute('data-initials', 'P');
    const color = (title: string) => box(title).evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(await color('Pottery')).not.toBe(await color('Compilers'));
    const before = await color('Pottery');
    await page.reload();
    expect(await color('Pottery')).toBe(before);
  });

  it('has its filters behind a button in a narrow window, with the number of those in use', async () => {
    const { trainee } = await scene();
    const page = await test.openAs(trainee, '/catalogue?category=Crafts&seatsLeft=true&sort=title', {
      viewport: { width: 360, height: 740 },
    });
    const button = page.getByRole('button', { name: 'Filters (2)' });
    await expect(button).toHaveAttribute('aria-expanded', 'false');
    await expect(page.getByLabel('Category')).toBeHidden();
    await expect(page.getByRole('searchbox', { name: 'Search courses' })).toBeVisible();
    await button.click();
    await page.getByLabel('Only with seats left').uncheck();
    await expect(cards(page)).toHaveText([/Pottery/]);
    await page.getByLabel('Category').selectOption('Any category');
    const none = page.getByRole('button', { name: 'Filters', exact: true });
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await layoutProblems(page)).toEqual([]);
    await none.click();
    await expect(page.getByLabel('Category')).toBeHidden();
    await page.setViewportSize({ width: 1280, height: 740 });
    await expect(none).toBeHidden();
    await expect(page.getByLabel('Category')).toBeVisible();
  });

  it('shows line breaks and links of a description; a hostile text stays text', async () => {
    const { trainee, compilers } = await scene();
    await compilers.update({
      shortDescription: 'One\nTwo',
      description: 'First:\n- https://school.example/room?a=1.\n- kim@school.example\n**Bold**',
      requirements: 'javascript:run() <a href="https://evil.example" onclick="run()">here</a> [x](data:text/html,x)',
    });
    const page = await test.openAs(trainee, `/catalogue/${compilers.id}`);
    const links = page.locator('.running-text a');
    await expect(links).toHaveText(['https://school.example/room?a=1', 'kim@school.example', 'https://evil.example']);
    const attributes = await links.evaluateAll((all) =>
      all.map((link) => ['href', 'rel', 'target'].map((name) => link.getAttribute(name))),
    );
    expect(attributes).toEqual([
      ['https://school.example/room?a=1', 'noopener noreferrer', '_blank'],
      ['mailto:kim@school.example', 'noopener noreferrer', null],
      ['https://evil.example', 'noopener noreferrer', '_blank'],
    ]);
    const text = page.locator('.running-text');
    expect(await text.allInnerTexts()).toEqual([
      'One\nTwo',
      'First:\n- https://school.example/room?a=1.\n- kim@school.example\n**Bold**',
      'javascript:run() <a href="https://evil.example" onclick="run()">here</a> [x](data:text/html,x)',
    ]);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('lets a trainee ask for a place once, even after a failed reload, and withdraw the request', async () => {
    const { trainee, compilers } = await scene();
    const page = await test.openAs(trainee, `/catalogue/${compilers.id}`);
    const message = page.getByLabel('Message to the trainer (optional)');
    await message.fill('I know C.');
    await page.getByRole('link', { name: 'My courses' }).click();
    await answerLeaving(page, 'Keep editing', 'Message');
    test.expectErrors(page, /status of 500/);
    await page.route(`**/api/courses/${compilers.id}*`, (route) => route.fulfill({ status: 500, json: {} }));
    await returnToPage(page);
    const failure = page.getByRole('main').getByRole('alert');
    await expect(failure).toBeVisible();
    await expect(message).toHaveValue('I know C.');
    await page.unrouteAll();
    await failure.getByRole('button', { name: 'Try again' }).click();
    await expect(failure).toBeHidden();

    await page.getByRole('button', { name: 'Ask for a place' }).dblclick();
    await expect(place(page)).toContainText('The trainer has not answered yet.');
    await expect(place(page)).toContainText('I know C.');
    await expect(page.getByText('1 of 2 seats left')).toBeVisible();

    await place(page).getByRole('button', { name: 'Withdraw request' }).click();
    const dialog = page.getByRole('dialog', { name: 'Withdraw your request?' });
    await expect(dialog).toContainText('Your place becomes free for others. You can ask again');
    await dialog.getByRole('button', { name: 'Withdraw request' }).click();
    await page.getByRole('button', { name: 'Ask for a place' }).click();
    await expect(place(page)).toContainText('The trainer has not answered yet.');
  });

  it('offers the dates of a course, if it has any, as a calendar file', async () => {
    const { trainee, compilers, pottery } = await scene();
    await compilers.update({ startDate: '2026-05-04' });
    const page = await test.openAs(trainee, `/catalogue/${compilers.id}`, { viewport: { width: 360, height: 740 } });
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Add to calendar' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('calendar.ics');
    expect(readFileSync(await file.path(), 'utf8')).toContain('DTSTART;VALUE=DATE:20260504');
    await expect(page.getByRole('heading', { level: 1, name: 'Compilers' })).toBeVisible();
    await page.getByRole('link', { name: 'Add to calendar' }).scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'The dates of a course');
    expect(await layoutProblems(page)).toEqual([]);
    await page.goto(`${test.url}/catalogue/${pottery.id}`);
    await expect(page.getByRole('heading', { level: 1, name: 'Pottery' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Add to calendar' })).toHaveCount(0);
  });

  it('gives materials to participants, and requests nothing forbidden after they leave', async () => {
    const { trainee, trainer, compilers } = await scene();
    await buildMaterial(test.context, compilers, { name: 'Exercise 1.txt', uploadedBy: trainer.id }, 'Write a parser.');
    const page = await test.openAs(trainee, `/catalogue/${compilers.id}`);
    const material = page.getByRole('link', { name: 'Exercise 1.txt' });
    await expect(page.getByRole('button', { name: 'Ask for a place' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Materials' })).toHaveCount(0);
    await buildEnrollment(test.context, trainee, compilers, { status: 'active' });
    await page.reload();
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
    });
    const leave = async () => {
      await material.waitFor();
      await place(page).getByRole('button', { name: 'Leave course' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Leave course' }).click();
    };
    await leave();
    await expect(page.getByRole('button', { name: 'Ask for a place' })).toBeVisible();
    await expect(material).toBeHidden();
    await settled(page);
    expect(refused).toEqual([]);

    // After leaving, an unpublished course is no longer visible.
    await test.context.database.models.Enrollment.update({ status: 'active' }, { where: { userId: trainee.id } });
    await compilers.update({ isPublished: false });
    await page.reload();
    await leave();
    await expect(page.getByRole('heading', { level: 1, name: 'My courses' })).toBeVisible();
    await settled(page);
    expect(refused).toEqual([]);
  });
});

describePages("A trainee's own courses", function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  async function scene() {
    const { context } = test;
    await buildUser(context, { role: 'super_admin' });
    const trainer = await buildUser(context, { role: 'trainer', firstName: 'Tom', lastName: 'Trainer' });
    const trainee = await buildUser(context, { firstName: 'Tia', lastName: 'Trainee' });
    const course = async (title: string) => buildCourse(context, trainer, { title, isPublished: true });
    const compilers = await course('Compilers');
    await buildMaterial(context, compilers, { name: 'Exercise 1.txt' });
    await buildEnrollment(context, trainee, compilers, { status: 'active', progress: 40 });
    await buildEnrollment(context, trainee, await course('Pottery'), { status: 'pending' });
    await buildEnrollment(context, trainee, await course('Weaving'), {
      status: 'completed',
      progress: 100,
      completedAt: new Date(),
    });
    return { trainer, trainee, compilers };
  }

  it('offer their dates as a calendar file until they have ended', async () => {
    const { context } = test;
    await buildUser(context, { role: 'super_admin' });
    const trainer = await buildUser(context, { role: 'trainer' });
    const trainee = await buildUser(context);
    const dates = { startDate: '2030-05-04', isPublished: true };
    for (const [title, status, given] of [
      ['Pottery', 'active', dates],
      ['Weaving', 'pending', dates],
      ['Dyeing', 'completed', dates],
      ['Bees', 'active', { isPublished: true }],
    ] as const)
      await buildEnrollment(context, trainee, await buildCourse(context, trainer, { title, ...given }), { status });
    const page = await test.openAs(trainee, '/', { locale: 'de-DE', viewport: { width: 360, height: 740 } });
    await expect(cards(page)).toHaveCount(4);
    await expect(page.getByRole('link', { name: /^In den Kalender/ })).toHaveCount(2);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'In den Kalender: Pottery' }).click();
    expect(readFileSync(await (await download).path(), 'utf8')).toContain('SUMMARY:Pottery');
    await keepScreenshot(page, 'Own courses with dates');
    expect(await layoutProblems(page)).toEqual([]);
  });

  it('are the first page, with status, materials and progress; trainees set the progress of active courses', async () => {
    const { trainee } = await scene();
    const page = await test.openAs(trainee);
    await expect(page.getByRole('heading', { level: 1, name: 'My courses' })).toBeVisible();
    await expect(cards(page)).toHaveCount(3);
    await page.getByRole('button', { name: 'Materials of Compilers' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Exercise 1.txt' }).click();
    expect((await download).suggestedFilename()).toBe('Exercise 1.txt');

    await expect(cards(page).filter({ hasText: 'Compilers' })).toContainText('40%');
    await expect(page.getByRole('button', { name: /^Set progress of/ })).toHaveCount(1);
    await page.getByRole('button', { name: 'Set progress of Compilers' }).click();
    const dialog = page.getByRole('dialog', { name: 'Progress: Compilers' });
    for (const typed of ['', '7,5', '150']) {
      await dialog.getByLabel('Progress in percent').fill('');
      await dialog.getByLabel('Progress in percent').pressSequentially(typed);
      await expect(dialog).not.toContainText('Enter a whole number from 0 to 100.');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await expect(dialog).toContainText('Enter a whole number from 0 to 100.');
    }
    await dialog.getByLabel('Progress in percent').fill('75');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toBeHidden();
    await expect(cards(page).filter({ hasText: 'Compilers' })).toContainText('75%');
    await page.getByLabel('Status').selectOption('Completed');
    await expect(cards(page)).toHaveText([/Weaving/]);
    await page.reload();
    await expect(cards(page)).toHaveText([/Weaving/]);
  });

  it('show dates, location, type and status: the next course first, ended ones later, cancelled ones last', async () => {
    const { trainer, trainee } = await scene();
    const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
    const update = (title: string, values: object) =>
      test.context.database.models.Course.update(values, { where: { title } });
    await update('Pottery', {
      startDate: '2099-03-02',
      endDate: '2099-03-06',
      location: 'Room 4',
      courseType: 'hybrid',
    });
    await update('Compilers', { startDate: day(7) });
    await update('Weaving', { endDate: day(-7) });
    const left = await buildCourse(test.context, trainer, { title: 'Knitting', isPublished: true, startDate: day(1) });
    await buildEnrollment(test.context, trainee, left, { status: 'cancelled', cancelReason: 'left' });
    const full = await buildCourse(test.context, trainer, { title: 'Spinning', isPublished: true, maxStudents: 1 });
    await buildEnrollment(test.context, await buildUser(test.context), full, { status: 'active' });
    await buildEnrollment(test.context, trainee, full, { status: 'waiting' });
    const page = await test.openAs(trainee);
    await expect(cards(page)).toHaveText([
      /^Compilers/,
      /^Pottery.*2 Mar 2099 to 6 Mar 2099 · Room 4 · Online and classroom/,
      /^Spinning.*You are number 1 on the waiting list\./,
      /^Weaving/,
      /^Knitting.*You withdrew from this course\./,
    ]);
  });

  it('show the reply of the trainer, until the course is completed', async () => {
    const { trainer, trainee } = await scene();
    const { Enrollment } = test.context.database.models;
    const reply = {
      reply: 'Please learn\nhttps://school.example/algebra first.',
      replyAt: new Date('2026-03-02T12:00:00Z'),
    };
    await Enrollment.update({ ...reply, replyBy: trainer.id }, { where: { userId: trainee.id } });
    const refused = { status: 'cancelled', cancelReason: 'refused' } as const;
    await Enrollment.update(refused, { where: { userId: trainee.id, status: 'pending' } });
    const page = await test.openAs(trainee);
    const card = (title: string) => cards(page).filter({ hasText: title });
    await expect(card('Pottery')).toContainText(
      'Your request was refused.Reply by Tom Trainer, 2 Mar 2026Please learn\nhttps://school.example/algebra first.',
    );
    await expect(card('Pottery').getByRole('link', { name: 'https://school.example/algebra' })).toBeVisible();
    await expect(card('Compilers')).toContainText('Reply by Tom Trainer');
    await expect(card('Weaving')).not.toContainText('Reply by');
    await Enrollment.update({ replyBy: null }, { where: { userId: trainee.id } });
    await page.reload();
    await expect(card('Pottery')).toContainText('Reply by the administration, 2 Mar 2026');
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('lead to the place in an unpublished course, where its request can be withdrawn', async () => {
    const { trainee } = await scene();
    await test.context.database.models.Course.update({ isPublished: false }, { where: {} });
    const page = await test.openAs(trainee);
    test.expectErrors(page, /status of 404/);
    await page.getByRole('link', { name: 'Weaving' }).click();
    await expect(place(page)).toContainText('You have completed this course.');
    await page.goBack();
    await page.getByRole('link', { name: 'Pottery' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Pottery' })).toBeVisible();
    await expect(page.getByText('This course is not published any more.')).toBeVisible();
    await place(page).getByRole('button', { name: 'Withdraw request' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw request' }).click();
    await expect(cards(page).filter({ hasText: 'Pottery' })).toContainText('Cancelled');
    await page.getByRole('link', { name: 'Pottery' }).click();
    await expect(place(page)).toContainText('This course takes no requests at the moment.');
  });

  it('stay visible after a failed reload, as does the catalogue, but not after a 403', async () => {
    const { trainee } = await scene();
    // A page number after the last page redirects to the last page.
    const page = await test.openAs(trainee, '/?page=2');
    await expect(page).toHaveURL(`${test.url}/?page=1`);
    const alerts = page.getByRole('main').getByRole('alert');
    const answerWith = (status: number) =>
      page.route(/api\/(courses|enrollments)/, (route) => route.fulfill({ status, json: {} }));
    test.expectErrors(page, /status of (403|500|503)/);
    await page.getByRole('button', { name: 'Materials of Compilers' }).click();
    await expect(page.getByRole('link', { name: 'Exercise 1.txt' })).toBeVisible();
    await answerWith(503);
    await returnToPage(page);
    await expect(alerts).toHaveCount(2);
    await expect(cards(page)).toHaveCount(3);
    await expect(page.getByRole('link', { name: 'Exercise 1.txt' })).toBeVisible();

    await page.unrouteAll();
    await page.goto(`${test.url}/catalogue?limit=1&page=4`);
    await expect(page.getByText('3 to 3 of 3')).toBeVisible();
    await answerWith(500);
    await returnToPage(page);
    await expect(alerts).toHaveCount(1);
    await expect(cards(page)).toHaveCount(1);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Previous page' }).click();
    await expect(page.getByText('2 to 2 of 3')).toBeVisible();
    await expect(alerts).toHaveCount(0);
    await answerWith(403);
    await returnToPage(page);
    await expect(alerts).toContainText('You may not see this.');
    await expect(cards(page)).toHaveCount(0);
  });

  it('lead to the catalogue if there are none', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const page = await test.openAs(await buildUser(test.context));
    await expect(page.getByText('You have no courses yet.')).toBeVisible();
    await page.getByRole('link', { name: 'Find a course' }).click();
    await expect(page.getByText('There are no running or upcoming courses in the catalogue.')).toBeVisible();
  });

  it('show enrollment days in the time zone of the browser, and course dates in none', async () => {
    const { trainee, compilers } = await scene();
    // In Auckland, it is already the next morning.
    const evening = new Date('2026-03-01T20:00:00Z');
    await compilers.update({ startDate: '2026-03-01', endDate: '2026-06-30' });
    await test.context.database.models.Enrollment.update({ enrolledAt: evening }, { where: { userId: trainee.id } });
    const page = await test.openAs(trainee, '/', { timezoneId: 'Pacific/Auckland' });
    await expect(cards(page).filter({ hasText: 'Compilers' })).toContainText('2 Mar 2026');
    await page.goto(`${test.url}/catalogue/${compilers.id}`);
    await expect(page.getByText('1 Mar 2026 to 30 Jun 2026')).toBeVisible();
  });
});
