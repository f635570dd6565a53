import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { scaled } from '../../support/machine.js';
import { expect } from './browser.js';

/** CSV file of some lines. */
export const csv = (...lines: string[]): Buffer => Buffer.from(`${lines.join('\n')}\n`);

/** Chooses a file on the page of imports, and waits for its plan. */
export async function planFile(page: Page, name: string, content: Buffer): Promise<void> {
  await page.locator('input[type="file"]').setInputFiles({ name, mimeType: 'text/csv', buffer: content });
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  await expect(page.getByText(planned)).toBeVisible({ timeout: scaled(60_000) });
}

/** Statuses of a finished plan. */
export const planned = /^(Waiting for your confirmation|Cannot be imported like this)$/;

/** Shows a folded part of a plan. */
export async function unfold(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
}

/** Chooses the course for everybody in an import, by its title. */
export async function chooseCourse(page: Page, title: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Enroll everybody in this course' }).fill(title);
  await page.getByRole('option', { name: title }).click();
}

/** Applies the shown plan. */
export async function applyPlan(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('dialog', { name: 'Import this file?' }).getByRole('button', { name: 'Import' }).click();
}

/** Bytes of the file that an action downloads. */
export async function downloadBytes(page: Page, act: () => Promise<void>): Promise<Buffer> {
  const [file] = await Promise.all([page.waitForEvent('download'), act()]);
  return readFileSync(await file.path());
}

/** Text of the file that an action downloads. */
export const downloadText = async (page: Page, act: () => Promise<void>): Promise<string> =>
  (await downloadBytes(page, act)).toString('utf8');

/** Downloads a table in a format. @param button name of the button that opens the choice */
export async function chooseFormat(page: Page, button: string, format: 'CSV' | 'Excel'): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('menuitem', { name: format }).click();
}

/** Downloads the generated passwords of the shown import, which works once. @returns CSV */
export async function downloadPasswords(page: Page): Promise<string> {
  await chooseFormat(page, 'Download passwords', 'CSV');
  const text = await downloadText(page, () =>
    page
      .getByRole('dialog', { name: 'Download the generated passwords?' })
      .getByRole('button', { name: 'Download' })
      .click(),
  );
  await expect(page.getByRole('button', { name: 'Download passwords' })).toBeHidden();
  return text;
}
