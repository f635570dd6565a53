import sharp from 'sharp';
import { mailSettings } from '../support/environment.js';
import { buildUser, factoryPassword, tokenFor } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect, keepScreenshot } from './support/browser.js';
import { answerLeaving, asksBeforeClosing, signInAt, useConsole } from './support/console.js';
import { layoutProblems } from './support/layout.js';

describePages('The profile', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  async function person() {
    await buildUser(test.context, { role: 'super_admin' });
    return buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee' });
  }

  it('changes name and phone number, and shows errors at their fields', async () => {
    const user = await person();
    const taken = await buildUser(test.context);
    const page = await test.openAs(user, '/profile');
    await expect(page.getByRole('region', { name: 'Mails' })).toHaveCount(0);
    await page.getByLabel('First name').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('This may not be empty.')).toBeVisible();
    await page.getByLabel('First name').fill('Thea');
    test.expectErrors(page, /status of 40[09]/);
    await page.getByLabel('Phone').fill(taken.phone);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('form', { name: 'Account' })).toContainText('Another account has this phone.');
    await page.getByLabel('Phone').fill('+49 30 123456');
    // Meanwhile somebody else changes another field, and later the same field.
    await user.update({ lastName: 'Other' });
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('button', { name: 'Account menu for Thea Other' })).toBeVisible();
    await expect(page.getByLabel('Last name')).toHaveValue('Other');
    await page.getByLabel('First name').fill('Mia');
    await user.update({ firstName: 'Theo' });
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('form', { name: 'Account' })).toContainText('since you opened them: First name.');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('button', { name: 'Account menu for Mia Other' })).toBeVisible();
    await expect(page.getByLabel('Email')).not.toBeEditable();
    await expect(page.getByText('Only a super admin can change it.')).toBeVisible();
  });

  it('sets and removes an image', async () => {
    const page = await test.openAs(await person(), '/profile');
    const buffer = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    await page.locator('input[type=file]').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer });
    await expect(page.getByText('me.png is not saved yet.')).toBeVisible();
    expect(await asksBeforeClosing(page)).toBe(true);
    await page.getByRole('button', { name: 'Save image' }).click();
    await expect(page.getByRole('banner').locator('img[src^="/api/images/"]')).toBeVisible();
    await expect.poll(() => asksBeforeClosing(page)).toBe(false);
    await page.getByRole('button', { name: 'Remove image' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove image' }).click();
    await expect(page.locator('img[src^="/api/images/"]')).toHaveCount(0);
  });

  it('ends one session or all others, but not the current one; so does a new password', async () => {
    const user = await person();
    for (let session = 0; session < 3; session += 1) await tokenFor(test.context, user);
    const page = await test.openAs(user, '/profile');
    await expect(page.getByRole('row')).toHaveCount(5);
    await expect(page.getByRole('row').filter({ hasText: 'This session' })).toContainText('Chrome');
    const end = page.getByRole('button', { name: /^End the session that began/ });
    await end.first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await expect(page.getByRole('row')).toHaveCount(4);
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'End all others' })).toBeDisabled();
    await expect(page.getByRole('row')).toHaveCount(2);

    await tokenFor(test.context, user);
    await page.reload();
    await expect(page.getByRole('row')).toHaveCount(3);
    const form = page.getByRole('form', { name: 'Password' });
    await form.getByLabel(/^Current password/).fill('not-it-at-all');
    await form.getByLabel(/^New password \*|^New password$/).fill('a-new-password');
    await form.getByLabel(/^New password again/).fill('another');
    await form.getByRole('button', { name: 'Change password' }).click();
    await expect(form).toContainText('The two passwords are not the same.');
    await form.getByLabel(/^New password again/).fill('a-new-password');
    test.expectErrors(page, /status of 400/);
    await form.getByRole('button', { name: 'Change password' }).click();
    await expect(form.getByRole('alert')).toBeVisible();
    await form.getByLabel(/^Current password/).fill(factoryPassword);
    await form.getByRole('button', { name: 'Change password' }).click();
    await expect(page.getByText('The password is changed, and your other sessions have ended.')).toBeVisible();
    await expect(page.getByRole('row')).toHaveCount(2);
    await expect(form.getByLabel(/^Current password/)).toHaveValue('');
    const again = await test.open(test.url);
    await signInAt(again, user.email, 'a-new-password');
    await expect(again.getByRole('banner')).toBeVisible();
  });

  it('creates the address of the calendar, shows it only once, shows its last use, replaces and revokes it', async () => {
    const user = await person();
    const page = await test.openAs(user, '/profile', { viewport: { width: 1280, height: 900 } });
    const calendar = page.getByRole('region', { name: 'Calendar' });
    const address = calendar.getByLabel('Address of your calendar');
    const statusOf = async (url: string) => (await fetch(url)).status;
    await calendar.getByRole('button', { name: 'Create address' }).click();
    await expect(address).toHaveValue(/^http:\/\/localhost:\d+\/api\/calendars\/[\w-]{43}\.ics$/);
    const first = await address.inputValue();
    expect(await statusOf(first)).toBe(200);
    await page.reload();
    await expect(calendar).toContainText(/Last used(?!Not yet)/);
    await expect(address).toHaveCount(0);

    await calendar.getByRole('button', { name: 'Replace address' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace address' }).click();
    await expect(address).toBeVisible();
    const second = await address.inputValue();
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);
    await expect(calendar).toContainText('Not yet');
    await calendar.scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'The address of a calendar');
    expect(await layoutProblems(page)).toEqual([]);
    expect(await accessibilityProblems(page)).toEqual([]);

    await calendar.getByRole('button', { name: 'Revoke address' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke address' }).click();
    await expect(calendar.getByRole('button', { name: 'Create address' })).toBeVisible();
    await expect(address).toHaveCount(0);
    expect(await statusOf(second)).toBe(404);
  });

  it('shows the address of the calendar on phones in German, and none to a super admin', async () => {
    const user = await person();
    const options = { locale: 'de-DE', viewport: { width: 360, height: 740 } };
    const page = await test.openAs(user, '/profile', options);
    const calendar = page.getByRole('region', { name: 'Kalender' });
    await calendar.getByRole('button', { name: 'Adresse erstellen' }).click();
    await expect(calendar.getByLabel('Adresse deines Kalenders')).toBeVisible();
    await calendar.scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'The address of a calendar on a phone');
    expect(await layoutProblems(page)).toEqual([]);
    const admin = await test.context.database.models.User.findOne({
      where: { role: 'super_admin' },
      rejectOnEmpty: true,
    });
    const other = await test.openAs(admin, '/profile');
    await expect(other.getByRole('region', { name: 'Sessions' })).toBeVisible();
    await expect(other.getByRole('region', { name: 'Calendar' })).toHaveCount(0);
  });

  it('asks before changes are lost, also by signing out, but not if only columns of a list change', async () => {
    const page = await test.openAs(await person(), '/profile');
    await page.getByLabel('Phone').fill('+49 30 123456');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Expires' }).click();
    await expect(page).toHaveURL(/columns=/);
    await expect(page.getByRole('columnheader', { name: 'Expires' })).toBeVisible();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'My courses' }).click();
    await answerLeaving(page, 'Keep editing', 'Phone');
    const signOut = async () => {
      await page.getByRole('button', { name: /^Account menu/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
    };
    await signOut();
    await answerLeaving(page, 'Keep editing', 'Phone');
    await expect(page.getByLabel('Phone')).toHaveValue('+49 30 123456');
    await signOut();
    await answerLeaving(page, 'Discard', 'Phone');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
  });

  it('names everything that would be lost, keeps the page during repeated Back, and returns the focus', async () => {
    const page = await test.openAs(await person());
    await page.getByRole('link', { name: 'Catalogue' }).click();
    await page.getByRole('button', { name: /^Account menu/ }).click();
    await page.getByRole('menuitem', { name: 'Profile' }).click();
    await page.getByLabel('Phone').fill('+49 30 123456');
    await page.getByLabel('Last name').fill('Other');
    await page.getByLabel('Last name').focus();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    // Back again during the question changes nothing.
    for (let times = 0; times < 2; times += 1) {
      await page.goBack();
      await expect(dialog.getByRole('listitem')).toHaveText(['Last name', 'Phone']);
      await expect(page).toHaveURL(`${test.url}/profile`);
    }
    await expect(dialog.getByRole('button', { name: 'Keep editing' })).toBeFocused();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page)).toEqual([]);
      await keepScreenshot(page, `The question about unsaved changes, ${colorScheme}`);
    }
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(page.getByLabel('Last name')).toBeFocused();
    await page.goBack();
    await answerLeaving(page, 'Discard', 'Last namePhone');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Catalogue');
    await expect(page).toHaveURL(`${test.url}/catalogue`);
    await page.goBack();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('My courses');
    await page.goForward();
    await page.goForward();
    await expect(page.getByLabel('Last name')).toHaveValue('Trainee');
    expect(await asksBeforeClosing(page)).toBe(false);
    await page.getByLabel('Last name').fill('Other');
    expect(await asksBeforeClosing(page)).toBe(true);
    await page.getByRole('link', { name: 'Catalogue' }).click();
    await answerLeaving(page, 'Discard', 'Last name');
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Catalogue');
  });
});

