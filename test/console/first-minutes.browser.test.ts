import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect } from 'chai';
import { buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect as expectPage, horizontalOverflow } from './support/browser.js';
import { type ConsoleTest, signInAt, useConsole } from './support/console.js';
import { downloadText } from './support/imports.js';

const firstSteps = (page: Page) => page.getByRole('region', { name: 'First steps' });
const loadDemo = (page: Page) => page.getByRole('button', { name: 'Load the demo programme' });

/** Checks accessibility and width of this screen, which screens.browser.test.ts doesn't visit. */
async function checkScreen(page: Page): Promise<void> {
  await page.locator('.recharts-surface').first().waitFor();
  expect(await accessibilityProblems(page)).to.deep.equal([]);
  await page.setViewportSize({ width: 360, height: 740 });
  // Charts adapt to the new width of the window after a moment.
  await expectPage.poll(() => horizontalOverflow(page)).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1280, height: 800 });
}

async function setUp(test: ConsoleTest): Promise<Page> {
  const page = await test.open(test.url, { viewport: { width: 1280, height: 800 } });
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('Last name').fill('Lovelace');
  await page.getByLabel('Email').fill('ada@example.org');
  await page.getByLabel('Phone').fill('+44 20 7946 0000');
  await page.getByLabel(/^Password/).fill('difference engine');
  await page.getByRole('button', { name: 'Create super admin' }).click();
  await expectPage(firstSteps(page)).toBeVisible();
  return page;
}

describePages('The first minutes in the web console', function () {
  this.timeout(scaled(120_000));
  const test = useConsole();
  const accounts = () => test.context.database.models.User.count();

  it('lead from setup to a demo programme and its sign-in data', async () => {
    const page = await setUp(test);
    await checkScreen(page);
    await loadDemo(page).click();
    const notice = page.getByRole('status').filter({ hasText: 'The demo programme is loaded' });
    await expectPage(notice).toBeVisible();
    await expectPage(notice).toBeFocused();
    await expectPage(notice).toContainText('trainer1@example.com, trainer2@example.com, trainer3@example.com');
    await expectPage(firstSteps(page)).toBeHidden();
    await expectPage(page.getByRole('region', { name: 'People' })).toContainText('Accounts204');
    const password = await page.getByLabel('Password of all demo accounts').inputValue();
    await checkScreen(page);

    // The notice stays, so that the password can be found later.
    await page.reload();
    await expectPage(notice).toBeVisible();
    const trainer = await test.open(test.url);
    await signInAt(trainer, 'trainer1@example.com', password);
    await expectPage(trainer.getByRole('region', { name: 'Next course' })).toBeVisible();
  });

  it('lead from setup to the example and its plan, and write nothing before the confirmation', async () => {
    const page = await setUp(test);
    const link = firstSteps(page).getByRole('link', { name: 'Download the example' });
    const example = readFileSync(new URL('../../examples/trainees.csv', import.meta.url), 'utf8');
    expect(await downloadText(page, () => link.click())).to.equal(example);
    await firstSteps(page).getByRole('link', { name: 'Import my own file' }).click();
    await expectPage(page).toHaveURL(/\/imports$/);
    await page.goBack();
    await page.getByRole('button', { name: 'Plan the import of the example' }).click();
    await expectPage(page.getByRole('heading', { level: 1, name: 'trainees.csv' })).toBeVisible();
    await expectPage(page.getByText('Waiting for your confirmation')).toBeVisible({ timeout: scaled(20_000) });
    expect(await accounts()).to.equal(1);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Import this file?' });
    await expectPage(dialog).toContainText('40 accounts are created');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await expectPage(page.getByText('Completed')).toBeVisible({ timeout: scaled(30_000) });
    expect(await accounts()).to.equal(41);

    await page.getByRole('link', { name: 'Overview' }).click();
    await expectPage(page.getByRole('region', { name: 'People' })).toContainText('Accounts41');
    await expectPage(firstSteps(page).getByRole('listitem').first().getByRole('img', { name: 'Done' })).toBeVisible();
    await expectPage(firstSteps(page).getByRole('link', { name: 'Create a course' })).toBeVisible();
  });

  it('explain why the demo is refused after other accounts were created, and continue without it', async () => {
    const page = await setUp(test);
    await buildUser(test.context);
    test.expectErrors(page, /status of 409/);
    await loadDemo(page).click();
    await expectPage(firstSteps(page).getByRole('alert')).toContainText(
      'The demo programme is for a service without other accounts.',
    );
    await page.reload();
    await expectPage(page.getByRole('region', { name: 'People' })).toContainText('Accounts2');
    await expectPage(loadDemo(page)).toBeHidden();
  });
});

describePages('The first minutes in production', function () {
  this.timeout(scaled(120_000));
  const test = useConsole({ NODE_ENV: 'production', BCRYPT_COST: '12', JWT_SECRET: 'R4nd0m'.repeat(8) });

  it('offer only the import', async () => {
    const page = await setUp(test);
    await expectPage(firstSteps(page).getByRole('button', { name: 'Plan the import of the example' })).toBeVisible();
    await expectPage(loadDemo(page)).toBeHidden();
  });
});
