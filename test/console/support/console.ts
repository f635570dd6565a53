import path from 'node:path';
import type { BrowserContextOptions, Page } from '@playwright/test';
import type { User } from '../../../src/db/models/user.js';
import { type RunningServer, startServer } from '../../../src/http/server/server.js';
import { compiledProgram } from '../../support/built-program.js';
import { mailSettings } from '../../support/environment.js';
import { factoryPassword } from '../../support/factories.js';
import { type Harness, useHarness } from '../../support/harness.js';
import { scaled } from '../../support/machine.js';
import { type MailServer, startMailServer } from '../../support/mail-server.js';
import { type OidcProvider, startOidcProvider } from '../../support/oidc-provider.js';
import { freePort } from '../../support/test-server.js';
import { type Browsing, expect, useBrowser } from './browser.js';

export interface ConsoleTest extends Harness, Browsing {
  /** URL of the service. */
  url: string;
  /** Opens a path of the console, signed in as a user of a factory. */
  openAs(user: User, path?: string, options?: BrowserContextOptions): Promise<Page>;
}

/** Any free port. */
const address = { HOST: '127.0.0.1', PORT: '0' };

/** Gives the enclosing `describe` the service with the built console on a free port, and a browser. */
export const useConsole = (settings: Record<string, string> = {}, flags?: readonly string[]): ConsoleTest =>
  useConsoleWith({ ...address, ...settings }, flags);

/**
 * @param settings read before the first test
 * @param flags command-line flags of Chromium
 */
function useConsoleWith(settings: Record<string, string>, flags?: readonly string[]): ConsoleTest {
  const harness = useHarness(settings);
  const browsing = useBrowser(flags);
  let server: RunningServer;
  let consoleFolder: string;

  before(async function () {
    this.timeout(scaled(180_000));
    consoleFolder = path.join(await compiledProgram(), 'console');
  });
  beforeEach(async function () {
    this.timeout(scaled(30_000));
    server = await startServer(harness.context, { consoleFolder, drainMs: 100 });
    test.url = server.url.replace('127.0.0.1', 'localhost');
  });
  afterEach(async function () {
    this.timeout(scaled(30_000));
    await server.close();
  });

  const test: ConsoleTest = Object.assign(harness, browsing, {
    url: '',
    async openAs(user: User, address = '/', options: BrowserContextOptions = {}) {
      const page = await browsing.open(`${test.url}${address}`, options);
      await signInAt(page, user.email, factoryPassword);
      await page.getByRole('banner').waitFor();
      return page;
    },
  });
  return test;
}

/** Like {@link useConsole}, with a mail server that receives the mails of the service. */
export function useConsoleWithMail(): ConsoleTest & { mail: MailServer } {
  const settings = { ...address, ...mailSettings };
  before(async () => {
    test.mail = await startMailServer();
    settings.SMTP_URL = test.mail.url;
  });
  after(() => test.mail.close());
  // `mail` is set above, before any test.
  const test = useConsoleWith(settings) as ConsoleTest & { mail: MailServer };
  return test;
}

/** Like {@link useConsole}, with a provider of the organisation's sign-in. */
export function useConsoleWithOidc(given: Record<string, string> = {}): ConsoleTest {
  const settings: Record<string, string> = { ...address };
  let provider: OidcProvider;
  before(async () => {
    settings.PORT = String(await freePort());
    provider = await startOidcProvider(`http://localhost:${settings.PORT}`);
    Object.assign(settings, provider.settings, given);
  });
  after(() => provider.close());
  return useConsoleWith(settings);
}

/** Fills in the sign-in form. */
export async function signInAt(page: Page, identifier: string, password: string): Promise<void> {
  await page.getByLabel(/^(Email or phone|E-\u2060Mail oder Telefon)/).fill(identifier);
  await page.getByLabel(/^(Password|Passwort)/).fill(password);
  await page.getByRole('button', { name: /^(Sign in|Anmelden)$/ }).click();
}

/** Simulates a return to the page a minute later, so that its data is fetched again. */
export async function returnToPage(page: Page): Promise<void> {
  await page.clock.setFixedTime((await page.evaluate(() => Date.now())) + 60_000);
  await page.evaluate(() => void window.dispatchEvent(new Event('visibilitychange')));
}

/** Answers the question of the console whether to leave the page. @param question part of its text */
export async function answerLeaving(
  page: Page,
  answer: 'Keep editing' | 'Discard' | 'Stay' | 'Leave',
  question: string,
): Promise<void> {
  const dialog = page.getByRole('dialog', { name: /^Leave (without saving|the page)\?$/ });
  await expect(dialog).toContainText(question);
  await dialog.getByRole('button', { name: answer, exact: true }).click();
  await expect(dialog).toBeHidden();
}

/** Whether the browser would ask before it closes the tab. */
export const asksBeforeClosing = (page: Page): Promise<boolean> =>
  page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
