import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { buildCertificate, buildCourse, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { accessibilityProblems, describePages, expect, keepScreenshot, settled } from './support/browser.js';
import { useConsole } from './support/console.js';
import { layoutProblems } from './support/layout.js';

const name = `Bildungswerk "Süd" & <b>Nord</b>`;

/** A logo of dark letters, coloured by a style sheet, with everything that could run in an SVG. */
const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="240" height="60" onload="parent.document.title='run'">
<script>document.title = 'run'; parent.document.title = 'run';</script>
<style>.a{fill:#102a43}</style><rect class="a" width="60" height="60" rx="8" fill="#f00"/>
<text class="a" x="72" y="42" font-size="34" font-family="sans-serif">BWSN</text></svg>`;

const footer = (page: Page) => page.getByText('Powered by coursectl');
const logoOf = (page: Page) => page.locator('img[src="/api/logo"]').first();
const isDrawn = (page: Page) => logoOf(page).evaluate((image: HTMLImageElement) => image.naturalWidth > 0);

describePages('A programme with a name and a logo of its own', function () {
  this.timeout(scaled(120_000));
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'logo.svg');
  writeFileSync(file, logo);
  after(() => folder.remove());
  const test = useConsole({ PROGRAMME_NAME: name, PROGRAMME_LOGO: file });

  /** At each width, in light and dark. @returns problems */
  async function problemsOf(page: Page, screen: string): Promise<string[]> {
    const problems: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1280, 768, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await settled(page);
        problems.push(...(await layoutProblems(page)));
        await keepScreenshot(page, `programme ${screen} ${width} ${colorScheme}`);
      }
      problems.push(...(await accessibilityProblems(page)));
    }
    return problems;
  }

  it('has them on its first setup', async () => {
    const page = await test.open(test.url);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Welcome to ${name}`);
    await expect(page).toHaveTitle(`Welcome to ${name} · ${name}`);
  });

  it('has them on the pages to sign in, of links in mails and of certificates', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const pages = {
      'sign in': '/',
      'set password': '/set-password',
      'forgot password': '/forgot-password',
      'confirm email': '/confirm-email',
      'cancel email': '/cancel-email',
      'check certificate': '/certificates',
    };
    for (const [screen, address] of Object.entries(pages)) {
      const page = await test.open(`${test.url}${address}`);
      const title = await page.getByRole('heading', { level: 1 }).innerText();
      await expect(page, screen).toHaveTitle(`${title} · ${name}`);
      await expect(page.getByText(name, { exact: true }), screen).toBeVisible();
      await expect(footer(page), screen).toBeVisible();
      // The image may arrive after the text.
      await expect.poll(() => isDrawn(page), { message: screen }).toBe(true);
      expect(await problemsOf(page, screen), screen).toEqual([]);
      await page.context().close();
    }
  });

  it('has them on the page of a certificate, whose print has no footer', async () => {
    const trainer = await buildUser(test.context, { role: 'trainer' });
    const course = await buildCourse(test.context, trainer, { isPublished: true });
    const { code } = await buildCertificate(test.context, await buildUser(test.context), course);
    const page = await test.open(`${test.url}/certificates/${code}`);
    await expect(page.getByRole('article')).toContainText(name);
    await expect(page).toHaveTitle(`Certificate of completion · ${name}`);
    await expect(footer(page)).toBeVisible();
    expect(await problemsOf(page, 'certificate')).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    await expect(footer(page)).toBeHidden();
  });

  it('has them in the header and the tab of every role, in German too', async () => {
    for (const role of ['super_admin', 'trainer', 'trainee'] as const) {
      const page = await test.openAs(await buildUser(test.context, { role }), '/profile', { locale: 'de-DE' });
      await expect(page).toHaveTitle(`Profil · ${name}`);
      await expect(page.getByRole('banner').getByText(name, { exact: true })).toBeVisible();
      await expect(page.getByText('Läuft mit coursectl')).toBeVisible();
      await expect.poll(() => isDrawn(page)).toBe(true);
      expect(await problemsOf(page, role)).toEqual([]);
      await page.getByRole('button', { name: 'Menü', exact: true }).click();
      await settled(page);
      await keepScreenshot(page, `programme ${role} menu`);
    }
  });

  it('names it where the service cannot be reached', async () => {
    const page = await test.open('about:blank');
    test.expectErrors(page, /503|net::ERR|^$|dynamically imported/);
    await page.route('**/api/auth/web-session', (route) => route.fulfill({ status: 503, json: { error: 'Busy.' } }));
    await page.goto(test.url);
    await page.evaluate("localStorage.setItem('coursectl-signed-in', 'yes')");
    await page.reload();
    await expect(page.getByRole('alert')).toBeVisible();
    await expect(page.getByText(name, { exact: true })).toBeVisible();
    await page.route('**/*.js', (route) =>
      /\/common-/.test(route.request().url()) ? route.abort() : route.continue(),
    );
    await page.reload();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
  });

  it('names it without JavaScript', async () => {
    const page = await test.open(test.url, { javaScriptEnabled: false });
    await expect(page).toHaveTitle(name);
    expect(await page.locator('noscript').textContent()).toBe(`${name} needs JavaScript.`);
  });

  it('runs no script of its logo, in pages or opened alone', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const page = await test.open(test.url);
    await expect(logoOf(page)).toBeVisible();
    await settled(page);
    await expect(page).toHaveTitle(`Sign in · ${name}`);
    test.expectErrors(page, /sandboxed|Content Security Policy/);
    await page.goto(`${test.url}/api/logo`);
    expect(await page.locator('svg').count()).toBe(1);
    await expect(page).not.toHaveTitle('run');
  });
});

describePages('A programme with a name alone', function () {
  this.timeout(scaled(60_000));
  const test = useConsole({ PROGRAMME_NAME: 'Spring Academy '.repeat(6).trim(), PROGRAMME_LOGO: '' });

  it('shows its name in full before signing in, in one line in the header, and no logo of coursectl', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const viewport = { width: 360, height: 700 };
    const signIn = await test.open(test.url, { viewport });
    const signedIn = await test.openAs(admin, '/profile', { viewport });
    for (const [page, screen] of [
      [signIn, 'sign in'],
      [signedIn, 'header'],
    ] as const) {
      const shown = page.getByText(/^(Spring Academy ?){6}$/);
      await expect(shown).toBeVisible();
      await expect(page.locator('img[src^="/assets/icon"]')).toHaveCount(0);
      await settled(page);
      expect(await layoutProblems(page)).toEqual([]);
      await keepScreenshot(page, `name alone ${screen} 360`);
    }
  });
});

describePages('A programme without a name and a logo', function () {
  this.timeout(scaled(60_000));
  const test = useConsole({ PROGRAMME_LOGO: '' });

  it('shows name and icon of coursectl, and no footer', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const page = await test.open(test.url);
    await expect(page).toHaveTitle('Sign in · coursectl');
    await expect(page.getByText('coursectl')).toHaveText(['coursectl']);
    await expect(page.locator('img[src^="/assets/icon"]')).toBeVisible();
    await keepScreenshot(page, 'programme unnamed sign in');
  });
});
