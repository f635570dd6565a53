import type { BrowserContextOptions, Page } from '@playwright/test';
import { buildUser, factoryPassword, linkFor } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { linksOf } from '../support/mailbox.js';
import { accessibilityProblems, describePages, expect, keepScreenshot, settled } from './support/browser.js';
import { type ConsoleTest, signInAt, useConsole, useConsoleWithMail } from './support/console.js';
import { focusProblems } from './support/focus.js';
import { layoutProblems } from './support/layout.js';

const next = 'tia.new@example.org';
const own = 'a-password-of-my-own';
const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const emailForm = (page: Page) => page.getByRole('form', { name: /^(Change email|E-\u2060Mail-Adresse ändern)$/ });

async function ask(page: Page, email: string, password = factoryPassword): Promise<void> {
  await emailForm(page).locator('input[type="email"]').fill(email);
  await emailForm(page).locator('input[type="password"]').fill(password);
  await emailForm(page).locator('input[type="password"]').press('Enter');
}

describePages('A change of email', function () {
  this.timeout(scaled(60_000));
  const test = useConsoleWithMail();
  beforeEach(() => buildUser(test.context, { role: 'super_admin' }));

  const person = () => buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee' });

  /** Waits for a mail with a link to a page. @returns the URL of that page on this service, with the token */
  async function mailed(address: string, page: string): Promise<string> {
    const isIt = (link: string) => new URL(link).pathname === page;
    const mail = await test.mail.waitFor((one) => one.to[0] === address && linksOf(one).some(isIt));
    return `${test.url}${page}${new URL(linksOf(mail).find(isIt) ?? '').hash}`;
  }

  /** Opens a link, and checks that its token disappears from the address bar. */
  async function follow(page: Page, link: string): Promise<void> {
    await page.goto(link);
    await heading(page).waitFor();
    await expect(page).toHaveURL(link.split('#')[0] ?? '');
  }

  it('is requested in the profile, confirmed by a link to the new address, and cancelled by a link to the old address', async () => {
    const user = await person();
    const old = user.email;
    const page = await test.openAs(user, '/profile');
    test.expectErrors(page, /status of 40[01]/);
    await expect(page.getByText('You can change it below.')).toBeVisible();
    await ask(page, next, 'not-it-at-all');
    await expect(emailForm(page).getByRole('alert')).toHaveText('This is not your current password.');
    await ask(page, old);
    await expect(emailForm(page)).toContainText('The account has this address already.');
    await ask(page, next);
    await expect(emailForm(page).getByRole('status')).toContainText(`We have sent a link to ${next}`);
    await expect(emailForm(page).locator('input[type="password"]')).toHaveValue('');

    // The person is signed in in this browser, and confirms with the keyboard alone.
    const confirmation = await mailed(next, '/confirm-email');
    const tab = await test.openTab(page, 'about:blank');
    test.expectErrors(tab, /status of 40[01]/);
    await follow(tab, confirmation);
    await expect(heading(tab)).toHaveText('Confirm your new email');
    await expect(tab.getByRole('main')).toContainText(`${next} will be the email of the account`);
    await expect(tab.getByRole('main')).not.toContainText('Tia');
    for (const _ of ['Language', 'Colours', 'button']) await tab.keyboard.press('Tab');
    await expect(tab.getByRole('button', { name: 'Use this email' })).toBeFocused();
    expect(await user.reload()).toMatchObject({ email: old });
    await tab.keyboard.press('Enter');
    await expect(heading(tab)).toHaveText('Your email is changed');
    await expect(heading(tab)).toBeFocused();
    await expect(tab.getByLabel('Email or phone')).toHaveValue(next);
    await tab.getByLabel(/^Password/).fill(factoryPassword);
    await tab.keyboard.press('Enter');
    await expect(tab.getByRole('button', { name: 'Account menu for Tia Trainee' })).toBeVisible();
    await follow(tab, confirmation);
    await expect(heading(tab)).toHaveText('This link is no longer valid');
    await expect(tab.getByText('Have you used the link already? Then sign in with the new email.')).toBeVisible();

    await follow(tab, await mailed(old, '/cancel-email'));
    await expect(heading(tab)).toHaveText('Cancel the change of your email');
    await expect(tab.getByRole('listitem')).toHaveText([
      `${old} is the email of your account again.`,
      'The password is removed: a stranger may know it.',
      'All sessions end.',
      `We send a link to set a new password to ${old}.`,
    ]);
    await tab.getByRole('button', { name: 'Cancel the change' }).press('Enter');
    await expect(heading(tab)).toHaveText('The change is cancelled');
    await expect(heading(tab)).toBeFocused();
    await expect(tab.getByText(`we have sent a link to set a new password to ${old}`)).toBeVisible();

    await follow(tab, await mailed(old, '/set-password'));
    await tab.getByLabel(/^New password \*$/).fill(own);
    await tab.getByLabel(/^New password again/).fill(own);
    await tab.keyboard.press('Enter');
    await expect(heading(tab)).toHaveText('Your password is set');
    await signInAt(tab, old, own);
    await expect(tab.getByRole('button', { name: 'Account menu for Tia Trainee' })).toBeVisible();
    await tab.goto(`${test.url}/profile`);
    await expect(tab.getByLabel('Email', { exact: true })).toHaveValue(old);
  });

  it('gets the same response if another account has the address; after too many requests, the page says when to retry', async () => {
    const taken = await buildUser(test.context);
    const page = await test.openAs(await person(), '/profile');
    const said: string[] = [];
    for (const address of [taken.email, next]) {
      await ask(page, address);
      await expect(emailForm(page).getByRole('status')).toContainText(address);
      said.push((await emailForm(page).innerText()).replace(address, ''));
    }
    expect(said[0]).toBe(said[1]);
    for (const address of ['a@example.org', 'b@example.org', 'c@example.org']) {
      await ask(page, address);
      await expect(emailForm(page).getByRole('status')).toContainText(address);
    }
    test.expectErrors(page, /status of 429/);
    await ask(page, next);
    await expect(emailForm(page).getByRole('alert')).toHaveText(/^Too many attempts\. Try again (in|tomorrow)/);
    await expect(emailForm(page).getByRole('status')).toHaveText('');
  });

  it('is not confirmed if another account has taken the address or the link has expired', async () => {
    const user = await person();
    const other = await buildUser(test.context, { email: next });
    const page = await test.open('about:blank');
    test.expectErrors(page, /status of 400/);
    await follow(page, `${test.url}/confirm-email#${await linkFor(test.context, user, 'email', next)}`);
    const confirm = page.getByRole('button', { name: 'Use this email' });
    await confirm.click();
    await expect(page.getByRole('alert')).toHaveText('Another account has this email.');
    await other.destroy();
    test.advance(24 * 60 * 60_000 + 1);
    await confirm.click();
    await expect(heading(page)).toHaveText('This link is no longer valid');
    await expect(heading(page)).toBeFocused();
    await expect(page.getByRole('link', { name: 'Sign in and open the profile' })).toHaveAttribute('href', '/profile');
    await expect(page.getByRole('link', { name: 'Sign in', exact: true })).toHaveAttribute('href', '/');
    await follow(page, `${test.url}/confirm-email#${await linkFor(test.context, user, 'email-cancel')}`);
    await expect(heading(page)).toHaveText('This link is for something else');
  });

  it('cannot be undone if another account has the old address, and the page says so', async () => {
    const user = await person();
    const old = user.email;
    const token = await linkFor(test.context, user, 'email-cancel');
    await user.update({ email: next });
    await buildUser(test.context, { email: old });
    const page = await test.open(`${test.url}/cancel-email#${token}`);
    test.expectErrors(page, /status of 400/);
    await page.getByRole('button', { name: 'Cancel the change' }).click();
    await expect(heading(page)).toHaveText(
      'Nobody can sign in to your account now, but its old email could not be restored',
    );
    await expect(page.getByText(`Another account has ${old} now.`)).toBeVisible();
    await expect(page.getByText('Ask the person who runs your programme')).toBeVisible();
    await expect(page.getByRole('link')).toHaveText(['Sign in']);
    await follow(page, `${test.url}/cancel-email#${token}`);
    await expect(heading(page)).toHaveText('This link is no longer valid');
    await expect(page.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/');
    await expect(page.getByRole('link', { name: 'Ask for a new link' })).toHaveAttribute('href', '/forgot-password');
  });
});

describePages('A change of email without mail', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  it('is left to the super admin', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const page = await test.openAs(await buildUser(test.context), '/profile');
    await expect(page.getByText('Only a super admin can change it.')).toBeVisible();
    await expect(emailForm(page)).toHaveCount(0);
    const theirs = await test.openAs(admin, '/profile');
    await expect(theirs.getByRole('link', { name: 'Change it on your page under People' })).toBeVisible();
  });
});

