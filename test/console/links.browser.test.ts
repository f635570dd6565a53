import type { BrowserContextOptions, Page } from '@playwright/test';
import { buildUser, linkFor } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { tokenOf } from '../support/mailbox.js';
import { accessibilityProblems, describePages, expect, keepScreenshot, settled } from './support/browser.js';
import { type ConsoleTest, signInAt, useConsole, useConsoleWithMail } from './support/console.js';
import { focusProblems } from './support/focus.js';
import { layoutProblems } from './support/layout.js';

const own = 'a-password-of-my-own';
const heading = (page: Page) => page.getByRole('heading', { level: 1 });

/** Watches for leaks of a secret: in URLs, referrers, messages of the browser's console, and browser storage. */
function watchSecret(page: Page, secret: string): () => Promise<string[]> {
  const found: string[] = [];
  page.on('request', (request) => {
    const { referer = '' } = request.headers();
    if (`${request.url()} ${referer}`.includes(secret)) found.push(`${request.method()} ${request.url()}`);
  });
  page.on('console', (message) => {
    if (`${message.text()} ${message.location().url}`.includes(secret)) found.push(`console: ${message.text()}`);
  });
  return async () => {
    const kept = await page.evaluate(() =>
      JSON.stringify([
        { ...localStorage },
        { ...sessionStorage },
        document.cookie,
        window.history.state,
        window.location.href,
        document.referrer,
        performance.getEntriesByType('resource').map(({ name }) => name),
      ]),
    );
    return kept.includes(secret) ? [...found, `kept: ${kept}`] : found;
  };
}

async function setPassword(page: Page): Promise<void> {
  await page.getByLabel(/^New password \*$/).fill(own);
  await page.getByLabel(/^New password again/).fill(own);
  await page.getByRole('button', { name: 'Set password' }).click();
}

describePages('A forgotten password', function () {
  this.timeout(scaled(60_000));
  const test = useConsoleWithMail();
  beforeEach(() => buildUser(test.context, { role: 'super_admin' }));

  it('is replaced by a mailed link with the keyboard alone; the link works only once and does not leak', async () => {
    const { email } = await buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee' });
    const page = await test.open(test.url);
    test.expectErrors(page, /status of 400/);
    const { keyboard } = page;
    await page.getByRole('link', { name: 'Have a link mailed to you' }).press('Enter');
    await expect(heading(page)).toHaveText('No password yet, or forgotten it?');
    await page.getByLabel('Email or phone').press('End');
    await keyboard.type(email);
    await keyboard.press('Enter');
    await expect(heading(page)).toHaveText('Check your mail');
    await expect(heading(page)).toBeFocused();

    const token = tokenOf(await test.mail.waitFor(({ to }) => to[0] === email));
    const secretOf = watchSecret(page, token);
    await page.goto(`${test.url}/set-password#${token}`);
    await expect(heading(page)).toHaveText('Hello Tia');
    await expect(page).toHaveURL(`${test.url}/set-password`);
    await expect(page.getByText(`Choose a password for your account ${email}. This link works until`)).toBeVisible();
    await expect(page.locator('input[autocomplete="username"]')).toHaveValue(email);
    const fields = page.locator('input[autocomplete="new-password"]');
    await expect(fields.first()).toBeFocused();
    await keyboard.type(own);
    await keyboard.press('Tab');
    await expect(fields.last()).toBeFocused();
    await keyboard.type(own);
    await keyboard.press('Enter');
    await expect(heading(page)).toHaveText('Your password is set');
    await expect(heading(page)).toBeFocused();
    await expect(page.getByLabel('Email or phone')).toHaveValue(email);
    await page.getByLabel(/^Password/).focus();
    await keyboard.type(own);
    await keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Account menu for Tia Trainee' })).toBeVisible();
    await expect(page).toHaveURL(`${test.url}/`);

    await page.goto(`${test.url}/set-password#${token}`);
    await expect(heading(page)).toHaveText('This link is no longer valid');
    await expect(page.getByRole('link', { name: 'Ask for a new link' })).toHaveAttribute('href', '/forgot-password');
    expect(await secretOf()).toEqual([]);
  });

  it('leads to the same response for any input; after too many requests, the page says when to retry', async () => {
    const page = await test.open(`${test.url}/forgot-password`);
    test.expectErrors(page, /status of 4(00|29)/);
    const ask = async (identifier: string) => {
      await page.getByLabel('Email or phone').fill(identifier);
      await page.getByRole('button', { name: 'Send link' }).click();
    };
    const { email, phone } = await buildUser(test.context);
    const texts = new Set<string>();
    for (const identifier of [email, phone, 'nobody@example.org', 'nothing of the kind']) {
      await ask(identifier);
      await expect(heading(page)).toHaveText('Check your mail');
      texts.add(await page.getByRole('main').innerText());
      await page.getByRole('button', { name: 'Enter email or phone again' }).click();
      await expect(heading(page)).toBeFocused();
    }
    expect(texts.size).toBe(1);
    await ask(' ');
    await expect(page.getByText('Fill in this field.')).toBeVisible();

    for (let status = 0; status !== 429; )
      ({ status } = await test.api('post', '/api/forgot-password').send({ identifier: 'nobody' }));
    await ask(email);
    await expect(page.getByRole('alert')).toHaveText(
      /^There were too many requests from your network\. Try again in (1 hour|\d+ minutes)\.$/,
    );
    await page.getByRole('link', { name: 'Back to signing in' }).click();
    await expect(heading(page)).toHaveText('Sign in');
  });
});

