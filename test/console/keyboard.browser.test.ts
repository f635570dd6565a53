import type { Locator, Page } from '@playwright/test';
import { buildEnrollment, buildUser, factoryPassword } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect } from './support/browser.js';
import { useConsole } from './support/console.js';
import { buildScene, dialog, row } from './support/courses.js';

const isFocused = (target: Locator) => target.evaluate((element) => element === document.activeElement);

/** Presses Tab until a control has the focus. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await expect(target).toBeVisible();
  for (let presses = 0; presses < 120 && !(await isFocused(target)); presses += 1) await page.keyboard.press(key);
  await expect(target).toBeFocused();
}

/** Moves to a control by Tab, and presses a key. */
async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

async function type(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

describePages('With the keyboard alone, a user', function () {
  this.timeout(scaled(120_000));
  const test = useConsole();

  it('signs in, changes the first password, and signs out', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const user = await buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee', requiresPasswordChange: true });
    const page = await test.open(test.url);
    test.expectErrors(page, /status of 40[01]/);
    const password = page.getByRole('textbox', { name: 'Password' });
    await press(page, page.getByRole('button', { name: 'Sign in' }));
    // The first refused field gets the focus.
    await expect(page.getByLabel('Email or phone')).toBeFocused();
    await page.keyboard.type(user.email);
    await type(page, password, factoryPassword);
    await page.keyboard.press('Enter');

    await expect(heading(page, 'Choose a password of your own')).toBeVisible();
    const again = page.getByRole('textbox', { name: 'New password again' });
    await type(page, page.getByRole('textbox', { name: 'New password' }).first(), 'my-own-password');
    await type(page, again, 'another-password');
    await page.keyboard.press('Enter');
    await expect(again).toBeFocused();
    await expect(again).toHaveAccessibleDescription(/not the same/);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('my-own-password');
    await page.keyboard.press('Enter');

    await expect(heading(page, 'My courses')).toBeFocused();
    const account = page.getByRole('button', { name: 'Account menu for Tia Trainee' });
    await tabTo(page, account, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitem', { name: 'Profile' })).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(heading(page, 'Sign in')).toBeVisible();
  });

  it('reaches every screen by the menu, and the content by the skip link', async () => {
    const { admin } = await buildScene(test);
    const page = await test.openAs(admin);
    for (const name of ['People', 'Imports', 'Courses', 'Enrollments', 'Audit log', 'Overview']) {
      await page.reload();
      await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
      await tabTo(page, page.getByRole('navigation').getByRole('link', { name, exact: true }), 'Shift+Tab');
      await page.keyboard.press('Enter');
      await expect(heading(page, name)).toBeFocused();
    }
    await page.goBack();
    await expect(heading(page, 'Audit log')).toBeFocused();
    const skip = page.getByRole('link', { name: 'Skip to content' });
    await tabTo(page, skip, 'Shift+Tab');
    await expect(skip).toBeInViewport();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('main')).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('main').locator(':focus')).toHaveCount(1);
  });

  it('stays in a dialog, and returns to the control that opened it, also to the menu of a row', async () => {
    const { admin } = await buildScene(test);
    const page = await test.openAs(admin, '/people');
    const opener = page.getByRole('button', { name: 'New person' });
    await press(page, opener);
    for (let presses = 0; presses < 15; presses += 1) {
      await expect(dialog(page).locator(':focus')).toHaveCount(1);
      await page.keyboard.press(presses < 12 ? 'Tab' : 'Shift+Tab');
    }
    test.expectErrors(page, /status of 400/);
    await press(page, dialog(page).getByRole('button', { name: 'Create' }));
    await expect(dialog(page).getByLabel('First name')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toBeHidden();
    await expect(opener).toBeFocused();

    await page.goto(`${test.url}/courses`);
    const menu = page.getByRole('button', { name: 'Actions for Pottery' });
    const openLast = async () => {
      await expect(page.getByRole('menuitem').first()).toBeFocused();
      await page.keyboard.press('End');
      await expect(page.getByRole('menuitem').last()).toBeFocused();
      await page.keyboard.press('Enter');
    };
    await press(page, menu);
    await openLast();
    await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(menu).toBeFocused();
    // After the row is deleted, the list gets the focus.
    await page.keyboard.press('Enter');
    await openLast();
    await press(page, dialog(page).getByRole('button', { name: 'Delete course' }));
    await expect(row(page, 'Pottery')).toHaveCount(0);
    await expect(page.getByRole('region', { name: 'Courses' })).toBeFocused();
  });

  it('filters, sorts and pages a list, and chooses from a searched list', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    for (const trainee of trainees) await buildEnrollment(test.context, trainee, course, { status: 'pending' });
    const page = await test.openAs(trainer, '/enrollments?limit=2');
    await expect(page.getByText('1 to 2 of 4')).toBeVisible();
    await tabTo(page, page.getByLabel('Status'));
    await page.keyboard.type('Requested');
    await expect(page).toHaveURL(/status=pending/);
    await press(page, page.getByRole('button', { name: 'Next page' }));
    await expect(page.getByText('3 to 4 of 4')).toBeVisible();
    await page.goto(`${test.url}/enrollments`);
    await type(page, page.getByRole('combobox', { name: 'Course' }), 'comp');
    await expect(page.getByRole('option', { name: 'Compilers' })).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/courseId=/);
    await type(page, page.getByRole('searchbox'), 'Ann');
    await expect(page.getByText('1 to 1 of 1')).toBeVisible();
    await press(page, page.getByLabel('Select Ann Trainee'), 'Space');
    await press(page, page.getByRole('button', { name: 'Accept (1)' }));
    await press(page, dialog(page).getByRole('button', { name: 'Accept' }));
    await expect(row(page, 'Ann Trainee')).toContainText('Taking part');
    await expect(page.locator('body')).not.toBeFocused();
  });

  it('imports a file', async () => {
    const { admin } = await buildScene(test);
    const page = await test.openAs(admin, '/imports');
    const choosing = page.waitForEvent('filechooser');
    await press(page, page.getByRole('button', { name: 'Choose a file' }));
    const buffer = Buffer.from('First name,Last name,Mail,Rufzeichen\nAnn,Archer,ann@example.org,+44 1\n');
    await (await choosing).setFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
    await expect(heading(page, 'people.csv')).toBeFocused();
    const timeout = scaled(20_000);
    await expect(page.getByText('Cannot be imported like this', { exact: true })).toBeVisible({ timeout });
    await tabTo(page, page.getByLabel('What “Rufzeichen” is imported as'));
    await page.keyboard.type('Phone');
    await press(page, page.getByRole('button', { name: 'Plan again with these changes' }));
    const apply = page.getByRole('button', { name: 'Import', exact: true });
    await expect(apply).toBeEnabled({ timeout });
    await press(page, apply);
    await press(page, dialog(page).getByRole('button', { name: 'Import' }));
    await expect(page.getByText('Completed')).toBeVisible({ timeout });
    await expect(page.locator('body')).not.toBeFocused();
  });

  it('asks for a place, sets the progress, and leaves the course', async () => {
    const { course, trainees } = await buildScene(test);
    const [trainee] = trainees;
    if (!trainee) throw new Error('There are trainees.');
    const page = await test.openAs(trainee, '/catalogue');
    await press(page, page.getByRole('link', { name: 'Compilers' }));
    await expect(heading(page, 'Compilers')).toBeFocused();
    await press(page, page.getByRole('button', { name: 'Ask for a place' }));
    await expect(page.getByRole('region', { name: 'Your place' })).toContainText('The trainer has not answered yet.');
    await expect(heading(page, 'Compilers')).toBeFocused();

    const { Enrollment } = test.context.database.models;
    await Enrollment.update({ status: 'active' }, { where: { userId: trainee.id, courseId: course.id } });
    await page.reload();
    const set = page.getByRole('button', { name: 'Set progress' });
    await press(page, set);
    await expect(dialog(page).getByLabel('Progress in percent')).toBeFocused();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('75');
    await page.keyboard.press('Enter');
    // A failure of this line shows the text of the page.
    await expect(page.locator('body')).toContainText('75%');
    await expect(set).toBeFocused();
    await press(page, page.getByRole('button', { name: 'Leave course' }));
    await press(page, dialog(page).getByRole('button', { name: 'Leave course' }));
    await expect(page.getByRole('button', { name: 'Ask for a place' })).toBeVisible();
    await expect(heading(page, 'Compilers')).toBeFocused();
  });
});