const long = `${'wilhelmina-maximiliane'.padEnd(60, 'e')}@${'of'.repeat(30)}`;

/** Name of a state of a page, and a function that opens the state and waits for it. */
type State = readonly [name: string, open: (test: ConsoleTest, page: Page) => Promise<unknown>];

const opened = async (test: ConsoleTest, page: Page, purpose: 'email' | 'email-cancel', email: string) => {
  const token = await linkFor(test.context, await buildUser(test.context, { email }), purpose, `x${email}`);
  await page.goto(`${test.url}/${purpose === 'email' ? 'confirm' : 'cancel'}-email#${token}`);
  await page.locator('button[type="submit"]').waitFor();
};

const states: readonly State[] = [
  ['confirm, no longer valid', (test, page) => page.goto(`${test.url}/confirm-email#${'x'.repeat(43)}`)],
  ['confirm', (test, page) => opened(test, page, 'email', `${long}.example.org`)],
  [
    'confirm, done',
    async (test, page) => {
      await opened(test, page, 'email', `a${long}.example.org`);
      await page.locator('button[type="submit"]').click();
      await page.locator('input[type="password"]').waitFor();
    },
  ],
  ['cancel, no link', (test, page) => page.goto(`${test.url}/cancel-email`)],
  ['cancel', (test, page) => opened(test, page, 'email-cancel', `b${long}.example.org`)],
  [
    'cancel, done',
    async (test, page) => {
      await opened(test, page, 'email-cancel', `c${long}.example.org`);
      await page.locator('button[type="submit"]').click();
      await page.locator('a[href="/forgot-password"]').waitFor();
    },
  ],
  [
    'cancel, not restored',
    async (test, page) => {
      await buildUser(test.context, { email: `xd${long}.example.org` });
      await opened(test, page, 'email-cancel', `d${long}.example.org`);
      await page.locator('button[type="submit"]').click();
      await page.locator('button[type="submit"]').waitFor({ state: 'detached' });
    },
  ],
  [
    'asked',
    async (test, page) => {
      const user = await buildUser(test.context);
      await page.goto(test.url);
      await signInAt(page, user.email, factoryPassword);
      await page.getByRole('banner').waitFor();
      await page.goto(`${test.url}/profile`);
      await ask(page, `${long}.example.net`);
      await expect(emailForm(page).getByRole('status')).toContainText(long);
    },
  ],
];

