import type { Page } from '@playwright/test';
import { expect } from 'chai';
import { buildIdentity, buildUser, factoryPassword, linkFor } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import {
  accessibilityProblems,
  describePages,
  expect as expectPage,
  horizontalOverflow,
  keepScreenshot,
  settled,
} from './support/browser.js';
import { type ConsoleTest, signInAt, useConsole, useConsoleWithOidc } from './support/console.js';

const ada = { email: 'ada@example.org', firstName: 'Ada', lastName: 'Lovelace' };

const oidcButton = (page: Page) => page.getByRole('link', { name: 'Sign in with Example Org' });

/** Keeps the provider's pages from loading fonts of another host. */
const withoutFonts = (page: Page) =>
  page
    .context()
    .route('https://fonts.googleapis.com/**', (route) => route.fulfill({ contentType: 'text/css', body: '' }));

/** Signs in at the provider, and consents if it asks. */
async function signInAtProvider(page: Page, login: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(login);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function openSignIn(test: ConsoleTest, path = '/', options = {}): Promise<Page> {
  const page = await test.open('about:blank', options);
  await withoutFonts(page);
  await page.goto(`${test.url}${path}`);
  await expectPage(page.getByRole('heading', { level: 1 })).toHaveText(/Sign in|Anmelden/);
  return page;
}

/** Signs in with the organisation's account from a page that was wanted. */
async function openSignedIn(test: ConsoleTest, path = '/', login = 'ada'): Promise<Page> {
  const page = await openSignIn(test, path);
  await oidcButton(page).click();
  await signInAtProvider(page, login);
  await page.getByRole('banner').waitFor();
  return page;
}

describePages("Signing in with the organisation's account", function () {
  this.timeout(scaled(60_000));
  const test = useConsoleWithOidc();
  beforeEach(() => buildUser(test.context, { role: 'super_admin', firstName: 'Bea', lastName: 'Boss' }));

  it('leads to the page that was wanted, with a session that stays', async () => {
    const user = await buildUser(test.context, { ...ada, requiresPasswordChange: true });
    const page = await openSignedIn(test, '/profile?limit=20#password');
    // No page for a first password: this session doesn't need one.
    await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('Profile');
    await expectPage(page).toHaveURL(`${test.url}/profile?limit=20#password`);
    await page.reload();
    await expectPage(page.getByRole('button', { name: 'Account menu for Ada Lovelace' })).toBeVisible();
    await expectPage(page.getByRole('table').getByRole('row').nth(1)).toContainText('Example Org');
    const [session] = await test.context.database.models.Session.findAll({ where: { userId: user.id } });
    expect(session?.method).to.equal('oidc');
    expect(await accessibilityProblems(page)).to.deep.equal([]);
  });

  it('says why it failed, and keeps the reason out of the address', async () => {
    const page = await openSignIn(test, '/profile');
    await oidcButton(page).click();
    await signInAtProvider(page, 'nobody');
    await expectPage(page.getByRole('alert')).toHaveText('There is no account for you here. Ask your administrator.');
    await expectPage(page).toHaveURL(`${test.url}/sign-in`);
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await page.reload();
    await expectPage(oidcButton(page)).toBeVisible();
    await expectPage(page.getByRole('alert')).toHaveCount(0);
  });

  it('offers another try where that helps, to the page that was wanted', async () => {
    await buildUser(test.context, ada);
    const page = await openSignIn(test, '/profile');
    await oidcButton(page).click();
    await page.goto(`${test.url}/sign-in#oidc=OIDC_UNAVAILABLE`);
    const alert = page.getByRole('alert');
    await expectPage(alert).toContainText("The organisation's sign-in does not answer.");
    await alert.getByRole('link', { name: 'Try again' }).click();
    await signInAtProvider(page, 'ada');
    await expectPage(page).toHaveURL(`${test.url}/profile`);
  });

  it('of a second tab replaces that of the first, which can begin again', async () => {
    await buildUser(test.context, ada);
    const page = await openSignIn(test);
    const second = await test.openTab(page, test.url);
    // Each tab looks for a session of the other one.
    for (const tab of [page, second]) test.expectErrors(tab, /status of 401/);
    await oidcButton(page).click();
    await page.getByPlaceholder('Enter any login').waitFor();
    await oidcButton(second).click();
    await second.getByPlaceholder('Enter any login').waitFor();
    await signInAtProvider(page, 'ada');
    const alert = page.getByRole('alert');
    await expectPage(alert).toContainText('This sign-in took too long, or another one was begun after it.');
    await alert.getByRole('link', { name: 'Begin again' }).click();
    // The provider knows the person by now.
    await expectPage(page.getByRole('button', { name: 'Account menu for Ada Lovelace' })).toBeVisible();
    await expectPage(page).toHaveURL(`${test.url}/`);
  });

  it('ends at the organisation, too, and the next person begins at the sign-in page', async () => {
    await buildUser(test.context, ada);
    const next = await buildUser(test.context);
    const page = await openSignedIn(test, '/profile');
    const other = await test.openTab(page, `${test.url}/catalogue`);
    await expectPage(other.getByRole('banner')).toBeVisible();
    for (const tab of [page, other]) await settled(tab);
    await page.getByRole('button', { name: 'Account menu for Ada Lovelace' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await expectPage(page).toHaveURL(`${test.url}/sign-in`);
    await expectPage(other.getByRole('heading', { level: 1 })).toHaveText('Sign in');
    await oidcButton(page).click();
    await expectPage(page.getByPlaceholder('Enter any login')).toBeVisible();
    test.expectErrors(page, /status of 401/);
    // The sign-in page is at /sign-in; behind it, the first page opens.
    await page.goBack();
    await signInAt(page, next.email, factoryPassword);
    await expectPage(page).toHaveURL(`${test.url}/`);
  });

  it('continues over a page with unsaved input, in another tab', async () => {
    const user = await buildUser(test.context, ada);
    const page = await openSignedIn(test, '/profile');
    await page.getByLabel('Last name').fill('King');
    await settled(page);
    test.expectErrors(page, /status of 401/);
    await test.context.database.models.Session.destroy({ where: { userId: user.id } });
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    const link = dialog.getByRole('link', { name: 'Sign in with Example Org' });
    await expectPage(link).toBeFocused();
    await expectPage(dialog).toContainText('Opens in a new tab.');
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    const opened = page.context().waitForEvent('page');
    await link.click();
    await expectPage((await opened).getByRole('banner')).toBeVisible();
    await expectPage(dialog).toBeHidden();
    await expectPage(page.getByLabel('Last name')).toHaveValue('King');
    await page.getByRole('button', { name: 'Save' }).click();
    await expectPage(page.getByText('Saved.')).toBeVisible();
  });

  it('can be linked in the profile with the password, and removed', async () => {
    const user = await buildUser(test.context, { ...ada, email: 'ada@elsewhere.example' });
    const page = await test.openAs(user, '/profile');
    await withoutFonts(page);
    const card = page.getByRole('region', { name: 'Sign-in with Example Org' });
    await card.getByRole('button', { name: 'Link an account' }).click();
    const password = card.getByLabel(/^Current password/);
    await expectPage(password).toBeFocused();
    test.expectErrors(page, /status of 400/);
    await password.fill('wrong-password');
    await card.getByRole('button', { name: 'Continue' }).click();
    await expectPage(card).toContainText('This is not your current password.');
    await password.fill(factoryPassword);
    await card.getByRole('button', { name: 'Continue' }).click();
    await signInAtProvider(page, 'ada');
    await expectPage(page.getByText('The account is linked.')).toBeVisible();
    await expectPage(page).toHaveURL(`${test.url}/profile`);
    await expectPage(card.getByRole('listitem')).toContainText('ada@example.org');
    expect(await accessibilityProblems(page)).to.deep.equal([]);

    await card.getByRole('button', { name: 'Remove ada@example.org' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expectPage(page.getByText('The account is removed.')).toBeVisible();
    await expectPage(card.getByRole('listitem')).toHaveCount(0);
  });

  it('says in the profile why nothing was linked', async () => {
    await buildIdentity(test.context, await buildUser(test.context), {
      subject: 'ada',
      issuer: test.context.config.oidc.issuer ?? '',
    });
    const page = await test.openAs(await buildUser(test.context, { email: 'eve@elsewhere.example' }), '/profile');
    await withoutFonts(page);
    await page.getByRole('button', { name: 'Link an account' }).click();
    await page
      .getByLabel(/^Current password/)
      .last()
      .fill(factoryPassword);
    await page.getByRole('button', { name: 'Continue' }).click();
    await signInAtProvider(page, 'ada');
    await expectPage(page.getByRole('alert')).toContainText(
      'This account of the organisation belongs to another person here.',
    );
    await expectPage(page).toHaveURL(`${test.url}/profile`);
  });

  it('is explained to people without a password, who keep their last account', async () => {
    const user = await buildUser(test.context, ada);
    await user.update({ hasPassword: false });
    const page = await openSignedIn(test, '/profile');
    await expectPage(page.getByText('You have no password, and sign in without one.')).toBeVisible();
    await expectPage(page.getByLabel(/^Current password/)).toHaveCount(0);
    const card = page.getByRole('region', { name: 'Sign-in with Example Org' });
    await expectPage(card).toContainText('this is your only way to sign in');
    await expectPage(card.getByRole('button')).toHaveCount(0);
    await keepScreenshot(page, 'profile without a password');
  });

  it('is offered after the confirmation of a new email', async () => {
    const user = await buildUser(test.context, ada);
    const token = await linkFor(test.context, user, 'email', 'king@example.org');
    const page = await test.open(`${test.url}/confirm-email#${token}`);
    await page.getByRole('button', { name: 'Use this email' }).click();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await expectPage(oidcButton(page)).toBeVisible();
  });

  it('is shown to the super admin, who can remove linked accounts', async () => {
    const user = await buildUser(test.context, ada);
    await buildIdentity(test.context, user);
    const admin = await test.context.database.models.User.findOne({ where: { role: 'super_admin' } });
    if (!admin) throw new Error('There is no super admin.');
    const page = await test.openAs(admin, `/people/${user.id}?tab=sessions`);
    await expectPage(page.getByRole('heading', { name: 'Sign-in with Example Org' })).toBeVisible();
    await keepScreenshot(page, 'linked accounts of a person');
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Remove ada@example.org' }).click();
    const dialog = page.getByRole('dialog');
    await expectPage(dialog).toContainText('Ada Lovelace can no longer sign in with ada@example.org');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await expectPage(page.getByText('The account is removed.')).toBeVisible();
    await expectPage(page.getByRole('heading', { name: 'Sign-in with Example Org' })).toHaveCount(0);
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`fits a narrow window, in ${colorScheme} colours`, async () => {
      const options = { viewport: { width: 360, height: 740 }, colorScheme };
      for (const locale of ['en-GB', 'de-DE']) {
        const page = await openSignIn(test, '/sign-in#oidc=OIDC_UNAVAILABLE', { ...options, locale });
        expect(await horizontalOverflow(page)).to.be.at.most(0);
        expect(await accessibilityProblems(page)).to.deep.equal([]);
        await keepScreenshot(page, `sign-in ${colorScheme} ${locale}`);
      }
      const user = await buildUser(test.context, ada);
      await buildIdentity(test.context, user, { email: `${'long'.repeat(20)}@example.org` });
      const profile = await test.openAs(user, '/profile', options);
      expect(await horizontalOverflow(profile)).to.be.at.most(0);
      expect(await accessibilityProblems(profile)).to.deep.equal([]);
      await keepScreenshot(profile, `profile ${colorScheme}`);
    });
});

describePages('The sign-in page without passwords', function () {
  this.timeout(scaled(60_000));
  const name = 'the Municipal Adult Education Centre of the Western Boroughs';
  const test = useConsoleWithOidc({ PASSWORD_LOGIN: 'off', OIDC_NAME: name });

  it('has one button, and a form that the super admin can open', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const page = await openSignIn(test, '/', { viewport: { width: 360, height: 740 } });
    await expectPage(page.getByRole('link', { name: `Sign in with ${name}` })).toBeVisible();
    expect(await horizontalOverflow(page)).to.be.at.most(0);
    await expectPage(page.getByLabel(/^Password/)).toHaveCount(0);
    await keepScreenshot(page, 'sign-in without passwords');
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Sign in with a password' }).click();
    await expectPage(page.getByLabel('Email or phone')).toBeFocused();
    await signInAt(page, admin.email, factoryPassword);
    await expectPage(page.getByRole('banner')).toBeVisible();
  });

  it('leads to a profile that offers no password', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    await buildUser(test.context, ada);
    const page = await openSignIn(test, '/profile');
    await page.getByRole('link', { name: `Sign in with ${name}` }).click();
    await signInAtProvider(page, 'ada');
    await expectPage(page.getByText('You have no password, and sign in without one.')).toBeVisible();
    await expectPage(page.getByText('This is your only way to sign in, so it stays.')).toBeVisible();
    await expectPage(page.getByLabel(/^Current password/)).toHaveCount(0);
    expect(await accessibilityProblems(page)).to.deep.equal([]);
  });
});

describePages("The sign-in page without the organisation's sign-in", () => {
  const test = useConsole();

  it('has only the password form', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const page = await openSignIn(test);
    await expectPage(page.getByLabel('Email or phone')).toBeFocused();
    await expectPage(page.getByRole('link')).toHaveCount(0);
    await expectPage(page.getByRole('separator')).toHaveCount(0);
  });
});
