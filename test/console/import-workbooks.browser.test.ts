import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect } from 'chai';
import type { User } from '../../src/db/models/user.js';
import { xlsxBytes } from '../../src/tables/write/xlsx.js';
import { buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { rowsInBytes } from '../support/workbooks.js';
import {
  accessibilityProblems,
  describePages,
  expect as expectPage,
  horizontalOverflow,
  keepScreenshot,
} from './support/browser.js';
import { useConsole } from './support/console.js';
import { applyPlan, chooseFormat, csv, downloadBytes, planFile, planned, unfold } from './support/imports.js';

const threeSheets = readFileSync('test/fixtures/workbooks/three-sheets.ods');
const timeout = scaled(20_000);

async function planAgain(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Plan again with these changes' });
  await button.click();
  await expectPage(button).toBeHidden({ timeout });
  await expectPage(page.getByText(planned)).toBeVisible({ timeout });
}

const sheets = (page: Page) => page.getByLabel('Sheet to import');
const problem = (page: Page) => page.getByRole('alert').filter({ hasText: 'The file cannot be imported like this' });

/** Drops a file on the page of imports. */
async function dropFile(page: Page, name: string, content: Buffer): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([title, base64]) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], title));
      return transfer;
    },
    [name, content.toString('base64')] as const,
  );
  await page.getByRole('group', { name: 'Add files' }).dispatchEvent('drop', { dataTransfer });
}

/** Replaces the emails and phones in a workbook of rejected rows by valid ones. */
async function corrected(workbook: Buffer): Promise<Buffer> {
  const [header = [], ...rejected] = await rowsInBytes(workbook);
  const rows = rejected.map((cells, row) =>
    cells.map((cell, index) => {
      if (header[index] === 'E-Mail') return `corrected${row}@example.org`;
      return header[index] === 'Handy' ? `+49 151 5000${row}` : cell;
    }),
  );
  const bytes: Uint8Array[] = [];
  const columns = header.map((heading) => ({ heading }));
  for await (const part of xlsxBytes({ sheet: 'Rejected rows', columns, rows })) bytes.push(part);
  return Buffer.concat(bytes);
}

