import type { Page } from '@playwright/test';
import { expect } from 'chai';
import { buildCourse, buildUser, factoryPassword } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect as expectPage, settled } from './support/browser.js';
import { returnToPage, signInAt, useConsole } from './support/console.js';

const tia = { firstName: 'Tia', lastName: 'Trainee' };
const bob = { firstName: 'Bob', lastName: 'Builder' };

async function signOutIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account menu for Tia Trainee' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

/** Checks that a page shows the account of Bob, and no data of Tia. */
async function expectOnlyBob(page: Page): Promise<void> {
  await expectPage(page.getByRole('button', { name: 'Account menu for Bob Builder' })).toBeVisible();
  await expectPage(page.getByText('Tia')).toHaveCount(0);
}

describePages('The session of the web console', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();
  beforeEach(() => buildUser(test.context, { role: 'super_admin', firstName: 'Ada', lastName: 'Admin' }));

  it('leads to the requested URL, and hides the token from scripts', async () => {
    const { phone } = await buildUser(test.context);
    const page = await test.open(`${test.url}/profile`);
    await signInAt(page, phone, factoryPassword);
    await expectPage(page.getByRole('banner')).toBeVisible();
    await expectPage(page).toHaveURL(`${test.url}/profile`);
    const [cookie] = await page.context().cookies();
    expect(cookie).to.include({ httpOnly: true, sameSite: 'Strict', path: '/' });
    const seen = await page.evaluate(() => document.cookie + JSON.stringify([localStorage, sessionStorage]));
    expect(seen).not.to.include('ey');
  });

  it('says why a sign-in is refused, and for how long', async () => {
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
    // After the named time, the sign-in is open again.
    await expectPage(page.getByRole('alert')).toHaveText(
      `Too many wrong passwords. Try again in ${Math.ceil(retryAfter / 60)} minutes.`,
    );
    await page.clock.fastForward('01:00:00');
    await expectPage(page.getByRole('alert')).toHaveCount(0);
  });

  it('asks for a missing phone after the first password, and accepts Later as an answer', async () => {
    for (const answer of ['0151/1', 'Later']) {
      const trainee = await buildUser(test.context, { requiresPasswordChange: true });
      await trainee.update({ phone: '', phoneKey: null });
      const page = await test.open(`${test.url}/profile`);
      await signInAt(page, trainee.email, factoryPassword);
      await page.getByLabel('New password', { exact: false }).first().fill('my-own-password');
      await page.getByLabel(/^New password again/).fill('my-own-password');
      await page.getByRole('button', { name: 'Change password' }).click();
      await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('Your phone number');
      if (answer === 'Later') await page.getByRole('button', { name: 'Later' }).click();
      else {
        await page.getByRole('button', { name: 'Save' }).click();
        await expectPage(page.getByText('Enter a phone number, or choose Later.')).toBeVisible();
        await page.getByLabel('Phone').fill(answer);
        await page.getByRole('button', { name: 'Save' }).click();
      }
      await expectPage(page.getByRole('banner')).toBeVisible();
      await expectPage(page.getByLabel('Phone')).toHaveValue(answer === 'Later' ? '' : answer);
      expect(await trainee.reload()).to.include({ phoneKey: answer === 'Later' ? null : '01511' });
    }
  });

  it('continues after a password reset has ended it, and keeps typed text', async () => {
    const trainer = await buildUser(test.context, { role: 'trainer' });
    const course = await buildCourse(test.context, trainer);
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=edit`);
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
    // The user looks the password up elsewhere, and returns: the page then fetches its data again.
    const refused = page.waitForResponse((response) => response.status() === 403);
    await returnToPage(page);
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

  it('ends in all tabs immediately, and the next account sees no data of the previous account', async () => {
    const [before, next] = [await buildUser(test.context, tia), await buildUser(test.context, bob)];
    const page = await test.openAs(before, '/profile');
    const other = await test.openTab(page, `${test.url}/profile`);
    await other.getByLabel('Phone').fill('+49 30 123456');
    await other.getByRole('button', { name: 'Save' }).click();
    const notice = other.getByRole('alert').filter({ hasText: 'Saved.' });
    // The message stays while the mouse is over it.
    await notice.hover();
    expect(await accessibilityProblems(other)).to.deep.equal([]);
    // Requests during the end of the session would be refused.
    for (const tab of [page, other]) await settled(tab);
    await signOutIn(other);
    for (const tab of [page, other]) {
      await expectPage(tab.getByRole('heading', { level: 1 })).toHaveText('Sign in');
      // The next user doesn't land on the page of the previous user.
      await expectPage(tab).toHaveURL(`${test.url}/`);
    }
    expect(await page.context().cookies()).to.deep.equal([]);
    await signInAt(other, next.email, factoryPassword);
    for (const tab of [page, other]) await expectOnlyBob(tab);
    // Checks immediately, because the message disappears after a few seconds anyway.
    expect(await notice.count()).to.equal(0);
  });

  it('of another account, after signing in again, shows no data of the previous account in any tab', async () => {
    const [before, next] = [await buildUser(test.context, tia), await buildUser(test.context, bob)];
    const page = await test.openAs(before, '/catalogue');
    const other = await test.openTab(page, `${test.url}/profile`);
    // Even unsaved changes don't keep the tab with the previous account.
    await other.getByLabel('Last name').fill('Unsaved');
    for (const tab of [page, other]) await settled(tab);
    test.expectErrors(page, /status of 401/);
    await test.context.database.models.Session.destroy({ where: { userId: before.id } });
    await page.getByRole('link', { name: 'My courses' }).dispatchEvent('click');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await expectPage(dialog.getByLabel('Email or phone')).toHaveValue(before.email);
    await dialog.getByLabel('Email or phone').fill(next.email);
    await dialog.getByLabel(/^Password/).fill(factoryPassword);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    for (const tab of [page, other]) await expectOnlyBob(tab);
  });

  it('reloads the page if the cookie belongs to another account', async () => {
    const [before, next] = [await buildUser(test.context, tia), await buildUser(test.context, bob)];
    const page = await test.openAs(before, '/profile');
    await page.getByLabel('Last name').fill('Unsaved');
    await settled(page);
    // Signs in without the console, so no other tab sends a message.
    const status = await page.evaluate(
      async (body) => {
        const headers = { 'Content-Type': 'application/json', 'X-Requested-With': 'coursectl' };
        return (await fetch('/api/auth/web-session', { method: 'POST', headers, body })).status;
      },
      JSON.stringify({ identifier: next.email, password: factoryPassword }),
    );
    expect(status).to.equal(200);
    // The session is fetched again when the user returns to the tab after half a minute.
    await page.clock.install();
    await page.clock.fastForward('01:00');
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    await expectOnlyBob(page);
    await expectPage(page.getByLabel('Last name')).toHaveCount(0);
  });

  it('stays after a failed sign-out, which the page reports', async () => {
    const page = await test.openAs(await buildUser(test.context, tia));
    test.expectErrors(page, /ERR_FAILED|status of 503/);
    let refusal: 'no answer' | 503 | undefined = 'no answer';
    await page.route('**/api/auth/web-session', (route) => {
      if (route.request().method() !== 'DELETE' || refusal === undefined) return route.continue();
      if (refusal === 'no answer') return route.abort();
      return route.fulfill({ status: refusal, headers: { 'Error-Code': 'OVERLOADED' }, json: {} });
    });
    const alert = page.getByRole('alert').filter({ hasText: 'Signing out failed. You are still signed in.' });
    await signOutIn(page);
    await expectPage(alert).toContainText('The service cannot be reached.');
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    refusal = 503;
    await signOutIn(page);
    await expectPage(alert).toContainText('The service is busy.');
    await page.getByRole('link', { name: 'Catalogue' }).click();
    await expectPage(alert).toHaveCount(0);
    // Requests during the end of the session would be refused.
    await settled(page);
    refusal = undefined;
    await signOutIn(page);
    await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
  });

  it('can be requested again after the service was unreachable', async () => {
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

  it('uses the language of the browser, or the chosen one', async () => {
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
});
