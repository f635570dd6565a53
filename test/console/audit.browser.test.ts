import { registerUser } from '../../src/services/accounts/create-user.js';
import { deleteUser } from '../../src/services/accounts/delete-user.js';
import { setUserActive, updateUser } from '../../src/services/accounts/update-user.js';
import { operator } from '../../src/services/core.js';
import { createCourse, updateCourse } from '../../src/services/courses/commands.js';
import { buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect } from './support/browser.js';
import { type ConsoleTest, useConsole } from './support/console.js';

/** Makes changes as the super admin and as an operator. */
async function buildLog({ context }: ConsoleTest) {
  const admin = await buildUser(context, { role: 'super_admin', firstName: 'Ada', lastName: 'Admin' });
  const trainer = await buildUser(context, { role: 'trainer', firstName: 'Tom', lastName: 'Trainer' });
  const byAdmin = { actorId: admin.id, origin: 'http', ip: '192.0.2.1', role: 'super_admin' } as const;
  const person = { firstName: 'Tia', lastName: 'Trainee', email: 'tia@example.org', phone: '+1 555 7654321' };
  const trainee = await registerUser(context, byAdmin, {
    ...person,
    role: 'trainee',
    password: 'a-long-password-here',
  });
  await updateUser(context, byAdmin, trainee.id, { lastName: 'Other', phone: '+1 555 1234567' });
  await setUserActive(context, operator, trainee.id, false);
  await createCourse(context, byAdmin, { title: 'Compilers', description: 'All of it.', trainerId: trainer.id });
  return { admin, trainee };
}

describePages('The audit log', function () {
  this.timeout(scaled(120_000));
  const test = useConsole();

  it('shows who changed what, with links and the values before and after', async () => {
    const { admin, trainee } = await buildLog(test);
    const page = await test.openAs(admin, '/audit');
    await expect(page.getByText('Times are in the zone Europe/Berlin.')).toBeVisible();
    const row = page.getByRole('row').filter({ hasText: 'Person changed' });
    await expect(row.getByRole('link', { name: 'Ada Admin' })).toHaveAttribute('href', `/people/${admin.id}`);
    await expect(row.getByRole('link', { name: 'Tia Other' })).toHaveAttribute('href', `/people/${trainee.id}`);
    await expect(page.getByRole('row').filter({ hasText: 'Person deactivated' })).toContainText('Operator');
    await row.getByRole('button', { name: /^Person changed, show changes: Last name, Phone/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Person changed' });
    await expect(dialog.getByRole('row', { name: 'Last name Trainee Other' })).toBeVisible();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Course created/ }).click();
    const course = page.getByRole('dialog', { name: 'Course created' });
    await expect(course.getByRole('link', { name: 'Tom Trainer' })).toBeVisible();
  });

  it('names deleted accounts if the entry has the name, and links to their history', async () => {
    const { admin, trainee } = await buildLog(test);
    const second = await buildUser(test.context, { role: 'trainer', firstName: 'Gus', lastName: 'Gone' });
    const byGus = { actorId: second.id, origin: 'http', ip: null, role: 'trainer' } as const;
    const { Course } = test.context.database.models;
    const course = await Course.findOne({ rejectOnEmpty: true });
    await course.update({ trainerId: second.id });
    await updateCourse(test.context, byGus, course.id, { title: 'Compilers II' });
    await course.update({ trainerId: admin.id });
    await deleteUser(test.context, operator, trainee.id);
    await deleteUser(test.context, operator, second.id);
    const page = await test.openAs(admin, '/audit');
    // The picker of the page also requests the deleted account.
    test.expectErrors(page, /status of 404/);
    const rowOf = (text: string) => page.getByRole('row').filter({ hasText: text });
    await expect(rowOf('Person deleted').filter({ hasText: 'Tia Other' })).toContainText('(tia@example.org), deleted');
    await rowOf('Person deactivated').getByRole('link', { name: 'deleted' }).click();
    await expect(page).toHaveURL(new RegExp(`targetType=user&target=${trainee.id}`));
    await expect(page.getByText('1 to 4 of 4')).toBeVisible();
    await page.goBack();
    await rowOf('Course changed').getByRole('link', { name: 'deleted' }).click();
    await expect(page).toHaveURL(new RegExp(`actor=${second.id}`));
    await expect(page.getByText('1 to 1 of 1')).toBeVisible();
  });

  it('filters by actor, action, object and time, and keeps the filters in the URL', async () => {
    const { admin, trainee } = await buildLog(test);
    const page = await test.openAs(admin, '/audit');
    await expect(page.getByText('1 to 4 of 4')).toBeVisible();
    await page.getByRole('combobox', { name: 'Made by' }).fill('ada');
    await page.getByRole('option', { name: 'Ada Admin' }).click();
    await expect(page.getByText('1 to 3 of 3')).toBeVisible();
    await page.getByLabel('Action').selectOption('Person changed');
    await expect(page.getByText('1 to 1 of 1')).toBeVisible();
    await page.reload();
    await expect(page.getByText('1 to 1 of 1')).toBeVisible();
    await expect(page.getByRole('combobox', { name: 'Made by' })).toHaveValue('Ada Admin');
    await page.getByRole('button', { name: 'Clear Made by' }).click();
    await expect(page.getByRole('combobox', { name: 'Made by' })).toHaveValue('');
    await expect(page.getByRole('combobox', { name: 'Made by' })).toBeFocused();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect(page.getByText('1 to 4 of 4')).toBeVisible();
    await page.getByLabel('Kind of object').selectOption('Person');
    await page.getByRole('combobox', { name: 'Person' }).fill('tia');
    await page.getByRole('option', { name: 'Tia Other' }).click();
    await expect(page.getByText('1 to 3 of 3')).toBeVisible();
    expect(new URL(page.url()).searchParams.get('target')).toContain(trainee.id);
    await page.getByLabel('Until').fill('2000-01-02');
    await expect(page.getByText('Nothing matches these filters.')).toBeVisible();
  });

  it('filters by a day only after its year is typed completely, and adds no entries to the browser history', async () => {
    const { admin } = await buildLog(test);
    const page = await test.openAs(admin, '/people', { locale: 'en-US' });
    await page.getByRole('link', { name: 'Audit log' }).click();
    await expect(page.getByText('1 to 4 of 4')).toBeVisible();
    const from = page.getByLabel('From', { exact: true });
    await from.focus();
    // Types slower than the filter's delay.
    await page.keyboard.type('05012020', { delay: 400 });
    await expect(page).toHaveURL(`${test.url}/audit?from=2020-05-01`);
    await expect(from).toHaveValue('2020-05-01');
    await expect(page.getByText('1 to 4 of 4')).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL(`${test.url}/people`);
    await page.goForward();
    await expect(from).toHaveValue('2020-05-01');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect(from).toHaveValue('');
    await from.fill('0026-05-01');
    await page.getByLabel('Until').focus();
    await expect(page.getByText('Enter the full date, from the year 1900 on.')).toBeVisible();
    await expect(page).toHaveURL(`${test.url}/audit`);
  });
});
