import type { Page } from '@playwright/test';
import { buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect } from './support/browser.js';
import { type BuiltConsole, builtConsole } from './support/built-console.js';
import { useConsole } from './support/console.js';

describePages('Lazily loaded code', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();
  /** Expected errors. An error that the page reports itself has an empty text here. */
  const notLoaded =
    /net::ERR_(FAILED|INTERNET_DISCONNECTED)|Failed to fetch dynamically imported module|Unable to preload CSS|^$/;
  const missing = 'A part of the console could not be loaded. Reload the page.';

  let built: BuiltConsole;
  before(async function () {
    this.timeout(scaled(180_000));
    built = await builtConsole();
  });
  /** Matches the URLs of the translations of the sign-in. */
  function translationUrls(language: string): RegExp {
    const others = built.filesOf();
    return new RegExp(
      built
        .filesOf(`i18n/${language}/common.ts`)
        .filter((file) => !others.includes(file))
        .join('|'),
    );
  }

  it('reports a page or chart that cannot be loaded, keeps the rest of the page, and loads it on request', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const page = await test.openAs(admin, '/people');
    test.expectErrors(page, notLoaded);
    await page.route(/weeks-chart/, (route) => route.abort());
    await page.getByRole('link', { name: 'Overview' }).click();
    const chart = page.getByRole('figure', { name: /weeks/ });
    await expect(chart.getByRole('alert')).toContainText(missing);
    await expect(chart.getByRole('table', { name: 'The last 12 weeks' })).toBeVisible();
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
    await expect(page.getByRole('region', { name: 'People' })).toContainText('Accounts1');
    expect(await accessibilityProblems(page)).toEqual([]);
    // The page must not reload by itself: the browser would show its own error page.
    await page.context().setOffline(true);
    const alert = page.getByRole('alert').filter({ hasText: 'Your device is offline.' });
    await page.getByRole('link', { name: 'Imports', exact: true }).click();
    await expect(alert.getByRole('button')).toHaveText('Try again');
    await alert.getByRole('button').click();
    await expect(alert).toBeVisible();
    await expect(page.getByRole('navigation', { name: 'Menu' })).toBeVisible();
    // The page is loaded as soon as the device is online, without a click.
    await page.context().setOffline(false);
    await expect(page.getByRole('heading', { level: 1, name: 'Imports' })).toBeVisible();
    await page.unroute(/weeks-chart/);
    await page.reload();
    await page.getByRole('link', { name: 'Overview' }).click();
    await expect(chart.locator('.recharts-surface').first()).toBeVisible();
  });

  it('reports a language that cannot be loaded, before and after the sign-in, and loads it when chosen again', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const chooseGerman = async (page: Page) => {
      await page.getByRole('button', { name: 'Language' }).click();
      await page.getByRole('menuitemradio', { name: 'Deutsch' }).click();
    };
    const alertOf = (page: Page) => page.getByRole('alert').filter({ hasText: 'The language could not be changed.' });
    for (const page of [await test.open(test.url), await test.openAs(admin, '/people')]) {
      test.expectErrors(page, notLoaded);
      const words = translationUrls('de');
      await page.route(words, (route) => route.abort());
      await chooseGerman(page);
      await expect(alertOf(page)).toContainText(missing);
      expect(await accessibilityProblems(page)).toEqual([]);
      await expect(page.locator('html')).toHaveAttribute('lang', 'en');
      await page.unroute(words);
      await chooseGerman(page);
      await expect(page.getByRole('button', { name: 'Sprache' })).toBeVisible();
      await expect(page.getByRole('alert')).toHaveCount(0);
    }
  });

  it('reports missing translations of the first screen, and reloads the page on request', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const page = await test.open('about:blank');
    test.expectErrors(page, notLoaded);
    const words = translationUrls('en');
    await page.route(words, (route) => route.abort());
    await page.goto(test.url);
    await expect(page.getByRole('alert')).toHaveText(missing);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.unroute(words);
    await page.getByRole('button', { name: 'Reload' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
  });

  it('offers a reload after an update, when the service no longer has the code of the old version', async () => {
    const page = await test.openAs(await buildUser(test.context, { role: 'super_admin' }), '/people');
    test.expectErrors(page, notLoaded);
    const html = '<!doctype html><script type="module" src="/assets/index-of-another-version.js"></script>';
    await page.route(/new-person-dialog/, (route) => route.abort());
    await page.route(`${test.url}/`, (route) => route.fulfill({ contentType: 'text/html', body: html }));
    await page.getByRole('button', { name: 'New person' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'There is a new version of the console.' });
    await expect(alert.getByRole('button')).toHaveText('Reload');
    await page.unrouteAll();
    await alert.getByRole('button').click();
    await page.getByRole('button', { name: 'New person' }).click();
    await expect(page.getByRole('dialog', { name: 'New person' })).toBeVisible();
  });

  it('reports pages behind the sign-in or a dialog that cannot be loaded, and loads them on request', async () => {
    const page = await test.openAs(await buildUser(test.context, { role: 'super_admin' }), '/people?search=ada');
    const alert = page.getByRole('alert').filter({ hasText: missing });
    const reload = page.getByRole('button', { name: 'Reload' });
    test.expectErrors(page, notLoaded);
    await page.route(/signed-in/, (route) => route.abort());
    await page.reload();
    await expect(alert).toBeVisible();
    await page.unrouteAll();
    await reload.click();
    await expect(page.getByRole('heading', { name: 'People' })).toBeVisible();

    await page.route(/new-person-dialog/, (route) => route.abort());
    await page.getByRole('button', { name: 'New person' }).click();
    await expect(alert).toBeVisible();
    await page.unrouteAll();
    await reload.click();
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(page.getByRole('searchbox')).toHaveValue('ada');
    await page.getByRole('button', { name: 'New person' }).click();
    await expect(page.getByRole('dialog', { name: 'New person' })).toBeVisible();
    // The focus returns, although the dialog was just loaded.
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'New person' })).toBeFocused();
  });
});
