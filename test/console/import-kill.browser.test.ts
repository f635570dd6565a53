import type { Page } from '@playwright/test';
import { withLease } from '../../src/db/lease.js';
import { AppError } from '../../src/errors.js';
import { maxCounted } from '../../src/services/paging.js';
import { emailsOf, people, recordsOf, useImporting } from '../services/imports/support/importing.js';
import { expectWholeLedger } from '../services/imports/support/running.js';
import { atDepth } from '../support/depth.js';
import { buildUser, factoryPassword } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect, keepScreenshot, useBrowser } from './support/browser.js';
import { signInAt } from './support/console.js';
import { row } from './support/courses.js';
import { applyPlan, downloadPasswords, expectPasswordsFetched, planFile } from './support/imports.js';
import { useServiceProcess } from './support/service-process.js';

const count = atDepth(4000, 20_000);
/** The whole import takes so long at most, in milliseconds. */
const importLimit = scaled(atDepth(120_000, 480_000));

const settings = {
  IMPORT_CONCURRENCY: '1',
  // On any machine the import takes long enough to be looked at, reloaded and killed in its middle.
  BCRYPT_COST: '6',
  UV_THREADPOOL_SIZE: '1',
};

const rowsWords = /^([\d,]+) of ([\d,]+) rows$/;

/** How many rows the page says are done. */
async function rowsDone(page: Page): Promise<number> {
  const words = await page.getByRole('status').filter({ hasText: rowsWords }).textContent();
  const [, done = '', total = ''] = rowsWords.exec(words ?? '') ?? [];
  expect(total).toBe(count.toLocaleString('en-GB'));
  return Number(done.replaceAll(',', ''));
}

const progressBar = (page: Page) => page.getByRole('progressbar', { name: 'Running' });
const percent = async (page: Page) => Number(await progressBar(page).getAttribute('aria-valuenow'));

/** Waits until more rows are done than so many. @returns how many */
async function moreThan(page: Page, rows: number): Promise<number> {
  await expect(progressBar(page)).toBeVisible();
  await expect.poll(() => rowsDone(page)).toBeGreaterThan(rows);
  return rowsDone(page);
}

const completed = (page: Page) => page.getByText('Completed', { exact: true });
const unreachable = (page: Page) => page.getByText('The service cannot be reached at the moment.');

/** What must be seen in none of the tabs: it would say that something is lost, or ask for something. */
const alarming = ['Failed', 'This could not be loaded', 'Sign in', 'Resume'];