describePages('A forgotten password without mail', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  it('has no link on the sign-in page; the page for it says whom to ask', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const page = await test.open(test.url);
    await expect(page.getByText(/Ask the person who runs your programme to reset it/)).toBeVisible();
    await expect(page.getByRole('link')).toHaveCount(0);
    await page.goto(`${test.url}/forgot-password`);
    await expect(page.getByRole('main')).toContainText('Ask the person who runs your programme for a new password.');
    await expect(page.getByRole('textbox')).toHaveCount(0);
  });
});

describePages('A link to set a password', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();
  beforeEach(() => buildUser(test.context, { role: 'super_admin' }));

  it('is asked for if the page has no link, such as after a reload, and is found in pasted text', async () => {
    const user = await buildUser(test.context, { firstName: 'Tia' });
    const token = await linkFor(test.context, user, 'invite');
    const page = await test.open(`${test.url}/set-password#${token}`);
    await expect(heading(page)).toHaveText('Welcome, Tia');
    const link = page.getByLabel('Link');
    const pack = 'https://safe.example.org/?url=https%3A%2F%2Fcourses.example.org%2Fset-password%23';
    for (const pasted of [
      `https://courses.example.org/set-password#${token}`,
      ` ${token}\n`,
      `${pack}${token}&data=5`,
    ]) {
      await page.reload();
      await expect(heading(page)).toHaveText('Set password');
      await expect(page.getByText('If you reload this page, you need the link again.')).toBeVisible();
      await link.fill(pasted.replace(token, token.slice(1)));
      await page.getByRole('button', { name: 'Use this link' }).click();
      await expect(page.getByText('This is not a complete link from a mail.')).toBeVisible();
      await expect(link).toBeFocused();
      await link.fill(pasted);
      await link.press('Enter');
      await expect(heading(page)).toHaveText('Welcome, Tia');
      await expect(page.locator('input[type="password"]').first()).toBeFocused();
    }
    // Puts another link into the address bar of the open page.
    const next = await buildUser(test.context, { firstName: 'Bob' });
    await page.evaluate((hash) => window.location.assign(hash), `#${await linkFor(test.context, next)}`);
    await expect(heading(page)).toHaveText('Hello Bob');
    await expect(page).toHaveURL(`${test.url}/set-password`);
  });

  it('is reported as expired, used or made for something else, also while the password is typed', async () => {
    const user = await buildUser(test.context);
    const [first, token, confirm] = [
      await linkFor(test.context, user),
      await linkFor(test.context, user),
      await linkFor(test.context, user, 'email', 'new@example.org'),
    ];
    const page = await test.open(`${test.url}/set-password#${confirm}`);
    test.expectErrors(page, /status of 400/);
    await expect(heading(page)).toHaveText('This link is for something else');
    await page.getByLabel('Link').fill(token);
    await page.getByLabel('Link').press('Enter');
    await page.getByLabel(/^New password \*$/).fill('short');
    await page.getByRole('button', { name: 'Set password' }).click();
    await expect(page.getByText('The two passwords are not the same.')).toBeVisible();
    await page.getByLabel(/^New password again/).fill('short');
    await page.getByRole('button', { name: 'Set password' }).click();
    await expect(page.getByText('Enter 6 characters or more.')).toBeVisible();
    await test.api('post', '/api/links/set-password').send({ token: first, newPassword: own }).expect(200);
    await setPassword(page);
    await expect(heading(page)).toHaveText('This link is no longer valid');
    await expect(heading(page)).toBeFocused();

    const old = await linkFor(test.context, user);
    test.advance(60 * 60_000);
    await page.getByLabel('Link').fill(old);
    const asked = page.waitForResponse('**/api/links/check');
    await page.getByLabel('Link').press('Enter');
    await asked;
    await expect(heading(page)).toHaveText('This link is no longer valid');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signInAt(page, user.email, own);
    await expect(page.getByRole('banner')).toBeVisible();
  });

  it('works for its recipient even if somebody else is signed in', async () => {
    const bob = await buildUser(test.context, { firstName: 'Bob', lastName: 'Builder' });
    const tia = await buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee' });
    const page = await test.openAs(bob);
    const tab = await test.openTab(page, `${test.url}/set-password#${await linkFor(test.context, tia)}`);
    await expect(heading(tab)).toHaveText('Hello Tia');
    await expect(tab.getByText('Bob')).toHaveCount(0);
    await setPassword(tab);
    await signInAt(tab, tia.email, own);
    for (const one of [tab, page]) {
      await expect(one.getByRole('button', { name: 'Account menu for Tia Trainee' })).toBeVisible();
      await expect(one.getByText('Bob')).toHaveCount(0);
    }
    await expect(tab).toHaveURL(`${test.url}/`);
  });
});