describePages('Mail preferences', function () {
  this.timeout(scaled(60_000));
  const test = useConsole(mailSettings);

  it('are set in the profile, and follow the language of the console', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const trainer = await buildUser(test.context, { role: 'trainer' });
    const user = await buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee' });
    const page = await test.openAs(user, '/profile', { locale: 'de-DE', viewport: { width: 360, height: 740 } });
    const mails = page.getByRole('region', { name: 'E-\u2060Mails' });
    const completed = mails.getByRole('switch', { name: 'Du hast einen Kurs abgeschlossen' });
    await expect(mails.getByRole('switch')).toHaveCount(5);
    await expect(completed).toBeChecked();
    await completed.click();
    await expect(completed).toBeEnabled();
    await expect(completed).not.toBeChecked();
    await mails.scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'Mails in the profile');
    expect(await layoutProblems(page)).toEqual([]);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.reload();
    await expect(completed).not.toBeChecked();
    await page.getByRole('button', { name: 'Sprache' }).click();
    await page.getByRole('menuitemradio', { name: 'English' }).click();
    await expect.poll(async () => (await user.reload()).language).toBe('en');
    expect(user.mailOff).toBe('completed');
    const other = await test.openAs(trainer, '/profile');
    await expect(other.getByRole('region', { name: 'Mails' }).getByRole('switch')).toHaveCount(1);
    // The current language can be chosen, too.
    await other.getByRole('button', { name: 'Language' }).click();
    await other.getByRole('menuitemradio', { name: 'English' }).click();
    await expect.poll(async () => (await trainer.reload()).language).toBe('en');
  });

  it('take the language of the page at sign-in if the person has chosen none', async () => {
    const people = [await buildUser(test.context, { role: 'super_admin' }), await buildUser(test.context)];
    const chosen = await buildUser(test.context, { language: 'en' });
    for (const { email } of [...people, chosen]) {
      const page = await test.open(test.url, { locale: 'de-DE' });
      await signInAt(page, email, factoryPassword);
      await expect(page.getByRole('banner')).toBeVisible();
      await page.waitForLoadState('networkidle');
    }
    for (const user of people) await expect.poll(async () => (await user.reload()).language).toBe('de');
    expect((await chosen.reload()).language).toBe('en');
  });
});