/** Notes in the page which alarming words it shows from now on. */
async function watchWords(page: Page): Promise<void> {
  await page.evaluate((words) => {
    const seen = new Set<string>();
    Object.assign(globalThis, { seenWords: seen });
    new MutationObserver(() => {
      for (const word of words) if (document.body.innerText.includes(word)) seen.add(word);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  }, alarming);
}

/** The alarming words that the page has shown since. */
const seenWords = (page: Page): Promise<string[]> =>
  // Put there by watchWords().
  page.evaluate(() => [...(globalThis as unknown as { seenWords: Set<string> }).seenWords]);

/** How many accounts the page of people tells of: those of the file and the super admin's. */
const accounts = count < maxCounted ? (count + 1).toLocaleString('en-GB') : 'more than 10,000';

/** The session has survived: other pages are shown without signing in again. */
async function expectSignedIn(tabs: readonly Page[]): Promise<void> {
  for (const tab of tabs) {
    await tab.getByRole('navigation').getByRole('link', { name: 'People' }).click();
    await expect(tab.getByRole('heading', { level: 1, name: 'People' })).toBeVisible();
    await expect(tab.getByText(`1 to 20 of ${accounts}`)).toBeVisible();
  }
}

describePages('An import whose service is killed', function () {
  this.timeout(3 * importLimit);
  const importing = useImporting(settings);
  const browsing = useBrowser();
  const service = useServiceProcess(() => ({
    cwd: importing.folder,
    env: { PATH: process.env.PATH ?? '', ...importing.env },
  }));

  /** Starts the import of the file on the page of imports. @returns its id */
  async function begin(page: Page): Promise<string> {
    await planFile(page, 'people.csv', Buffer.from(people(count)));
    await applyPlan(page);
    return new URL(page.url()).pathname.split('/').at(-1) ?? '';
  }

  /** Frees the leases of the killed process immediately. */
  const expireLeases = () =>
    importing.context.database.sequelize.query("UPDATE leases SET expires_at = 0 WHERE name LIKE 'import%'");

  /** Runs work while no service can run imports. */
  const withoutWorker = <T>(work: () => Promise<T>): Promise<T> =>
    withLease(importing.context.database, 'import-slot:1', 0, () => new AppError('IMPORT_CONFLICT'), work);

  /** Each row of the file has one outcome and one account, and its password is in the file of passwords. */
  async function expectEachRowOnce(id: string, passwords: string): Promise<void> {
    const { database, hasher } = importing.context;
    await expectWholeLedger(importing, id, count);
    const users = await database.models.User.findAll({ where: { role: 'trainee' }, raw: true });
    expect(users.map(({ email }) => email).sort()).toEqual(emailsOf(count));
    const credentials = recordsOf(importing.write('passwords.csv', passwords));
    expect(credentials.map(({ email }) => email)).toEqual(emailsOf(count));
    const hashes = new Map(users.map((user) => [user.email, user.passwordHash]));
    // All of them would take longer than the import.
    for (const { email = '', password = '' } of credentials.filter((_record, at) => at % 50 === 0))
      expect(await hasher.compare(password, hashes.get(email) ?? ''), email).toBe(true);
  }

  it('shows its progress in every tab, before and after, and ends with every row once', async () => {
    const admin = await buildUser(importing.context, { role: 'super_admin', firstName: 'Ada', lastName: 'Admin' });
    await service.start();
    const page = await browsing.open(`${service.url}/imports`);
    await signInAt(page, admin.email, factoryPassword);
    const id = await begin(page);
    const first = await moreThan(page, 0);
    const before = await percent(page);
    await moreThan(page, first);
    await expect.poll(() => percent(page)).toBeGreaterThan(before);
    await page.reload();
    const reloaded = await moreThan(page, first);
    const tab = await browsing.openTab(page, page.url());
    const tabs = [page, tab];
    let done = await moreThan(tab, reloaded);
    for (const each of tabs) {
      await watchWords(each);
      browsing.expectErrors(each, /net::ERR_|status of (410|503)/);
    }

    await service.kill();
    for (const each of tabs) {
      await expect(unreachable(each)).toBeVisible();
      done = Math.max(done, await rowsDone(each));
    }
    expect(done).toBeLessThan(count);
    await keepScreenshot(page, 'import service away');

    await expireLeases();
    const list = await withoutWorker(async () => {
      await service.start();
      for (const each of tabs) {
        await expect(unreachable(each)).toBeHidden();
        await expect(each.getByText('The service resumes it by itself')).toBeVisible();
        await expect(each.getByRole('button', { name: /Undo|Download/ })).toHaveCount(0);
      }
      await keepScreenshot(page, 'import interrupted');
      const opened = await browsing.openTab(page, `${service.url}/imports`);
      await expect(row(opened, 'people.csv')).toContainText('Interrupted');
      return opened;
    });
    for (const each of tabs) await expect(progressBar(each).or(completed(each))).toBeVisible();
    for (const each of tabs) await expect(completed(each)).toBeVisible({ timeout: importLimit });
    await expect(row(list, 'people.csv')).toContainText('Completed');
    await keepScreenshot(page, 'import completed after a kill');
    for (const each of tabs) expect(await seenWords(each)).toEqual([]);

    const passwords = await downloadPasswords(page);
    await expectPasswordsFetched(tab);
    await expectEachRowOnce(id, passwords);
    await expectSignedIn(tabs);
    expect((await service.stop()).exitCode).toBe(0);
  });
});
