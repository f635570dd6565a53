import type { Page } from '@playwright/test';
import { buildCourse, buildEnrollment, buildMaterial, buildUser, factoryPassword } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect, keepScreenshot, settled, widthBeyondWindow } from './support/browser.js';
import { answerLeaving, readAgain, useConsole } from './support/console.js';

const cards = (page: Page) => page.getByRole('article');
const place = (page: Page) => page.getByRole('region', { name: 'Your place' });

describePages('The catalogue', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  async function scene() {
    const { context } = test;
    await buildUser(context, { role: 'super_admin' });
    const trainer = await buildUser(context, { role: 'trainer', firstName: 'Tom', lastName: 'Trainer' });
    const trainee = await buildUser(context, { firstName: 'Tia', lastName: 'Trainee' });
    const compilers = await buildCourse(context, trainer, {
      title: 'Compilers',
      isPublished: true,
      maxStudents: 2,
      category: 'Computing',
      level: 'advanced',
      shortDescription: 'From source text to machine code.',
      learningOutcomes: 'Parsing\nOptimising',
      tagsJson: '["parsers","types"]',
      startDate: '2026-03-01',
      endDate: '2026-06-30',
    });
    const pottery = await buildCourse(context, trainer, {
      title: 'Pottery',
      isPublished: true,
      maxStudents: 1,
      category: 'Crafts',
      level: 'beginner',
    });
    await buildCourse(context, trainer, { title: 'Secret', isPublished: false });
    await buildEnrollment(context, await buildUser(context), pottery, { status: 'active' });
    return { trainer, trainee, compilers, pottery };
  }

  it('shows published courses with their seats, searches and filters them, and keeps that in the address', async () => {
    const { trainee } = await scene();
    const page = await test.openAs(trainee, '/catalogue');
    await expect(cards(page)).toHaveCount(2);
    await expect(cards(page).filter({ hasText: 'Compilers' })).toContainText('2 of 2 seats left');
    await expect(cards(page).filter({ hasText: 'Pottery' })).toContainText('Full');
    await keepScreenshot(page, 'catalogue cards');

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
  });

  it('lets a trainee ask for a place once, and cancel the request', async () => {
    const { trainee, compilers } = await scene();
    const page = await test.openAs(trainee, `/catalogue/${compilers.id}`);
    await page.getByLabel('Message to the trainer (optional)').fill('I know C.');
    await page.getByRole('button', { name: 'Ask for a place' }).dblclick();
    await expect(place(page)).toContainText('The trainer has not answered yet.');
    await expect(place(page)).toContainText('I know C.');
    await expect(page.getByText('1 of 2 seats left')).toBeVisible();
    await keepScreenshot(page, 'catalogue course requested');

    await place(page).getByRole('button', { name: 'Cancel request' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel your request?' });
    await expect(dialog).toContainText('Your seat becomes free for others.');
    await keepScreenshot(page, 'catalogue cancel dialog');
    await dialog.getByRole('button', { name: 'Cancel request' }).click();
    await expect(place(page)).toContainText('You can ask again.');
    await page.getByRole('button', { name: 'Ask for a place' }).click();
    await expect(place(page)).toContainText('The trainer has not answered yet.');
  });

  it('keeps a message to the trainer while the course can not be read again, and when the session ends', async () => {
    const { trainee, compilers } = await scene();
    const page = await test.openAs(trainee, `/catalogue/${compilers.id}`);
    const message = page.getByLabel('Message to the trainer (optional)');
    await message.fill('I know C.');
    const leaving = answerLeaving(page);
    await page.getByRole('link', { name: 'My courses' }).click();
    await expect.poll(() => leaving.asked).toEqual(['There are changes that are not saved. Leave the page?']);
    test.expectErrors(page, /status of (500|401)/);
    await page.route(`**/api/courses/${compilers.id}*`, (route) => route.fulfill({ status: 500, json: {} }));
    await readAgain(page);
    const failure = page.getByRole('main').getByRole('alert');
    await expect(failure).toBeVisible();
    await expect(message).toHaveValue('I know C.');
    await page.unroute(`**/api/courses/${compilers.id}*`);
    await failure.getByRole('button', { name: 'Try again' }).click();
    await expect(failure).toBeHidden();

    await test.context.database.models.Session.destroy({ where: {} });
    await page.getByRole('button', { name: 'Ask for a place' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('Your session has ended.');
    await dialog.getByLabel(/^Password/).fill(factoryPassword);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(message).toHaveValue('I know C.');
    await settled(page);
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
    await page.getByRole('button', { name: 'Ask for a place' }).click();
    await expect(place(page)).toContainText('I know C.');
    await settled(page);
  });

  it('lets a trainee leave a course, and asks for nothing that is no longer theirs', async () => {
    const { trainee, trainer, compilers } = await scene();
    await buildEnrollment(test.context, trainee, compilers, { status: 'active' });
    await buildMaterial(test.context, compilers, { name: 'Exercise 1.txt', uploadedBy: trainer.id }, 'Write a parser.');
    const page = await test.openAs(trainee, `/catalogue/${compilers.id}`);
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
    });
    const leave = async () => {
      await page.getByRole('link', { name: 'Exercise 1.txt' }).waitFor();
      await place(page).getByRole('button', { name: 'Leave course' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Leave course' }).click();
    };
    await leave();
    await expect(place(page)).toContainText('You can ask again.');
    await expect(page.getByRole('link', { name: 'Exercise 1.txt' })).toBeHidden();
    await settled(page);
    expect(refused).toEqual([]);

    // One that isn't published can't be seen any more by those who have left it.
    await test.context.database.models.Enrollment.update({ status: 'active' }, { where: { userId: trainee.id } });
    await compilers.update({ isPublished: false });
    await page.reload();
    await leave();
    await expect(page.getByRole('heading', { level: 1, name: 'My courses' })).toBeVisible();
    await settled(page);
    expect(refused).toEqual([]);
  });

  it('says of a full course that it is full, also when the last seat went in the meantime', async () => {
    const { trainee, compilers, pottery } = await scene();
    const page = await test.openAs(trainee, `/catalogue/${pottery.id}`);
    await expect(place(page)).toContainText('There are no seats left in this course.');
    await expect(page.getByRole('button', { name: 'Ask for a place' })).toHaveCount(0);

    await page.goto(`${test.url}/catalogue/${compilers.id}`);
    await page.getByRole('button', { name: 'Ask for a place' }).waitFor();
    for (let seat = 0; seat < 2; seat += 1)
      await buildEnrollment(test.context, await buildUser(test.context), compilers, { status: 'active' });
    test.expectErrors(page, /status of 400/);
    await page.getByRole('button', { name: 'Ask for a place' }).click();
    await expect(page.getByRole('main').getByRole('alert')).toContainText('Course is at maximum capacity.');
  });

  it('gives materials to participants only', async () => {
    const { trainee, trainer, compilers } = await scene();
    const name = 'Exercise 1.txt';
    await buildMaterial(test.context, compilers, { name, uploadedBy: trainer.id }, 'Write a parser.');
    const page = await test.openAs(trainee, `/catalogue/${compilers.id}`);
    await expect(page.getByRole('button', { name: 'Ask for a place' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Materials' })).toHaveCount(0);

    await buildEnrollment(test.context, trainee, compilers, { status: 'active', progress: 40 });
    await page.reload();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name }).click();
    expect((await download).suggestedFilename()).toBe(name);
    await expect(place(page)).toContainText('40%');
    await keepScreenshot(page, 'catalogue course active');
  });

  it('says why a course is not shown', async () => {
    const { trainee } = await scene();
    const page = await test.openAs(trainee, '/catalogue');
    test.expectErrors(page, /status of 404/);
    await page.goto(`${test.url}/catalogue/00000000-0000-7000-8000-000000000000`);
    await expect(page.getByRole('main').getByRole('alert')).toContainText('Course not found');
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
    return { trainee };
  }

  it('are the first page, with status, progress and materials', async () => {
    const { trainee } = await scene();
    const page = await test.openAs(trainee);
    await expect(page.getByRole('heading', { level: 1, name: 'My courses' })).toBeVisible();
    await expect(cards(page)).toHaveCount(3);
    await expect(cards(page).filter({ hasText: 'Compilers' })).toContainText('40%');
    await page.getByRole('button', { name: 'Materials of Compilers' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Exercise 1.txt' }).click();
    expect((await download).suggestedFilename()).toBe('Exercise 1.txt');
    await keepScreenshot(page, 'own courses');
    await page.getByLabel('Status').selectOption('Completed');
    await expect(cards(page)).toHaveText([/Weaving/]);
    await page.reload();
    await expect(cards(page)).toHaveText([/Weaving/]);
  });

  it('take their progress from the trainee while they are active', async () => {
    const { trainee } = await scene();
    const page = await test.openAs(trainee);
    await page.getByRole('button', { name: 'Set progress of Compilers' }).click();
    const dialog = page.getByRole('dialog', { name: 'Progress: Compilers' });
    for (const typed of ['', '7,5', '150', '7.5']) {
      await dialog.getByLabel('Progress in percent').fill('');
      await dialog.getByLabel('Progress in percent').pressSequentially(typed);
      await expect(dialog).not.toContainText('Enter a whole number from 0 to 100.');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await expect(dialog).toContainText('Enter a whole number from 0 to 100.');
    }
    await dialog.getByLabel('Progress in percent').fill('75');
    await keepScreenshot(page, 'own courses progress');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toBeHidden();
    await expect(cards(page).filter({ hasText: 'Compilers' })).toContainText('75%');
    await expect(page.getByRole('button', { name: /^Set progress of/ })).toHaveCount(1);
  });

  it('lead to the own place in a course that is not published any more, and to cancelling its request', async () => {
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
    await keepScreenshot(page, 'catalogue course not published');
    await place(page).getByRole('button', { name: 'Cancel request' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel request' }).click();
    await expect(cards(page).filter({ hasText: 'Pottery' })).toContainText('Cancelled');
    await page.getByRole('link', { name: 'Pottery' }).click();
    await expect(place(page)).toContainText('This course takes no requests at the moment.');
  });

  it('and the catalogue go to their last page from one after it', async () => {
    const { trainee } = await scene();
    const page = await test.openAs(trainee, '/?page=2');
    for (const path of ['/?', '/catalogue?']) {
      await page.goto(`${test.url}${path}page=2`);
      await expect(page).toHaveURL(`${test.url}${path}page=1`);
      await expect(cards(page)).toHaveCount(3);
      await expect(page.getByText('1 to 3 of 3')).toBeVisible();
    }
  });

  it('and the catalogue stay when they can not be read again, but not when they may no longer be seen', async () => {
    const { trainee } = await scene();
    const page = await test.openAs(trainee);
    const alerts = page.getByRole('main').getByRole('alert');
    const answerWith = (status: number) =>
      page.route(/api\/(courses|enrollments)/, (route) => route.fulfill({ status, json: {} }));
    test.expectErrors(page, /status of (403|500|503)/);
    await page.getByRole('button', { name: 'Materials of Compilers' }).click();
    await expect(page.getByRole('link', { name: 'Exercise 1.txt' })).toBeVisible();
    await answerWith(503);
    await readAgain(page);
    await expect(alerts).toHaveCount(2);
    await expect(cards(page)).toHaveCount(3);
    await expect(page.getByRole('link', { name: 'Exercise 1.txt' })).toBeVisible();

    await page.unrouteAll();
    await page.goto(`${test.url}/catalogue?limit=1`);
    await expect(page.getByText('1 to 1 of 3')).toBeVisible();
    await answerWith(500);
    await readAgain(page);
    await expect(alerts).toHaveCount(1);
    await expect(cards(page)).toHaveCount(1);
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect(page.getByText('2 to 2 of 3')).toBeVisible();
    await expect(alerts).toHaveCount(1);
    await expect(cards(page)).toHaveCount(0);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Page 3' }).click();
    await expect(cards(page)).toHaveCount(1);
    await expect(alerts).toHaveCount(0);
    await answerWith(403);
    await readAgain(page);
    await expect(alerts).toContainText('You may not see this.');
    await expect(cards(page)).toHaveCount(0);
  });

  it('lead to the catalogue when there are none', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const page = await test.openAs(await buildUser(test.context));
    await expect(page.getByText('You have no courses yet.')).toBeVisible();
    await page.getByRole('link', { name: 'Find a course' }).click();
    await expect(page.getByText('There are no courses in the catalogue yet.')).toBeVisible();
  });

  it('fit a narrow screen', async () => {
    const { trainee } = await scene();
    const page = await test.openAs(trainee, '/', { viewport: { width: 360, height: 740 } });
    await page.getByRole('button', { name: 'Materials of Compilers' }).click();
    await page.getByRole('link', { name: 'Exercise 1.txt' }).waitFor();
    await keepScreenshot(page, 'own courses narrow');
    for (const path of ['/', '/catalogue']) {
      await page.goto(`${test.url}${path}`);
      await cards(page).first().waitFor();
      await keepScreenshot(page, `narrow ${path === '/' ? 'own' : 'catalogue'}`);
      expect(await widthBeyondWindow(page)).toBeLessThanOrEqual(0);
    }
  });

  it('have days in the zone of the browser; those of the course itself are in no zone', async () => {
    const { context } = test;
    await buildUser(context, { role: 'super_admin' });
    const trainer = await buildUser(context, { role: 'trainer' });
    const trainee = await buildUser(context);
    const course = (title: string) =>
      buildCourse(context, trainer, { title, isPublished: true, startDate: '2026-03-01', endDate: '2026-06-30' });
    const [compilers, pottery] = [await course('Compilers'), await course('Pottery')];
    // In Auckland it is the morning of the next day.
    const evening = new Date('2026-03-01T20:00:00Z');
    await buildMaterial(context, compilers, { createdAt: evening });
    await buildEnrollment(context, trainee, compilers, { status: 'active', enrolledAt: evening });
    await buildEnrollment(context, trainee, pottery, { status: 'completed', progress: 100, completedAt: evening });
    for (const [timezoneId, day] of [
      ['Pacific/Auckland', '2 Mar 2026'],
      ['America/Los_Angeles', '1 Mar 2026'],
    ] as const) {
      const page = await test.openAs(trainee, '/', { timezoneId });
      await expect(cards(page).filter({ hasText: 'Compilers' })).toContainText(day);
      await expect(cards(page).filter({ hasText: 'Pottery' })).toContainText(day);
      await page.getByRole('button', { name: 'Materials of Compilers' }).click();
      await expect(page.getByRole('listitem').filter({ hasText: 'notes.txt' })).toContainText(day);
      await page.goto(`${test.url}/catalogue/${compilers.id}`);
      await expect(page.getByText('1 Mar 2026 to 30 Jun 2026')).toBeVisible();
    }
  });
});
