import type { Page } from '@playwright/test';
import { withLease } from '../../src/db/lease.js';
import { AppError } from '../../src/errors.js';
import { maxCounted } from '../../src/services/paging.js';
import { emailsOf, people, recordsOf, useImporting } from '../services/imports/support/importing.js';
import { expectWholeLedger } from '../services/imports/support/running.js';
import { atDepth } from '../support/depth.js';
import { buildUser, factoryPassword } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { type RunningProcess, useSubprocesses } from '../support/subprocess.js';
import { freePort } from '../support/test-server.js';
import { describePages, expect, useBrowser } from './support/browser.js';
import { signInAt } from './support/console.js';
import { row } from './support/courses.js';
import { applyPlan, chooseFormat, downloadPasswords, planFile } from './support/imports.js';

const count = atDepth(4000, 20_000);
/** Maximum duration of the whole import, in milliseconds. */
const importLimit = scaled(atDepth(120_000, 480_000));

const settings = {
  IMPORT_CONCURRENCY: '1',
  // Makes the import slow enough on any machine to be watched, reloaded and killed while it runs.
  BCRYPT_COST: '6',
  UV_THREADPOOL_SIZE: '1',
};

const rowsWords = /^([\d,]+) of ([\d,]+) rows$/;

/** Number of imported rows, as shown on the page. */
async function rowsDone(page: Page): Promise<number> {
  const words = await page.getByRole('status').filter({ hasText: rowsWords }).textContent();
  const [, done = '', total = ''] = rowsWords.exec(words ?? '') ?? [];
  expect(total).toBe(count.toLocaleString('en-GB'));
  return Number(done.replaceAll(',', ''));
}

const progressBar = (page: Page) => page.getByRole('progressbar', { name: 'Running' });
const percent = async (page: Page) => Number(await progressBar(page).getAttribute('aria-valuenow'));

/** Waits until more than `rows` rows are imported. @returns their number */
async function moreThan(page: Page, rows: number): Promise<number> {
  await expect(progressBar(page)).toBeVisible();
  await expect.poll(() => rowsDone(page)).toBeGreaterThan(rows);
  return rowsDone(page);
}

const completed = (page: Page) => page.getByText('Completed', { exact: true });
const unreachable = (page: Page) => page.getByText('The service cannot be reached at the moment.');

/** Number of accounts on the page of people, as text: those of the file and the super admin. */
const accounts = count < maxCounted ? (count + 1).toLocaleString('en-GB') : 'more than 10,000';

/** Checks that the session has survived: other pages open without signing in again. */
async function expectSignedIn(tabs: readonly Page[]): Promise<void> {
  for (const tab of tabs) {
    await tab.getByRole('navigation').getByRole('link', { name: 'People' }).click();
    await expect(tab.getByRole('heading', { level: 1, name: 'People' })).toBeVisible();
    await expect(tab.getByText(`1 to 20 of ${accounts}`)).toBeVisible();
  }
}

/** Checks a tab that was opened before the passwords were fetched: it still offers them, and explains the refusal. */
async function expectPasswordsFetched(tab: Page): Promise<void> {
  await chooseFormat(tab, 'Download passwords', 'Excel');
  const question = tab.getByRole('dialog', { name: 'Download the generated passwords?' });
  await question.getByRole('button', { name: 'Download' }).click();
  await expect(question.getByRole('alert')).toContainText('have already been fetched');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await tab.reload();
  await expect(tab.getByText('Completed', { exact: true })).toBeVisible();
  await expect(tab.getByRole('button', { name: 'Download passwords' })).toBeHidden();
}

describePages('An import during a crash of the service', function () {
  this.timeout(3 * importLimit);
  const importing = useImporting(settings);
  const browsing = useBrowser();
  const subprocesses = useSubprocesses();

  /** Starts the service, and waits until it listens. */
  async function start(port: number): Promise<RunningProcess> {
    const env = { PATH: process.env.PATH ?? '', ...importing.env };
    const argv = ['serve', '--json', '--host', '127.0.0.1', '--port', String(port)];
    const service = subprocesses.start(argv, { cwd: importing.folder, env });
    await service.waitForOutput(/\{"url":/);
    return service;
  }

  /** Starts the import on the page of imports. @returns the id of the import */
  async function begin(page: Page): Promise<string> {
    await planFile(page, 'people.csv', Buffer.from(people(count)));
    await applyPlan(page);
    return new URL(page.url()).pathname.split('/').at(-1) ?? '';
  }

  /** Frees the leases of the killed process immediately. */
  const expireLeases = () =>
    importing.context.database.sequelize.query("UPDATE leases SET expires_at = 0 WHERE name LIKE 'import%'");

  /** Runs work while no service can run imports, because this test holds their lock. */
  const withoutWorker = <T>(work: () => Promise<T>): Promise<T> =>
    withLease(importing.context.database, 'import-slot:1', 0, () => new AppError('IMPORT_CONFLICT'), work);

  /** Checks that each row of the file has one outcome, one account and one downloaded password. */
  async function expectEachRowOnce(id: string, passwords: string): Promise<void> {
    const { database } = importing.context;
    await expectWholeLedger(importing, id, count);
    const users = await database.models.User.findAll({ where: { role: 'trainee' }, raw: true });
    expect(users.map(({ email }) => email).sort()).toEqual(emailsOf(count));
    const credentials = recordsOf(importing.write('passwords.csv', passwords));
    expect(credentials.map(({ email }) => email)).toEqual(emailsOf(count));
  }

  it('shows its progress in every tab before and after the crash, and imports every row exactly once', async () => {
    const admin = await buildUser(importing.context, { role: 'super_admin', firstName: 'Ada', lastName: 'Admin' });
    const port = await freePort();
    const service = await start(port);
    const page = await browsing.open(`http://localhost:${port}/imports`);
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
    for (const each of tabs) browsing.expectErrors(each, /net::ERR_|status of (410|503)/);

    service.kill('SIGKILL');
    for (const each of tabs) {
      await expect(unreachable(each)).toBeVisible();
      done = Math.max(done, await rowsDone(each));
    }
    expect(done).toBeLessThan(count);

    await expireLeases();
    const { list, again } = await withoutWorker(async () => {
      const next = await start(port);
      for (const each of tabs) {
        await expect(unreachable(each)).toBeHidden();
        await expect(each.getByText('The service resumes it by itself')).toBeVisible();
        await expect(each.getByRole('button', { name: /Undo|Download/ })).toHaveCount(0);
      }
      const opened = await browsing.openTab(page, `http://localhost:${port}/imports`);
      await expect(row(opened, 'people.csv')).toContainText('Interrupted');
      return { list: opened, again: next };
    });
    for (const each of tabs) await expect(progressBar(each).or(completed(each))).toBeVisible();
    for (const each of tabs) await expect(completed(each)).toBeVisible({ timeout: importLimit });
    await expect(row(list, 'people.csv')).toContainText('Completed');

    const passwords = await downloadPasswords(page);
    await expectPasswordsFetched(tab);
    await expectEachRowOnce(id, passwords);
    await expectSignedIn(tabs);
    again.kill('SIGTERM');
    expect((await again.ended).exitCode).toBe(0);
  });
});
