import type { Page } from '@playwright/test';
import { expect } from 'chai';
import { buildCourse, buildUser, factoryPassword } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import {
  accessibilityProblems,
  describePages,
  expect as expectPage,
  settled,
  widthBeyondWindow,
} from './support/browser.js';
import { readAgain, signInAt, useConsole } from './support/console.js';

/** Answers requests to sign out with a status, or not at all; they go to the service while `with` is undefined. */
async function refuseSigningOut(page: Page): Promise<{ with: 503 | 'no answer' | undefined }> {
  const refuse: Awaited<ReturnType<typeof refuseSigningOut>> = { with: 'no answer' };
  await page.route('**/api/auth/web-session', (route) => {
    if (route.request().method() !== 'DELETE' || refuse.with === undefined) return route.continue();
    if (refuse.with === 'no answer') return route.abort();
    return route.fulfill({ status: refuse.with, json: { error: 'Busy.' } });
  });
  return refuse;
}

describePages('The session of the web console', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  it('begins with setup on an empty database, and signs the super admin in', async () => {
    const page = await test.open(test.url);
    await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('Welcome to coursectl');
    await expectPage(page).toHaveTitle('Welcome to coursectl · coursectl');
    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Last name').fill('Lovelace');
    await page.getByLabel('Email').fill('ada@example.org');
    await page.getByLabel('Phone').fill('+44 20 7946 0000');
    await page.getByLabel(/^Password/).fill('short');
    test.expectErrors(page, /status of 400/);
    await page.getByRole('button', { name: 'Create super admin' }).click();
    await expectPage(page.getByLabel(/^Password/)).toHaveAttribute('aria-invalid', 'true');
    await expectPage(page.getByLabel(/^Password/)).toBeFocused();
    await page.getByLabel(/^Password/).fill('a-long-password');
    await page.getByRole('button', { name: 'Create super admin' }).click();
    await expectPage(page.getByRole('button', { name: 'Account menu for Ada Lovelace' })).toBeVisible();
  });

  it('leads to the address that was asked for, by email and by phone', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const trainee = await buildUser(test.context);
    for (const identifier of [trainee.email, trainee.phone]) {
      const page = await test.open(`${test.url}/profile`);
      await signInAt(page, identifier, factoryPassword);
      await expectPage(page.getByRole('banner')).toBeVisible();
      await expectPage(page).toHaveURL(`${test.url}/profile`);
    }
  });

  it('keeps the token out of reach of scripts', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const page = await test.openAs(await buildUser(test.context));
    const [cookie] = await page.context().cookies();
    expect(cookie).to.include({ httpOnly: true, sameSite: 'Strict', path: '/' });
    const seen = await page.evaluate(() => [
      document.cookie,
      ...Object.values(localStorage),
      ...Object.values(sessionStorage),
    ]);
    expect(seen.join(' ')).not.to.include('ey');
  });

  it('says why signing in is refused, and for how long', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const { email } = await buildUser(test.context);
    const page = await test.open(test.url);
    await page.clock.install();
    test.expectErrors(page, /status of (401|429)/);
    await signInAt(page, email, 'wrong-password');
    await expectPage(page.getByRole('alert')).toHaveText(
      'The password does not match this email or phone, or the account is inactive.',
    );
    let retryAfter = 0;
    for (let attempt = 0; retryAfter === 0 && attempt < 10; attempt += 1) {
      const answer = page.waitForResponse('**/api/auth/web-session');
      await page.getByRole('button', { name: 'Sign in' }).click();
      retryAfter = Number((await answer).headers()['retry-after'] ?? 0);
    }
    // Who comes back by then finds it open.
    await expectPage(page.getByRole('alert')).toHaveText(
      `Too many wrong passwords. Try again in ${Math.ceil(retryAfter / 60)} minutes.`,
    );
    await page.clock.fastForward('01:00:00');
    await expectPage(page.getByRole('alert')).toHaveCount(0);
  });

  it('asks for a password of their own from who has an initial one', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const trainee = await buildUser(test.context, { requiresPasswordChange: true });
    const page = await test.open(test.url);
    await signInAt(page, trainee.email, factoryPassword);
    await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('Choose a password of your own');
    await page.getByLabel('New password', { exact: false }).first().fill('my-own-password');
    await page.getByLabel(/^New password again/).fill('another-password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await expectPage(page.getByText('The two passwords are not the same.')).toBeVisible();
    await page.getByLabel(/^New password again/).fill('my-own-password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await expectPage(page.getByRole('banner')).toBeVisible();
  });

  it('asks who has no phone for one after the first password, and takes Later for an answer', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    for (const answer of ['0151/1', 'Later']) {
      const trainee = await buildUser(test.context, { requiresPasswordChange: true });
      await trainee.update({ phone: '', phoneKey: null });
      const page = await test.open(`${test.url}/profile`);
      await signInAt(page, trainee.email, factoryPassword);
      await page.getByLabel('New password', { exact: false }).first().fill('my-own-password');
      await page.getByLabel(/^New password again/).fill('my-own-password');
      await page.getByRole('button', { name: 'Change password' }).click();
      await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('Your phone number');
      expect(await accessibilityProblems(page)).to.deep.equal([]);
      if (answer === 'Later') await page.getByRole('button', { name: 'Later' }).click();
      else {
        await page.getByRole('button', { name: 'Save' }).click();
        await expectPage(page.getByText('Enter a phone number, or choose Later.')).toBeVisible();
        await page.getByLabel('Phone').fill(answer);
        await page.getByRole('button', { name: 'Save' }).click();
      }
      await expectPage(page.getByRole('banner')).toBeVisible();
      await expectPage(page.getByLabel('Phone')).toHaveValue(answer === 'Later' ? '' : answer);
      // The other fields can be saved without one.
      await page.getByLabel('First name').fill('Newname');
      await page.getByRole('button', { name: 'Save' }).first().click();
      await expectPage(page.getByRole('button', { name: /^Account menu for Newname/ })).toBeVisible();
      const saved = await trainee.reload();
      expect(saved).to.include({ firstName: 'Newname', phoneKey: answer === 'Later' ? null : '01511' });
    }
  });

  it('ends in all tabs at once', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const trainee = await buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee' });
    const page = await test.openAs(trainee, '/catalogue?search=compilers');
    const other = await test.openTab(page, `${test.url}/catalogue`);
    // Requests under way would be answered 401.
    for (const tab of [page, other]) await settled(tab);
    await page.getByRole('button', { name: 'Account menu for Tia Trainee' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    for (const tab of [page, other]) {
      await expectPage(tab.getByRole('heading', { level: 1 })).toHaveText('Sign in');
      // Who signs in next doesn't come to where the one before was.
      await expectPage(tab).toHaveURL(`${test.url}/`);
    }
    expect(await page.context().cookies()).to.deep.equal([]);
  });

  it('takes its notices, which are accessible, along when it ends', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const tia = await buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee' });
    const bob = await buildUser(test.context, { firstName: 'Bob', lastName: 'Builder' });
    const page = await test.openAs(tia, '/profile');
    await page.getByLabel('Phone').fill('+49 30 123456');
    await page.getByRole('button', { name: 'Save' }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'Saved.' });
    // It stays while the mouse is over it.
    await notice.hover();
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await expectPage(notice.getByRole('button', { name: 'Close' })).toBeVisible();
    await page.getByRole('button', { name: 'Account menu for Tia Trainee' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await signInAt(page, bob.email, factoryPassword);
    await expectPage(page.getByRole('button', { name: 'Account menu for Bob Builder' })).toBeVisible();
    await settled(page);
    // At once: it would go by itself after a while.
    expect(await notice.count()).to.equal(0);
  });

  it('that was ended elsewhere is asked for over the page, which stays', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const trainee = await buildUser(test.context);
    const page = await test.openAs(trainee, '/catalogue?search=compilers');
    test.expectErrors(page, /status of 401/);
    await test.context.database.models.Session.destroy({ where: { userId: trainee.id } });
    // The page may ask the service by itself first: the form lies over the link then.
    await page.getByRole('link', { name: 'My courses' }).dispatchEvent('click');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await expectPage(dialog).toBeVisible();
    await expectPage(dialog.getByLabel('Email or phone')).toHaveValue(trainee.email);
    await dialog.getByLabel(/^Password/).fill(factoryPassword);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await expectPage(dialog).toBeHidden();
    await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('My courses');
  });

  it('that a reset of the password has ended goes on over the page, with what was typed there', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const trainer = await buildUser(test.context, { role: 'trainer' });
    const course = await buildCourse(test.context, trainer);
    const page = await test.openAs(trainer, `/courses/${course.id}`);
    const description = page.getByLabel('Description');
    await description.fill('Typed at length.');
    await settled(page);
    test.expectErrors(page, /status of 40[13]/);
    await trainer.update({ requiresPasswordChange: true });
    await test.context.database.models.Session.destroy({ where: { userId: trainer.id } });
    await page.getByRole('button', { name: 'Save' }).click();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByLabel(/^Password/).fill(factoryPassword);
    await again.getByRole('button', { name: 'Sign in' }).click();

    const dialog = page.getByRole('dialog', { name: 'Choose a password of your own' });
    await expectPage(dialog.getByLabel(/^New password \*$/)).toBeFocused();
    // The user looks the password up elsewhere, and comes back to the page, which asks the service then.
    const refused = page.waitForResponse((response) => response.status() === 403);
    await readAgain(page);
    await refused;
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await dialog.getByLabel(/^New password \*$/).fill('my-own-password');
    await dialog.getByLabel(/^New password again/).fill('my-own-password');
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await expectPage(dialog).toBeHidden();
    await expectPage(description).toHaveValue('Typed at length.');
    await page.getByRole('button', { name: 'Save' }).click();
    await expectPage(page.getByText('Saved.')).toBeVisible();
  });

  it('of another account in another tab shows nothing of the one before', async () => {
    await buildUser(test.context, { role: 'super_admin', firstName: 'Ada', lastName: 'Admin' });
    const [tia, bob] = [
      await buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee' }),
      await buildUser(test.context, { firstName: 'Bob', lastName: 'Builder' }),
    ];
    const page = await test.openAs(tia, '/profile');
    const other = await test.openTab(page, test.url);
    // What they ask for while the session ends would be refused.
    for (const tab of [page, other]) await settled(tab);
    await other.getByRole('button', { name: 'Account menu for Tia Trainee' }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await signInAt(other, bob.email, factoryPassword);
    for (const tab of [page, other]) {
      await expectPage(tab.getByRole('button', { name: 'Account menu for Bob Builder' })).toBeVisible();
      await expectPage(tab.getByText('Tia')).toHaveCount(0);
    }
  });

  it('of another account that signs in again shows nothing of the one before in any tab', async () => {
    await buildUser(test.context, { role: 'super_admin', firstName: 'Ada', lastName: 'Admin' });
    const tia = await buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee' });
    const bob = await buildUser(test.context, { firstName: 'Bob', lastName: 'Builder' });
    const page = await test.openAs(tia, '/catalogue');
    const other = await test.openTab(page, `${test.url}/profile`);
    // A form with changes doesn't keep the tab with the account before.
    await other.getByLabel('Last name').fill('Unsaved');
    for (const tab of [page, other]) await settled(tab);
    test.expectErrors(page, /status of 401/);
    await test.context.database.models.Session.destroy({ where: { userId: tia.id } });
    await page.getByRole('link', { name: 'My courses' }).dispatchEvent('click');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByLabel('Email or phone').fill(bob.email);
    await dialog.getByLabel(/^Password/).fill(factoryPassword);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    for (const tab of [page, other]) {
      await expectPage(tab.getByRole('button', { name: 'Account menu for Bob Builder' })).toBeVisible();
      await expectPage(tab.getByText('Tia')).toHaveCount(0);
    }
  });

  it('that is found to be of another account loads the page again', async () => {
    await buildUser(test.context, { role: 'super_admin', firstName: 'Ada', lastName: 'Admin' });
    const tia = await buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee' });
    const bob = await buildUser(test.context, { firstName: 'Bob', lastName: 'Builder' });
    const page = await test.openAs(tia, '/profile');
    await page.getByLabel('Last name').fill('Unsaved');
    await settled(page);
    // No tab of the console tells this one.
    const status = await page.evaluate(
      async (body) => {
        const headers = { 'Content-Type': 'application/json', 'X-Requested-With': 'coursectl' };
        return (await fetch('/api/auth/web-session', { method: 'POST', headers, body })).status;
      },
      JSON.stringify({ identifier: bob.email, password: factoryPassword }),
    );
    expect(status).to.equal(200);
    // The session is asked for again when the tab is looked at after half a minute.
    await page.clock.install();
    await page.clock.fastForward('01:00');
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    await expectPage(page.getByRole('button', { name: 'Account menu for Bob Builder' })).toBeVisible();
    await expectPage(page.getByText('Tia')).toHaveCount(0);
    await expectPage(page.getByLabel('Last name')).toHaveCount(0);
  });

  it('stays, and the page says so, when signing out fails', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const trainee = await buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee' });
    const page = await test.openAs(trainee);
    test.expectErrors(page, /ERR_FAILED|status of 503/);
    const refuse = await refuseSigningOut(page);
    const signOut = async () => {
      await page.getByRole('button', { name: 'Account menu for Tia Trainee' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
    };
    const alert = page.getByRole('alert').filter({ hasText: 'Signing out failed. You are still signed in.' });
    await signOut();
    await expectPage(alert).toContainText('The service cannot be reached.');
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    refuse.with = 503;
    await signOut();
    await expectPage(alert).toContainText('Busy.');
    await page.getByRole('link', { name: 'Catalogue' }).click();
    await expectPage(alert).toHaveCount(0);
    // What the page asks for while the session ends would be refused.
    await settled(page);
    refuse.with = undefined;
    await signOut();
    await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
  });

  it('stays when signing out fails before an initial password is changed', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const trainee = await buildUser(test.context, { requiresPasswordChange: true });
    const page = await test.open(test.url);
    await signInAt(page, trainee.email, factoryPassword);
    test.expectErrors(page, /status of 503/);
    const refuse = await refuseSigningOut(page);
    refuse.with = 503;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectPage(page.getByRole('alert')).toContainText('Signing out failed. You are still signed in.');
    refuse.with = undefined;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
  });

  it('is asked for again where the service was away', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const page = await test.openAs(await buildUser(test.context));
    test.expectErrors(page, /ERR_FAILED/);
    let asked = 0;
    await page.route('**/api/auth/web-session', (route) => {
      asked += 1;
      return route.abort();
    });
    await page.reload();
    await expectPage(page.getByRole('alert')).toContainText('The service cannot be reached.');
    const before = asked;
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectPage.poll(() => asked).toBeGreaterThan(before);
    await expectPage(page.getByRole('alert')).toContainText('The service cannot be reached.');
    await page.unroute('**/api/auth/web-session');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectPage(page.getByRole('banner')).toBeVisible();
  });

  it('is in the language of the browser, and in the one that is chosen', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const trainee = await buildUser(test.context);
    const page = await test.open(test.url, { locale: 'de-AT' });
    await expectPage(page.getByRole('button', { name: 'Das Passwort zeigen oder verbergen' })).toBeVisible();
    await signInAt(page, trainee.email, factoryPassword);
    await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('Meine Kurse');
    await expectPage(page).toHaveTitle('Meine Kurse · coursectl');
    await expectPage(page.locator('html')).toHaveAttribute('lang', 'de');
    await page.getByRole('button', { name: 'Sprache' }).click();
    await page.getByRole('menuitemradio', { name: 'English' }).click();
    await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('My courses');
    await expectPage(page).toHaveTitle('My courses · coursectl');
    await page.reload();
    await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('My courses');
  });

  it('is laid out from right to left where the language is', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const page = await test.openAs(await buildUser(test.context));
    await page.evaluate(() => localStorage.setItem('coursectl-language', 'ar-XB'));
    await page.reload();
    await expectPage(page.locator('html')).toHaveAttribute('dir', 'rtl');
    const navigation = await page.getByRole('navigation').boundingBox();
    const width = page.viewportSize()?.width ?? 0;
    expect(navigation?.x).to.be.greaterThan(width / 2);
    expect(await widthBeyondWindow(page)).to.be.at.most(0);
  });
});