const long = 'Wilhelmina-Maximiliane'.padEnd(50, 'e');

/** Name of a state of a page, and a function that opens the state and waits for it. */
type State = readonly [name: string, open: (test: ConsoleTest, page: Page) => Promise<unknown>];

const states: readonly State[] = [
  ['signing in', (test, page) => page.goto(test.url)],
  ['forgot password', (test, page) => page.goto(`${test.url}/forgot-password`)],
  [
    'forgot password, sent',
    async (test, page) => {
      await page.goto(`${test.url}/forgot-password`);
      await page.locator('input').fill('nobody@example.org');
      await page.locator('input').press('Enter');
      await page.locator('input').waitFor({ state: 'detached' });
    },
  ],
  ['set password, no link', (test, page) => page.goto(`${test.url}/set-password`)],
  [
    'set password, link no longer valid',
    async (test, page) => {
      await page.goto(`${test.url}/set-password#${'x'.repeat(43)}`);
      await page.locator('input').fill('nonsense');
      await page.locator('input').press('Enter');
    },
  ],
  [
    'set password',
    async (test, page) => {
      const user = await buildUser(test.context, {
        firstName: long,
        email: `${long}.${long}@example.org`.toLowerCase(),
      });
      await page.goto(`${test.url}/set-password#${await linkFor(test.context, user)}`);
      await page.locator('input[type="password"]').last().fill('else');
      await page.locator('input[type="password"]').last().press('Enter');
    },
  ],
  [
    'set password, done',
    async (test, page) => {
      const token = await linkFor(test.context, await buildUser(test.context), 'invite');
      await page.goto(`${test.url}/set-password#${token}`);
      await page.locator('input[type="password"]').last().waitFor();
      for (const field of await page.locator('input[type="password"]').all()) await field.fill(own);
      await page.locator('input[type="password"]').last().press('Enter');
      await page.locator('input[autocomplete="current-password"]').waitFor();
    },
  ],
];

describePages('The pages of links and forgotten passwords', function () {
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