describePages('Workbooks in the web console', function () {
  this.timeout(scaled(90_000));
  const test = useConsole();
  let admin: User;
  beforeEach(async () => {
    admin = await buildUser(test.context, { role: 'super_admin' });
  });

  it('show the imported sheet, and map the columns again for another sheet', async () => {
    const page = await test.openAs(admin, '/imports', { viewport: { width: 360, height: 800 } });
    await planFile(page, 'list.ods', threeSheets);
    await expectPage(page.getByText('Sheet “Teilnehmer 2026”, heading in line 3')).toBeVisible();
    const above = page
      .getByRole('listitem')
      .filter({ hasText: 'Lines above the header, such as this one, are not imported:' });
    await expectPage(above).toContainText('Teilnehmerliste Herbst 2026');
    await expectPage(sheets(page)).toHaveValue('Teilnehmer 2026');
    await expectPage(sheets(page).getByRole('option')).toHaveText(['Listen (hidden)', 'Hinweise', 'Teilnehmer 2026']);
    await expectPage(page.getByLabel('Encoding of the file')).toHaveCount(0);
    await expectPage(page.getByLabel('Columns are separated by')).toHaveCount(0);
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    expect(await horizontalOverflow(page)).to.be.at.most(0);
    await keepScreenshot(page, 'workbook planned');

    await unfold(page, 'Change columns');
    await page.getByLabel('What “Rolle” is imported as').selectOption('');
    await planAgain(page);
    await expectPage(page.getByLabel('What “Rolle” is imported as')).toHaveValue('');
    await sheets(page).selectOption('Listen');
    await expectPage(page.getByText('The columns are read again')).toBeVisible();
    await planAgain(page);
    await expectPage(page.getByText('Sheet “Listen”, heading in line 1')).toBeVisible();
    await expectPage(page.getByLabel('What “Rolle” is imported as')).toHaveCount(0);

    // A sheet without a table: the other sheets are still offered.
    await sheets(page).selectOption('Hinweise');
    await planAgain(page);
    await expectPage(problem(page)).toBeVisible();
    await expectPage(sheets(page)).toHaveValue('Hinweise');
    await sheets(page).selectOption('Teilnehmer 2026');
    await planAgain(page);
    await expectPage(page.getByLabel('What “Rolle” is imported as')).toHaveValue('role');
    await sheets(page).selectOption('Hinweise');
    await sheets(page).selectOption('Teilnehmer 2026');
    await expectPage(page.getByRole('button', { name: 'Import', exact: true })).toBeEnabled();
  });

  it('are imported, and give rejected rows and passwords as workbooks; corrected rows can be imported', async () => {
    const page = await test.openAs(admin, '/imports');
    await dropFile(page, 'list.ods', threeSheets);
    await expectPage(page.getByText('Sheet “Teilnehmer 2026”')).toBeVisible({ timeout: scaled(60_000) });
    await sheets(page).focus();
    await page.keyboard.type('Listen');
    await planAgain(page);
    await expectPage(page.getByText('Sheet “Listen”')).toBeVisible();
    await sheets(page).focus();
    await page.keyboard.type('Teilnehmer');
    await planAgain(page);
    await expectPage(page.getByText('No course has this id or title.').first()).toBeVisible();
    await unfold(page, 'Change columns');
    await page.getByLabel('What “Kurs” is imported as').selectOption({ label: 'Not imported' });
    await planAgain(page);
    await expectPage(page.getByText('No course has this id or title.')).toHaveCount(0);
    await applyPlan(page);
    await expectPage(page.getByText('Completed', { exact: true })).toBeVisible({ timeout });

    const button = page.getByRole('button', { name: 'Download rejected rows' });
    await button.press('Enter');
    await expectPage(page.getByRole('menuitem').first()).toBeFocused();
    expect(await page.getByRole('menuitem').allTextContents()).to.deep.equal(['Excel', 'CSV']);
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await keepScreenshot(page, 'workbook rejects');
    const rejects = await downloadBytes(page, () => page.keyboard.press('Enter'));
    await expectPage(button).toBeFocused();
    await chooseFormat(page, 'Download passwords', 'Excel');
    const passwords = await downloadBytes(page, () =>
      page.getByRole('dialog').getByRole('button', { name: 'Download' }).click(),
    );
    expect(await rowsInBytes(passwords)).to.have.length(30);

    const input = page.locator('input[type="file"]');
    await input.setInputFiles({ name: 'corrected.xlsx', mimeType: '', buffer: await corrected(rejects) });
    await expectPage(page.getByRole('heading', { level: 1, name: 'corrected.xlsx' })).toBeVisible();
    await expectPage(page.getByText('Every row can be imported.')).toBeVisible({ timeout: scaled(60_000) });
    await expectPage(page.getByLabel('What “Kurs” is imported as')).toHaveValue('');
    await applyPlan(page);
    await expectPage(page.getByText('Completed', { exact: true })).toBeVisible({ timeout });
    await expectPage(button).toHaveCount(0);
    expect(await test.context.database.models.User.count()).to.equal(1 + 32);
  });

  it('offer their sheets if the requested sheet does not exist', async () => {
    const page = await test.openAs(admin, '/imports');
    // Sends the name of a sheet, as another client could do.
    await page.route('**/api/imports', async (route) => {
      const body = route.request().postDataBuffer()?.toString('latin1') ?? '';
      const [boundary = ''] = body.split('\r\n');
      const sheet = `${boundary}\r\nContent-Disposition: form-data; name="sheet"\r\n\r\nNobody\r\n`;
      await route.continue(
        route.request().method() === 'POST' ? { postData: Buffer.from(sheet + body, 'latin1') } : {},
      );
    });
    await planFile(page, 'list.ods', threeSheets);
    await expectPage(problem(page)).toContainText('The workbook has no such sheet. Choose another below.');
    await expectPage(sheets(page)).toHaveValue('');
    await sheets(page).selectOption('Teilnehmer 2026');
    await planAgain(page);
    await expectPage(page.getByText('Sheet “Teilnehmer 2026”')).toBeVisible();
    await expectPage(page.getByRole('button', { name: 'Import', exact: true })).toBeEnabled();
  });

  it('are refused with advice if they cannot be read', async () => {
    const page = await test.openAs(admin, '/imports', { locale: 'de-DE' });
    test.expectErrors(page, /status of 400/);
    const damaged = threeSheets.subarray(0, threeSheets.length / 2);
    const xls = readFileSync('test/fixtures/workbooks/edge.xls');
    for (const [content, words] of [
      [damaged, 'Die Arbeitsmappe ist beschädigt oder unvollständig.'],
      [xls, 'Arbeitsmappen dieser Art sind nicht lesbar.'],
    ] as const) {
      await page.goto(`${test.url}/imports`);
      await page.locator('input[type="file"]').setInputFiles({ name: 'leute.xlsx', mimeType: '', buffer: content });
      await expectPage(page.getByRole('alert')).toContainText(`Diese Datei kann nicht importiert werden.${words}`);
    }
  });

  it('are recognized by their content, not by their file names', async () => {
    const page = await test.openAs(admin, '/imports');
    await planFile(page, 'people.xlsx', csv('First name,Last name,Email,Phone', 'Ann,Archer,ann@example.org,+44 1'));
    await expectPage(page.getByText('UTF-8, separated by comma')).toBeVisible();
    await expectPage(sheets(page)).toHaveCount(0);
    await unfold(page, 'Change options');
    await expectPage(page.getByLabel('Encoding of the file')).toBeVisible();
  });
});
