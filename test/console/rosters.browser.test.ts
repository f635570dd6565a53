import type { Page } from '@playwright/test';
import { expect } from 'chai';
import type { User } from '../../src/db/models/user.js';
import { buildCourse, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import {
  accessibilityProblems,
  describePages,
  expect as expectPage,
  horizontalOverflow,
  keepScreenshot,
} from './support/browser.js';
import { useConsole } from './support/console.js';
import { applyPlan, chooseCourse, csv, planFile, unfold } from './support/imports.js';

const people = ['Ada,Lovelace', 'Alan,Turing', 'Edsger,Dijkstra', 'Grace,Hopper'].map(
  (name, index) => `${name},p${index}@example.org,+44 20 160100${index}`,
);
const list = (...rows: readonly (string | undefined)[]) =>
  csv('firstName,lastName,email,phone', ...rows.flatMap((row) => row ?? []));

describePages('Keeping a group in step with a file in the web console', function () {
  this.timeout(scaled(90_000));
  const test = useConsole();
  let admin: User;
  beforeEach(async () => {
    admin = await buildUser(test.context, { role: 'super_admin' });
    const trainer = await buildUser(test.context, { role: 'trainer' });
    await buildCourse(test.context, trainer, { title: 'Weaving', isPublished: true });
  });

  const again = (page: Page) => page.getByRole('button', { name: 'Plan again with these changes' }).click();
  const completed = (page: Page) =>
    expectPage(page.getByText('Completed', { exact: true })).toBeVisible({ timeout: scaled(30_000) });

  async function memberEmails(): Promise<string[]> {
    const { GroupMember, User } = test.context.database.models;
    const id = (await GroupMember.findAll()).map(({ userId }) => userId);
    return (await User.findAll({ where: { id }, order: ['email'] })).map(({ email }) => email.replace(/@.*/, ''));
  }

  /** Plans a file, and keeps the group Year 9 in step with it. */
  async function planSync(page: Page, name: string, content: Buffer): Promise<void> {
    await page.goto(`${test.url}/imports`);
    await planFile(page, name, content);
    await page.getByLabel('Keep a group in step with this file').check();
    await page.getByRole('combobox', { name: 'Group in step with the file' }).fill('Year 9');
  }

  it('takes out who is no longer in the file, and asks before most of a class leaves', async () => {
    const page = await test.openAs(admin, '/imports');
    await planSync(page, 'autumn.csv', list(...people));
    await chooseCourse(page, 'Weaving');
    await page.getByLabel('Accounts of people who leave').selectOption('deactivate');
    await unfold(page, 'Change options');
    await expectPage(page.getByLabel('When a course is full')).toHaveValue('wait');
    await expectPage(page.getByLabel('A row whose account exists').getByText('Reject the row')).toHaveCount(0);
    await again(page);
    await expectPage(page.getByText('This is the first sync of the group: nobody leaves.')).toBeVisible();
    await applyPlan(page);
    await completed(page);
    expect(await memberEmails()).to.deep.equal(['p0', 'p1', 'p2', 'p3']);

    // The group brings its course and the accounts to deactivate along. Its name is suggested.
    await planSync(page, 'winter.csv', list(...people.slice(1)));
    await page.getByRole('option', { name: 'Year 9' }).click();
    await again(page);
    await expectPage(page.getByRole('heading', { name: '1 of 4 members leaves “Year 9”' })).toBeVisible();
    const leaver = page.getByRole('listitem').filter({ hasText: 'Ada Lovelace (p0@example.org)' });
    await expectPage(leaver).toContainText('1 enrollment ends · The account becomes inactive');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Import this file?' });
    await expectPage(dialog).toContainText('1 member leaves the group');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await completed(page);
    await page.getByRole('link', { name: 'Show the 1 member who left' }).click();
    await expectPage(page.getByRole('row', { name: /Left the group Ada Lovelace/ })).toBeVisible();
    expect(await memberEmails()).to.deep.equal(['p1', 'p2', 'p3']);
    const { Enrollment, User } = test.context.database.models;
    expect(await Enrollment.count({ where: { status: 'cancelled', cancelReason: 'roster' } })).to.equal(1);
    expect(await User.count({ where: { isActive: false } })).to.equal(1);

    // Most of the class is missing: the sync is held.
    await planSync(page, 'part.csv', list(people[1]));
    await again(page);
    await expectPage(page.getByRole('alert').filter({ hasText: 'Too many members would leave' })).toContainText(
      '2 of 3 members would leave “Year 9”; without an approval, at most 1 may.',
    );
    await expectPage(page.getByRole('button', { name: 'Import', exact: true })).toHaveCount(0);
    const approve = '2 people leave: synchronise';
    await page.getByRole('button', { name: approve }).click();
    await dialog.getByRole('button', { name: approve }).click();
    await completed(page);
    expect(await memberEmails()).to.deep.equal(['p1']);

    // Undo brings the members back.
    await page.getByRole('button', { name: 'Undo the import' }).click();
    await page
      .getByRole('dialog', { name: 'Undo this import?' })
      .getByRole('button', { name: 'Undo the import' })
      .click();
    await expectPage(page.getByText('Undone', { exact: true }).first()).toBeVisible({ timeout: scaled(20_000) });
    expect(await memberEmails()).to.deep.equal(['p1', 'p2', 'p3']);
  });

  it('shows the options and a held plan in German, also in a narrow window', async () => {
    const page = await test.openAs(admin, '/imports', { locale: 'de-DE' });
    const abgleich = async (name: string, rows: readonly string[]) => {
      await page.goto(`${test.url}/imports`);
      await page.locator('input[type="file"]').setInputFiles({ name, mimeType: 'text/csv', buffer: list(...rows) });
      await page.getByLabel('Eine Gruppe mit dieser Datei abgleichen').check({ timeout: scaled(60_000) });
      await page.getByRole('combobox', { name: 'Gruppe, die die Datei abgleicht' }).fill('Klasse 9');
      await page.getByRole('button', { name: 'Mit diesen Änderungen neu planen' }).click();
    };
    await abgleich('herbst.csv', people);
    await page.getByRole('button', { name: 'Importieren', exact: true }).click({ timeout: scaled(60_000) });
    await page.getByRole('dialog').getByRole('button', { name: 'Importieren' }).click();
    await expectPage(page.getByText('Abgeschlossen', { exact: true })).toBeVisible({ timeout: scaled(60_000) });
    await abgleich('teil.csv', people.slice(3));
    await expectPage(page.getByRole('button', { name: '3 Personen verlassen die Gruppe: abgleichen' })).toBeVisible();
    await expectPage(page.getByRole('listitem').filter({ hasText: 'Ada Lovelace' })).toBeVisible();
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await horizontalOverflow(page)).to.be.at.most(0);
      expect(await accessibilityProblems(page)).to.deep.equal([]);
      await keepScreenshot(page, `held sync German ${width}`);
    }
  });
});
