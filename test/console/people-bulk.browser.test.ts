import type { Page } from '@playwright/test';
import { buildCourse, buildEnrollment, buildTrainees, buildUser, tokenFor } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { rowsInBytes } from '../support/workbooks.js';
import { describePages, expect, holdRequests, settled } from './support/browser.js';
import {
  answerLeaving,
  asksBeforeClosing,
  type ConsoleTest,
  returnToPage,
  signInAt,
  useConsole,
} from './support/console.js';
import { chooseFormat, downloadBytes, downloadText } from './support/imports.js';

async function buildPeople({ context }: ConsoleTest) {
  const admin = await buildUser(context, { role: 'super_admin', firstName: 'Ada', lastName: 'Admin' });
  const trainer = await buildUser(context, { role: 'trainer', firstName: 'Tom', lastName: 'Trainer' });
  const course = await buildCourse(context, trainer, { title: 'Compilers', isPublished: true, maxStudents: 2 });
  const trainees = [];
  for (let number = 10; number < 35; number += 1)
    trainees.push(
      await buildUser(context, { firstName: 'Tia', lastName: `Trainee${number}`, email: `tia${number}@example.org` }),
    );
  return { admin, trainer, trainees, course };
}

const select = (page: Page, name: string) =>
  page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();

async function act(page: Page, action: string): Promise<void> {
  const bar = page.getByRole('region', { name: 'Selection' });
  if (action === 'Enroll in a course') return bar.getByRole('button', { name: action }).click();
  await bar.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

describePages('Many people', function () {
  this.timeout(scaled(120_000));
  const test = useConsole();

  it('are selected on several pages, and deactivated after a preview', async () => {
    const { admin, trainees } = await buildPeople(test);
    await trainees[0]?.update({ isActive: false });
    const page = await test.openAs(admin, '/people?sort=lastName');
    await select(page, 'Ada Admin');
    await select(page, 'Tia Trainee10');
    await page.getByRole('button', { name: 'Page 2' }).click();
    await select(page, 'Tia Trainee34');
    await expect(page.getByText('3 selected')).toBeVisible();
    await act(page, 'Deactivate');

    const dialog = page.getByRole('dialog', { name: 'Deactivate' });
    await expect(dialog.getByText('1 will be changed')).toBeVisible();
    await expect(dialog.getByRole('row', { name: 'Tia Trainee10 Stays as it is' })).toBeVisible();
    await expect(dialog.getByRole('row', { name: /^Ada Admin The super admin/ })).toBeVisible();
    await dialog.getByRole('button', { name: 'Deactivate (1)' }).click();
    await expect(dialog.getByText('1 done')).toBeVisible();
    await expect(dialog.getByRole('row', { name: 'Tia Trainee34 Done' })).toBeVisible();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await expect(page.getByRole('row').filter({ hasText: 'Trainee34' })).toContainText('Inactive');
    await expect(page.getByRole('region', { name: 'Selection' })).toBeHidden();
  });

  it('that match the filter get new passwords, which stay visible until closed on purpose and can be downloaded', async () => {
    const { admin } = await buildPeople(test);
    const page = await test.openAs(admin, '/people?role=trainee');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Select all 25 that match' }).click();
    await expect(page.getByText('25 selected')).toBeVisible();
    await act(page, 'Reset passwords');
    const dialog = page.getByRole('dialog', { name: 'Reset passwords' });
    const confirm = dialog.getByRole('button', { name: 'Reset passwords (25)' });
    await expect(confirm).toBeEnabled();
    // The passwords are shown before the list is fetched again.
    const release = await holdRequests(page, '**/api/users?*');
    await confirm.click();
    await expect(dialog.getByText('25 done')).toBeVisible({ timeout: scaled(20_000) });
    release();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await expect(dialog).toBeVisible();
    await page.emulateMedia({ media: 'print' });
    for (const part of [dialog, dialog.locator('.outcome-list')])
      expect(await part.evaluate(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)).toBe(true);
    await expect(page.getByRole('banner')).toBeHidden();
    await page.emulateMedia({ media: 'screen' });
    const csv = await downloadText(page, () => chooseFormat(page, 'Download', 'CSV'));
    const lines = csv.trim().split('\r\n');
    expect(lines).toHaveLength(26);
    const workbook = await downloadBytes(page, () => chooseFormat(page, 'Download', 'Excel'));
    const rows = await rowsInBytes(workbook);
    expect(rows.map((row) => row.slice(1).join(','))).toEqual(lines.map((line) => line.split(',').slice(1).join(',')));
    const [, email = '', password = ''] = lines[1]?.split(',') ?? [];
    await dialog.getByRole('button', { name: 'I have saved them' }).click();
    await expect(dialog).toBeHidden();

    const other = await test.open(test.url);
    await signInAt(other, email, password);
    await expect(other.getByRole('heading', { name: 'Choose a password of your own' })).toBeVisible();
  });

  it('get new passwords until the user confirms to leave the page, and no more afterwards', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    await buildTrainees(test.context, 101);
    const page = await test.openAs(admin);
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Select all 102 that match' }).click();
    await act(page, 'Reset passwords');
    const confirm = page.getByRole('button', { name: 'Reset passwords (101)' });
    await expect(confirm).toBeEnabled();
    const release = await holdRequests(page, '**/api/users/bulk');
    let requests = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/api/users/bulk')) requests += 1;
    });
    await confirm.click();
    await expect.poll(() => requests).toBe(1);
    expect(await asksBeforeClosing(page)).toBe(true);
    await page.goBack();
    await answerLeaving(page, 'Stay', 'will be lost.');
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.goBack();
    await answerLeaving(page, 'Leave', 'will be lost.');
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
    const answered = page.waitForResponse('**/api/users/bulk');
    release();
    await answered;
    await settled(page);
    expect(requests).toBe(1);
  });

  it('that match a filter are deselected when the filter changes, also after Back', async () => {
    const { admin } = await buildPeople(test);
    const page = await test.openAs(admin, '/people');
    await page.getByLabel('Role').selectOption('Trainee');
    const selectMatching = async () => {
      await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
      await page.getByRole('button', { name: 'Select all 25 that match' }).click();
      await expect(page.getByText('25 selected')).toBeVisible();
    };
    await selectMatching();
    await page.goBack();
    await expect(page.getByText('1 to 20 of 27')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Selection' })).toBeHidden();
    await page.goForward();
    await expect(page.getByText('1 to 20 of 25')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Selection' })).toBeHidden();

    await selectMatching();
    await page.getByRole('button', { name: 'Page 2' }).click();
    await expect(page.getByText('21 to 25 of 25')).toBeVisible();
    await expect(page.getByText('25 selected')).toBeVisible();

    // Single people can be deselected on every page.
    const first = page.getByRole('checkbox', { name: 'Select Tia Trainee10', exact: true });
    await first.uncheck();
    await expect(page.getByText('24 selected')).toBeVisible();
    await page.getByRole('button', { name: 'Page 1' }).click();
    await page.getByRole('checkbox', { name: 'Select Tia Trainee34', exact: true }).uncheck();
    await expect(page.getByText('23 selected')).toBeVisible();
    await page.getByRole('button', { name: 'Page 2' }).click();
    await expect(first).not.toBeChecked();
    await act(page, 'Deactivate');
    const dialog = page.getByRole('dialog', { name: 'Deactivate' });
    await dialog.getByRole('button', { name: 'Deactivate (23)' }).click();
    await expect(dialog.getByText('23 done')).toBeVisible();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    expect(await test.context.database.models.User.count({ where: { isActive: true, role: 'trainee' } })).toBe(2);
  });

  it('are enrolled in a course, with a reason for each refusal', async () => {
    const { admin, trainees, course } = await buildPeople(test);
    if (trainees[0]) await buildEnrollment(test.context, trainees[0], course, { status: 'active' });
    const page = await test.openAs(admin, '/people?sort=lastName');
    for (const name of ['Tia Trainee10', 'Tia Trainee11', 'Tia Trainee12', 'Ada Admin']) await select(page, name);
    await act(page, 'Enroll in a course');
    const dialog = page.getByRole('dialog', { name: 'Enroll in a course' });
    test.expectErrors(page, /status of 400/);
    await dialog.getByRole('combobox', { name: 'Course' }).fill('comp');
    await page.getByRole('option', { name: 'Compilers' }).click();
    await expect(dialog.getByRole('alert')).toContainText('too few free seats');
    await course.update({ maxStudents: 3 });
    await returnToPage(page);
    await expect(dialog.getByRole('row', { name: 'Ada Admin Only trainees are enrolled.' })).toBeVisible();
    await expect(dialog.getByRole('row', { name: /^Tia Trainee10 Already in this course/ })).toBeVisible();
    await dialog.getByRole('button', { name: 'Enroll in a course (2)' }).click();
    await expect(dialog.getByText('2 done')).toBeVisible();
    await expect(dialog.getByText('1 unchanged')).toBeVisible();
    await expect(dialog.getByText('1 refused')).toBeVisible();
    await expect(dialog.getByRole('row', { name: /^Tia Trainee10 Already in this course/ })).toBeVisible();
  });

  it('that match a filter are all selected, although some leave the filter during the selection', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    await buildTrainees(test.context, 105);
    await buildCourse(test.context, await buildUser(test.context, { role: 'trainer' }), { title: 'Weaving' });
    const page = await test.openAs(admin, '/people?role=trainee&isActive=true');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.route(
      '**/api/users?*limit=100*',
      async (route) => {
        const response = await route.fetch();
        const { users } = await response.json();
        const leaving = [users[0].id, users[99].id];
        await test.context.database.models.User.update({ isActive: false }, { where: { id: leaving } });
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Select all 105 that match' }).click();
    await expect(page.getByText('105 selected')).toBeVisible();
    await act(page, 'Enroll in a course');
    await page.getByRole('dialog').getByRole('combobox', { name: 'Course' }).click();
    await page.getByRole('option', { name: 'Weaving' }).click();
    await expect(page.getByRole('button', { name: 'Enroll in a course (103)' })).toBeVisible();
  });

  it('can have their sessions ended, and be deleted', async () => {
    const { admin, trainees } = await buildPeople(test);
    const [first] = trainees;
    if (!first) throw new Error('There are trainees.');
    await tokenFor(test.context, first);
    const page = await test.openAs(admin, '/people?search=trainee1&sort=lastName');
    for (const [action, button, done] of [
      ['End sessions', 'End sessions (1)', '1 done'],
      ['Delete', 'Delete (2)', '2 done'],
    ] as const) {
      await select(page, 'Tia Trainee10');
      await select(page, 'Tia Trainee11');
      await act(page, action);
      await page.getByRole('button', { name: button }).click();
      await expect(page.getByRole('dialog').getByText(done)).toBeVisible();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
      expect(await test.context.database.models.Session.count({ where: { userId: first.id } })).toBe(0);
    }
    await expect(page.getByText('1 to 8 of 8')).toBeVisible();
  });
});
