import { buildTrainees, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { rowsInBytes } from '../support/workbooks.js';
import { describePages, expect, holdRequests } from './support/browser.js';
import { answerLeaving, type ConsoleTest, signInAt, useConsole } from './support/console.js';
import { row } from './support/courses.js';
import { chooseFormat, downloadBytes, downloadText } from './support/imports.js';

async function buildPeople({ context }: ConsoleTest) {
  const admin = await buildUser(context, { role: 'super_admin', firstName: 'Ada', lastName: 'Admin' });
  await buildUser(context, { role: 'trainer', firstName: 'Tom', lastName: 'Trainer' });
  for (let number = 10; number < 35; number += 1)
    await buildUser(context, {
      firstName: 'Tia',
      lastName: `Trainee${number}`,
      email: `tia${number}@example.org`,
      isActive: number % 5 !== 0,
      requiresPasswordChange: number % 2 === 0,
    });
  return admin;
}

describePages('People', function () {
  this.timeout(scaled(120_000));
  const test = useConsole();

  it('are searched, filtered, sorted and exported, with chosen columns; the list survives Back and a reload', async () => {
    const admin = await buildPeople(test);
    const page = await test.openAs(admin, '/people');
    await expect(page.getByText('1 to 20 of 27')).toBeVisible();

    await page.getByLabel('Role').selectOption('Trainee');
    await page.getByLabel('May sign in').selectOption('Inactive');
    await page.getByLabel('Password').selectOption('Initial password');
    await expect(page.getByText('1 to 3 of 3')).toBeVisible();
    await page.getByRole('button', { name: 'Sort by Name' }).click();
    await expect(page.getByRole('row').nth(1)).toContainText('Trainee10');
    // Types about as fast as the search field sends: no letter may be lost.
    await page.getByRole('searchbox').pressSequentially('tia20@', { delay: 305 });
    await expect(page.getByText('1 to 1 of 1')).toBeVisible();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Phone' }).click();
    await expect(page).toHaveURL(/columns=/);

    await page.reload();
    await expect(page.getByRole('columnheader', { name: 'Phone' })).toBeVisible();
    await expect(page.getByText('1 to 1 of 1')).toBeVisible();
    await expect(page.getByRole('searchbox')).toHaveValue('tia20@');
    await page.getByRole('link', { name: 'Tia Trainee20' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Tia Trainee20' })).toBeVisible();
    await page.goBack();
    await expect(page.getByLabel('Role')).toHaveValue('trainee');
    await expect(page.getByText('1 to 1 of 1')).toBeVisible();
    const csv = await downloadText(page, () => chooseFormat(page, 'Export', 'CSV'));
    expect(csv.trim().split('\n')).toHaveLength(2);
    expect(csv).toContain('Trainee20');
    const workbook = await downloadBytes(page, () => chooseFormat(page, 'Export', 'Excel'));
    const [, person] = await rowsInBytes(workbook);
    expect(person?.slice(0, 3)).toEqual(csv.trim().split('\n')[1]?.split(',').slice(0, 3));

    await page.getByRole('searchbox').fill('nobody of this name');
    await expect(page.getByText('Nothing matches “nobody of this name”.')).toBeVisible();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await expect(page.getByText('1 to 20 of 27')).toBeVisible();
  });

  it('are counted up to 10,000, and in full on the last page', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    await buildTrainees(test.context, 10_020);
    const page = await test.openAs(admin, '/people');
    await expect(page.getByText('More than 10,000 accounts')).toBeVisible();
    await expect(page.getByText('1 to 20 of more than 10,000')).toBeVisible();
    await page.getByRole('button', { name: 'Page 501', exact: true }).click();
    await expect(page.getByText('10,001 to 10,020 of more than 10,020')).toBeVisible();
    await page.getByRole('button', { name: 'Page 502', exact: true }).click();
    await expect(page.getByText('10,021 to 10,021 of 10,021')).toBeVisible();
    await expect(page.getByText('10,021 accounts')).toBeVisible();
  });

  it('are created with a generated initial password, which stays visible until closed on purpose', async () => {
    const admin = await buildPeople(test);
    const page = await test.openAs(admin, '/people');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'New person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('First name').fill('Nia');
    await dialog.getByLabel('Last name').fill('New');
    await dialog.getByLabel('Email').fill('tia10@example.org');
    test.expectErrors(page, /status of 400/);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expect(dialog.getByRole('alert')).toBeVisible();
    await dialog.getByLabel('Email').fill('nia@example.org');
    // The password is shown before the list is fetched again.
    const release = await holdRequests(page, '**/api/users?*');
    await dialog.getByRole('button', { name: 'Create' }).click();

    await expect(dialog.getByText('Nia New was created')).toBeVisible();
    const password = await dialog.getByRole('textbox', { name: 'Password' }).inputValue();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await expect(dialog.getByRole('textbox', { name: 'Password' })).toHaveValue(password);
    await dialog.getByRole('button', { name: 'Copy' }).last().click();
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toBe(password);
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await expect(dialog).toBeHidden();
    release();
    await expect(row(page, 'Nia New')).toBeVisible();

    const tab = await test.open(test.url);
    await signInAt(tab, 'nia@example.org', password);
    await expect(tab.getByRole('heading', { name: 'Choose a password of your own' })).toBeVisible();
  });

  it('are not lost by leaving the page without a question, and show errors at their fields', async () => {
    const admin = await buildPeople(test);
    const page = await test.openAs(admin);
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('button', { name: 'New person' }).click();
    const dialog = page.getByRole('dialog', { name: 'New person' });
    await dialog.getByLabel('First name').fill('Nia');
    await dialog.getByLabel('Last name').fill('New');
    await dialog.getByLabel('Email').fill('nobody');
    await page.goBack();
    await answerLeaving(page, 'Keep editing', 'First nameLast nameEmail');
    test.expectErrors(page, /status of 400/);
    const release = await holdRequests(page, '**/api/users');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expect(dialog.getByRole('button', { name: 'Close' })).toBeDisabled();
    await page.goBack();
    await answerLeaving(page, 'Stay', 'will be lost.');
    release();
    await expect(dialog.getByLabel('Email')).toHaveAttribute('aria-invalid', 'true');
    await expect(dialog.getByLabel('Email')).toBeFocused();
  });
});
