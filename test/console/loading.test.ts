import { buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect } from './support/browser.js';
import { useConsole } from './support/console.js';

describePages('Code that is loaded when it is needed', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();
  /** An error that the page reports itself has no text here. */
  const notLoaded = /net::ERR_FAILED|Failed to fetch dynamically imported module|^$/;
  const missing = 'The service cannot be reached, or has been updated.';

  it('says so where a dialog cannot be loaded, and loads the page again when asked to', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const page = await test.openAs(admin, '/people?search=ada');
    test.expectErrors(page, notLoaded);
    await page.route(/new-person-dialog/, (route) => route.abort());
    await page.getByRole('button', { name: 'New person' }).click();
    await expect(page.getByRole('alert').filter({ hasText: missing })).toBeVisible();
    await page.unroute(/new-person-dialog/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(page.getByRole('searchbox')).toHaveValue('ada');
    await page.getByRole('button', { name: 'New person' }).click();
    await expect(page.getByRole('dialog', { name: 'New person' })).toBeVisible();
  });

  it('says so where the pages behind signing in cannot be loaded', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const page = await test.openAs(admin, '/people');
    test.expectErrors(page, notLoaded);
    await page.route(/signed-in/, (route) => route.abort());
    await page.reload();
    await expect(page.getByRole('alert').filter({ hasText: missing })).toBeVisible();
    await page.unroute(/signed-in/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('heading', { name: 'People' })).toBeVisible();
  });

  it('gives the focus back when a dialog is closed that was loaded just then', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const page = await test.openAs(admin, '/people');
    const button = page.getByRole('button', { name: 'New person' });
    await button.click();
    await expect(page.getByRole('dialog', { name: 'New person' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(button).toBeFocused();
  });
});
