import type { Page } from '@playwright/test';
import { buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect, holdRequests, keepScreenshot } from './support/browser.js';
import { useConsole } from './support/console.js';

describePages('The shell, painted before scripts and styles are loaded', function () {
  this.timeout(scaled(60_000));
  const name = 'Spring Academy';
  const test = useConsole({ PROGRAMME_NAME: name });

  const colors = { light: 'rgb(255, 255, 255)', dark: 'rgb(36, 36, 36)' } as const;
  /** Waits for the colour, because the page replaces the shell by a loader that looks alike. */
  const expectBackground = (page: Page, selector: string, color: string) =>
    expect(page.locator(selector)).toHaveCSS('background-color', color);
  const painted = (page: Page) =>
    expect.poll(() => page.evaluate(() => performance.getEntriesByName('first-contentful-paint').length)).toBe(1);

  for (const colorScheme of ['light', 'dark'] as const)
    for (const chosen of ['light', 'dark', undefined] as const)
      it(`has the colours of the page that replaces it (system: ${colorScheme}, chosen: ${chosen ?? 'none'})`, async () => {
        await buildUser(test.context, { role: 'super_admin' });
        const page = await test.open('about:blank', { colorScheme });
        if (chosen !== undefined)
          await page.addInitScript((scheme) => localStorage.setItem('mantine-color-scheme-value', scheme), chosen);
        const release = await holdRequests(page, /\/assets\/.*\.(js|css)$/);
        await page.goto(test.url, { waitUntil: 'commit' });
        await expect(page.getByText(name, { exact: true })).toBeVisible();
        await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible();
        await painted(page);
        const shell = colors[chosen ?? colorScheme];
        await expectBackground(page, '.shell', shell);
        await keepScreenshot(page, `shell ${colorScheme} ${chosen}`);
        release();
        await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
        await expect(page.locator('.shell')).toHaveCount(0);
        await expectBackground(page, 'body', shell);
        // The colours of the theme, not those of Mantine's own style sheet.
        const button = (chosen ?? colorScheme) === 'light' ? 'rgb(11, 102, 99)' : 'rgb(22, 125, 121)';
        await expectBackground(page, 'button[type="submit"]', button);
        expect(await accessibilityProblems(page)).toEqual([]);
      });

  it('stays until the session is known', async () => {
    const page = await test.openAs(await buildUser(test.context, { role: 'super_admin' }), '/profile');
    const release = await holdRequests(page, '**/api/auth/web-session');
    await page.reload();
    await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible();
    await expectBackground(page, '.shell', colors.light);
    await expect(page.locator('.shell')).toContainText(name);
    release();
    await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
    await expect(page.locator('.shell')).toHaveCount(0);
  });

  it('says that JavaScript is needed if the browser runs none, and shows no loader', async () => {
    const page = await test.open(test.url, { javaScriptEnabled: false });
    expect(await page.locator('noscript').textContent()).toBe(`${name} needs JavaScript.`);
    // Visible without scrolling.
    expect((await page.locator('noscript').boundingBox())?.y).toBeLessThan(200);
    await expect(page.getByRole('status')).toBeHidden();
  });
});