describePages('The pages of a change of email', function () {
  this.timeout(scaled(120_000));
  const test = useConsoleWithMail();
  beforeEach(() => buildUser(test.context, { role: 'super_admin' }));

  for (const [locale, colorScheme] of [
    ['en-GB', 'light'],
    ['de-DE', 'dark'],
  ] as const)
    it(`are accessible, show the focus and fit three window widths (${locale}, ${colorScheme})`, async () => {
      const options: BrowserContextOptions = { locale, colorScheme, hasTouch: true };
      const page = await test.open('about:blank', options);
      test.expectErrors(page, /status of 400/);
      const problems: string[] = [];
      for (const [name, open] of states) {
        await page.setViewportSize({ width: 1280, height: 720 });
        await page.goto('about:blank');
        await open(test, page);
        await heading(page).waitFor();
        problems.push(...(await accessibilityProblems(page)).map((problem) => `${name}: ${problem}`));
        for (const width of [360, 768, 1280]) {
          await page.setViewportSize({ width, height: 720 });
          await settled(page);
          await keepScreenshot(page, `${name}, ${locale}, ${width}`);
          problems.push(...(await layoutProblems(page)).map((problem) => `${name}, ${width}: ${problem}`));
        }
        problems.push(...(await focusProblems(page)).map((problem) => `${name}: ${problem}`));
      }
      expect(problems.join('\n')).toBe('');
    });
});
