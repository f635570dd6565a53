import type { Page } from '@playwright/test';
import { buildCourse, buildEnrollment, buildMail, buildTrainees, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect, horizontalOverflow } from './support/browser.js';
import { useConsole, useConsoleWithMail } from './support/console.js';
import { buildScene, dialog, row } from './support/courses.js';

const bar = (page: Page) => page.getByRole('region', { name: 'Selection' });
const day = 86_400_000;

describePages('Requests', function () {
  this.timeout(scaled(120_000));
  const test = useConsole();

  it('are accepted, 30 of 40 with a reply, in five clicks from the overview', async () => {
    const { trainer, course } = await buildScene(test);
    await course.update({ maxStudents: 60 });
    for (let number = 10; number < 50; number += 1) {
      const trainee = await buildUser(test.context, { firstName: 'Tia', lastName: `Trainee${number}` });
      const enrolledAt = new Date(Date.now() - (50 - number) * day);
      await buildEnrollment(test.context, trainee, course, { status: 'pending', enrolledAt });
    }
    const page = await test.openAs(trainer);
    await page.getByRole('link', { name: 'Compilers' }).click();
    const boxes = page.getByRole('checkbox', { name: /^Select Tia/ });
    await boxes.nth(0).click();
    await boxes.nth(29).click({ modifiers: ['Shift'] });
    await expect(page.getByText('30 selected')).toBeVisible();
    await expect(bar(page)).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('columnheader', { name: 'Trainee' })).toBeInViewport({ ratio: 1 });
    await bar(page).getByRole('button', { name: 'Accept (30)' }).click();
    await expect(dialog(page).getByLabel('Reply to all 30')).toBeFocused();
    await page.keyboard.type('See you in March.');
    await dialog(page).getByRole('button', { name: 'Accept' }).click();
    await expect(page.getByText('30 enrollments were changed.')).toBeVisible();
    const { Enrollment } = test.context.database.models;
    const accepted = { courseId: course.id, status: 'active' as const, reply: 'See you in March.' };
    expect(await Enrollment.count({ where: accepted })).toBe(30);
    await expect(row(page, 'Tia').first()).toContainText('Trainee40');
  });

  it('are grouped by course, the oldest first, without a course column for a single course', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    const weaving = await buildCourse(test.context, trainer, { title: 'Weaving', isPublished: true });
    for (const [index, trainee] of trainees.entries())
      await buildEnrollment(test.context, trainee, index % 2 ? course : weaving, {
        status: 'pending',
        enrolledAt: new Date(Date.now() - index * day),
      });
    const page = await test.openAs(trainer, '/enrollments?status=pending');
    const order = page.getByRole('combobox', { name: 'Order' });
    await expect(order.locator('option:checked')).toHaveText('By course, the oldest request first');
    await expect(row(page, '@')).toContainText([/Dia.*Compilers/, /Ben.*Compilers/, /Cem.*Weaving/, /Ann.*Weaving/]);
    await expect(page.getByRole('columnheader', { name: 'Progress' })).toHaveCount(0);
    await page.getByRole('button', { name: 'Sort by Requested' }).click();
    await expect(row(page, '@')).toContainText(['Dia', 'Cem', 'Ben', 'Ann']);
    await page.setViewportSize({ width: 360, height: 740 });
    await order.selectOption('By course, the oldest request first');
    await expect(row(page, '@')).toContainText([/Dia.*Compilers/, /Ben.*Compilers/, /Cem.*Weaving/, /Ann.*Weaving/]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${test.url}/enrollments?status=pending&courseId=${course.id}`);
    await expect(row(page, '@')).toContainText(['Dia', 'Ben']);
    await expect(row(page, '@').filter({ hasText: 'Compilers' })).toHaveCount(0);
    await expect(page.getByRole('columnheader', { name: 'Requested' })).toHaveAttribute('aria-sort', 'ascending');
  });

  it('take two lines in a wide window, also with a long message', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    const [ann] = trainees;
    if (ann) await buildEnrollment(test.context, ann, course, { status: 'pending', notes: 'This is why. '.repeat(40) });
    const page = await test.openAs(trainer, '/enrollments?status=pending', { viewport: { width: 1280, height: 800 } });
    await page.getByRole('button', { name: 'Show all: Ann Trainee' }).waitFor();
    expect((await row(page, 'Ann Trainee').boundingBox())?.height).toBeLessThan(72);
  });
});

describePages('Selections', function () {
  this.timeout(scaled(120_000));
  const test = useConsoleWithMail();

  it('cover ranges in both directions, and separate dangerous actions', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    await buildTrainees(test.context, 10);
    const page = await test.openAs(admin, '/people?role=trainee');
    const boxes = page.getByRole('checkbox', { name: /^Select Trainee/ });
    await boxes.nth(5).click();
    await boxes.nth(1).click({ modifiers: ['Shift'] });
    await expect(page.getByText('5 selected')).toBeVisible();
    await boxes.nth(3).click({ modifiers: ['Shift'] });
    await expect(page.getByText('2 selected')).toBeVisible();
    await bar(page).getByRole('button', { name: 'More actions' }).click();
    await expect(page.getByRole('menuitem')).toHaveText([
      ...['Add to group', 'Activate', 'Reset passwords', 'End sessions'],
      ...['Deactivate', 'Delete'],
    ]);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('of all failed mails can be sent again together', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const person = await buildUser(test.context);
    for (let number = 0; number < 25; number += 1)
      await buildMail(test.context, {
        kind: 'enrolled',
        userId: person.id,
        state: 'failed',
        nextAt: null,
        finishedAt: new Date(),
      });
    const page = await test.openAs(admin, '/mail?state=failed');
    await page.setViewportSize({ width: 360, height: 740 });
    await page.evaluate("localStorage.setItem('coursectl-language', 'de')");
    await page.reload();
    await page.getByRole('button', { name: /noch einmal senden$/ }).waitFor();
    expect(await horizontalOverflow(page)).toBeLessThanOrEqual(0);
    await page.evaluate("localStorage.removeItem('coursectl-language')");
    await page.reload();
    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Select all 25 that match' }).click();
    await bar(page).getByRole('button', { name: 'Send again (25)' }).click();
    await expect(page.getByText('25 mails are sent again.')).toBeVisible();
  });

  it('above the limit of the service say what to do', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    await buildTrainees(test.context, 1001);
    const page = await test.openAs(admin, '/people?role=trainee');
    await page.getByLabel('Select all on this page').check();
    await expect(bar(page)).toContainText('To select all that match, filter until 1,000 or fewer match.');
  });
});
