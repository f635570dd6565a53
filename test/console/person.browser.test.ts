import type { Page } from '@playwright/test';
import request from 'supertest';
import { buildCourse, buildEnrollment, buildUser, factoryPassword, tokenFor } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect, holdRequests, settled } from './support/browser.js';
import {
  answerLeaving,
  asksBeforeClosing,
  type ConsoleTest,
  returnToPage,
  signInAt,
  useConsole,
} from './support/console.js';
import { layoutProblems } from './support/layout.js';

async function buildScene({ context }: ConsoleTest) {
  const admin = await buildUser(context, { role: 'super_admin', firstName: 'Ada', lastName: 'Admin' });
  const trainer = await buildUser(context, { role: 'trainer' });
  const trainee = await buildUser(context, { firstName: 'Tia', lastName: 'Trainee', email: 'tia@example.org' });
  const course = await buildCourse(context, trainer, { title: 'Compilers' });
  await buildEnrollment(context, trainee, course, { status: 'active', progress: 40 });
  return { admin, trainer, trainee };
}

const save = (page: Page) => page.getByRole('button', { name: 'Save' });

describePages('A person', function () {
  this.timeout(scaled(120_000));
  const test = useConsole();

  it('can be edited, with a question before unsaved changes are lost', async () => {
    const { admin, trainee } = await buildScene(test);
    const page = await test.openAs(admin, `/people/${trainee.id}`);
    await expect(save(page)).toBeDisabled();
    await page.getByLabel('First name').fill('Mia');
    await page.getByRole('link', { name: 'Courses' }).click();
    await answerLeaving(page, 'Keep editing', 'First name');
    await expect(page.getByLabel('First name')).toHaveValue('Mia');

    await page.getByLabel('Email').fill('no address');
    test.expectErrors(page, /status of 400/);
    await save(page).click();
    await expect(page.getByLabel('Email')).toHaveAttribute('aria-invalid', 'true');
    await page.getByLabel('Email').fill('mia@example.org');
    // Saving ends after all shown data is fetched again. The saved values must not count as changes by somebody else.
    const release = await holdRequests(page, '**/api/auth/web-session');
    await save(page).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Mia Trainee' })).toBeVisible();
    await expect(page.getByText('Somebody else')).toHaveCount(0);
    release();
    await expect(page.getByText('Saved.')).toBeVisible();
    await expect(save(page)).toBeDisabled();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('button', { name: /^Person changed, show changes/ }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('row', { name: 'First name Tia Mia' })).toBeVisible();
    await expect(dialog.getByRole('row', { name: 'Email tia@example.org mia@example.org' })).toBeVisible();
  });

  it('can be saved after a conflict, with the typed values and the changes by others', async () => {
    const { admin, trainee } = await buildScene(test);
    const page = await test.openAs(admin, `/people/${trainee.id}`);
    await page.getByLabel('First name').fill('Mia');
    await trainee.update({ firstName: 'Thea', lastName: 'Other' });
    await save(page).click();
    const warning = page.getByRole('alert').filter({ hasText: 'Somebody else' });
    await expect(warning).toContainText('since you opened them: First name.');

    // The account is fetched again after each action.
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Deactivate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await expect(page.getByText('Inactive', { exact: true })).toBeVisible();
    await expect(page.getByLabel('First name')).toHaveValue('Mia');

    await expect(page.getByLabel('Last name')).toHaveValue('Other');
    await save(page).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Mia Other' })).toBeVisible();
    await expect(save(page)).toBeDisabled();
    await trainee.reload();
    expect([trainee.firstName, trainee.lastName]).toEqual(['Mia', 'Other']);
  });

  it('gets a new password, which stays visible until closed on purpose', async () => {
    const { admin, trainee } = await buildScene(test);
    const page = await test.openAs(admin, '/people');
    await page.getByRole('link', { name: 'Tia Trainee' }).click();
    await page.getByRole('button', { name: 'Reset password' }).click();
    await expect(page.getByRole('dialog')).toContainText('must change it at the next sign-in');
    // The password is shown before other data is fetched again.
    await holdRequests(page, `**/api/users/${trainee.id}`);
    const release = await holdRequests(page, '**/api/users/*/reset-password');
    await page.getByRole('dialog').getByRole('button', { name: 'Reset password' }).click();
    // Leaving the page before the password arrives asks a question.
    await page.goBack();
    await answerLeaving(page, 'Stay', 'will be lost.');
    expect(await asksBeforeClosing(page)).toBe(true);
    release();
    const dialog = page.getByRole('dialog', { name: 'New password of Tia Trainee' });
    const password = await dialog.getByLabel('New password', { exact: true }).inputValue();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await expect(dialog).toBeVisible();
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await expect(dialog).toBeHidden();

    const other = await test.open(test.url);
    await signInAt(other, 'tia@example.org', password);
    await expect(other.getByRole('heading', { name: 'Choose a password of your own' })).toBeVisible();
  });

  it('gets a new password, which stays visible when the session of the super admin ends', async () => {
    const { admin, trainee } = await buildScene(test);
    const page = await test.openAs(admin, `/people/${admin.id}`);
    await page.getByRole('link', { name: 'Change your password' }).click();
    await expect(page.getByLabel(/^Current password/)).toBeInViewport();
    await page.goBack();
    await expect(page.getByRole('heading', { level: 1, name: 'Ada Admin' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Reset password' })).toHaveCount(0);

    await page.goto(`${test.url}/people/${trainee.id}`);
    await page.getByRole('button', { name: 'Reset password' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset password' }).click();
    const field = page.getByRole('dialog').getByLabel('New password', { exact: true });
    await expect(field).toBeVisible();
    await settled(page);
    test.expectErrors(page, /status of 401/);
    await test.context.database.models.Session.destroy({ where: { userId: admin.id } });
    const refused = page.waitForResponse((response) => response.status() === 401);
    await returnToPage(page);
    await refused;
    await settled(page);
    // Fails if something covers the field.
    await field.click();
    const signInAgain = page.getByRole('dialog', { name: 'Sign in again' });
    await expect(signInAgain).toHaveCount(0);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await expect(signInAgain).toBeVisible();
  });

  it('is enrolled on their page; the page of a trainer lists their courses', async () => {
    const { admin, trainer, trainee } = await buildScene(test);
    await buildCourse(test.context, trainer, { title: 'Weaving', isPublished: true });
    const page = await test.openAs(admin, `/people/${trainee.id}?tab=enrollments`);
    await page.getByRole('button', { name: 'Enroll in a course' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Course' }).fill('weav');
    await page.getByRole('option', { name: 'Weaving' }).click();
    await dialog.getByRole('button', { name: 'Enroll in a course (1)' }).click();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await expect(page.getByRole('row').filter({ hasText: 'Weaving' })).toContainText('Taking part');
    await page.goto(`${test.url}/people/${trainer.id}`);
    await page.getByRole('tab', { name: 'Courses' }).click();
    await expect(page.getByRole('row').filter({ hasText: /Weaving|Compilers/ })).toHaveCount(2);
    await expect(page.getByRole('row').filter({ hasText: 'Weaving' })).toContainText('Published');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await layoutProblems(page)).toEqual([]);
    await page.goto(`${test.url}/courses`);
    await page.getByRole('searchbox').fill('Weavers');
    await expect(page.getByText('Nothing matches “Weavers”. Try a part of it, or fewer words.')).toBeVisible();
  });

  it('is deactivated, activated and deleted after a confirmation, and has enrollments', async () => {
    const { admin, trainee } = await buildScene(test);
    const page = await test.openAs(admin, `/people/${trainee.id}`);
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: item }).click();
      await page.getByRole('dialog').getByRole('button', { name: item }).click();
      await expect(page.getByRole('dialog')).toBeHidden();
    };
    await choose('Deactivate');
    await expect(page.getByText('Inactive', { exact: true })).toBeVisible();
    await choose('Activate');
    await expect(page.getByText('Active', { exact: true })).toBeVisible();
    await page.getByRole('tab', { name: 'Enrollments' }).click();
    const enrollment = page.getByRole('row').filter({ hasText: 'Taking part' });
    await expect(enrollment).toContainText('40%');
    await expect(enrollment.getByRole('link', { name: 'Compilers' })).toHaveAttribute('href', /^\/courses\//);

    // Without a network, the person is not deleted, and not later either.
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    test.expectErrors(page, /ERR_INTERNET_DISCONNECTED|status of 404/);
    await page.context().setOffline(true);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(dialog.getByRole('alert')).toHaveText('Your device is offline.');
    await page.context().setOffline(false);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await settled(page);
    expect(await test.context.database.models.User.findByPk(trainee.id)).not.toBeNull();
    // Pages are fetched even if the browser reports that it is offline.
    await page.evaluate(() => window.dispatchEvent(new Event('offline')));
    await page.getByRole('tab', { name: 'Sessions' }).click();
    await expect(page.getByText('Not signed in anywhere.')).toBeVisible();

    await choose('Delete');
    await expect(page.getByRole('heading', { level: 1, name: 'People' })).toBeVisible();
    await expect(page.getByRole('table')).not.toContainText('Tia Trainee');
    await page.goto(`${test.url}/people/${trainee.id}`);
    await expect(page.getByText('There is no such person.')).toBeVisible();
  });

  it('can be unlocked after too many wrong passwords', async () => {
    const { admin, trainee } = await buildScene(test);
    const identifier = 'tia@example.org';
    for (let attempt = 0; attempt < 10; attempt += 1)
      await request(test.url).post('/api/auth/login').send({ identifier, password: 'wrong-password' }).expect(401);
    const page = await test.openAs(admin, `/people/${trainee.id}`);
    await expect(page.getByText('Locked', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Unlock' }).click();
    await expect(page.getByRole('dialog')).toContainText(/the lock ends by itself in \d+ (minute|second)/);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.clock.setFixedTime(Date.now() + 3_600_000);
    await page.getByRole('button', { name: 'Unlock' }).click();
    await expect(page.getByRole('dialog')).toContainText('the lock ends by itself now.');
    await page.getByRole('dialog').getByRole('button', { name: 'Unlock' }).click();
    await expect(page.getByText('Locked', { exact: true })).toBeHidden();
    await expect(page.getByRole('button', { name: 'Unlock' })).toBeHidden();
  });

  it('has sessions, which the super admin can see and end', async () => {
    const { admin, trainee } = await buildScene(test);
    await tokenFor(test.context, trainee);
    const other = await test.open(test.url);
    await signInAt(other, 'tia@example.org', factoryPassword);
    await other.getByRole('banner').waitFor();
    const page = await test.openAs(admin, `/people/${trainee.id}?tab=sessions`);
    const row = page.getByRole('row').filter({ hasText: 'Chrome' });
    await expect(row).toContainText('127.0.0.1');
    await row.getByRole('button', { name: 'End' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await expect(row).toBeHidden();
    test.expectErrors(other, /status of 401/);
    await other.reload();
    await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible();

    await page.getByRole('button', { name: 'End all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all' }).click();
    await expect(page.getByText('Not signed in anywhere.')).toBeVisible();
  });
});
