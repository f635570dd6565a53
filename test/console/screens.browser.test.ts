import type { Locator, Page } from '@playwright/test';
import type { User } from '../../src/db/models/user.js';
import { fullDepth } from '../support/depth.js';
import { buildCourse, buildEnrollment, buildMaterial, buildTrainees, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import {
  accessibilityProblems,
  describePages,
  expect,
  horizontalOverflow,
  keepScreenshot,
  settled,
} from './support/browser.js';
import { useConsole, useConsoleWithMail } from './support/console.js';
import { buildScene } from './support/courses.js';
import { focusProblems } from './support/focus.js';
import { layoutProblems } from './support/layout.js';
import { hostile } from './support/scene.js';
import { type Audience, audiences, checkScreens, isSampled } from './support/screens.js';

/** Window sizes in CSS pixels: a phone, 1280 x 720 at 200 % zoom, and 1280 x 720. */
const narrow = { width: 360, height: 740 };
const zoomed = { width: 640, height: 360 };
const wide = { width: 1280, height: 720 };

/** Only colours differ between the schemes, so dark pages are checked only at full depth. */
const colorSchemes = fullDepth ? (['light', 'dark'] as const) : (['light'] as const);

describePages('Every screen', function () {
  this.timeout(scaled(240_000));
  const test = useConsole();

  async function layoutIn(page: Page, name: string, viewports: readonly (typeof narrow)[]): Promise<string[]> {
    const found: string[] = [];
    for (const viewport of viewports) {
      await page.setViewportSize(viewport);
      await settled(page);
      await keepScreenshot(page, `${name}, ${viewport.width}`);
      found.push(...(await layoutProblems(page)).map((problem) => `${viewport.width} pixels: ${problem}`));
    }
    await page.setViewportSize(wide);
    return found;
  }

  async function accessibilityOf(page: Page, name: string): Promise<string[]> {
    const found: string[] = [];
    for (const colorScheme of colorSchemes) {
      await page.emulateMedia({ colorScheme });
      await settled(page);
      await keepScreenshot(page, `${name}, ${colorScheme}`);
      found.push(...(await accessibilityProblems(page)).map((problem) => `${colorScheme}: ${problem}`));
    }
    return found;
  }

  /** With touch, fields have a larger font. */
  const browser = { deviceScaleFactor: 2, hasTouch: true };

  /** Visits each English screen once for all checks. */
  const walk = (audience: Audience) =>
    checkScreens(test, audience, {
      browser,
      async check(page, name) {
        const found = await accessibilityOf(page, name);
        if (isSampled(audience))
          return [...found, ...(await layoutIn(page, name, [narrow, zoomed])), ...(await focusProblems(page))];
        await page.setViewportSize(narrow);
        const beyond = await horizontalOverflow(page);
        await page.setViewportSize(wide);
        return beyond > 0 ? [...found, `wider than ${narrow.width} pixels, by ${beyond}`] : found;
      },
    });

  for (const audience of audiences) {
    const more = isSampled(audience) ? 'keeps its layout there and at 200 % zoom, and shows the focus, ' : '';
    it(`is accessible (WCAG 2.2, A and AA), fits 360 pixels, ${more}${audience}`, async () => {
      expect((await walk(audience)).join('\n')).toBe('');
    });
  }

  for (const audience of audiences.filter(isSampled)) {
    it(`keeps its layout in right-to-left languages, ${audience}`, async () => {
      const problems = await checkScreens(test, audience, {
        language: 'ar-XB',
        browser,
        check: (page, name) => layoutIn(page, `${name}, ar-XB`, [wide, narrow]),
      });
      expect(problems.join('\n')).toBe('');
    });

    if (!audience.startsWith('as ')) continue;
    it(`shows markup as text, and the longest texts within 360 pixels, ${audience}`, async () => {
      const problems = await checkScreens(test, audience, {
        typed: hostile,
        browser: { viewport: narrow },
        async check(page) {
          await settled(page);
          const found = await layoutProblems(page);
          const ran = await page.evaluate(() => 'ran' in globalThis);
          const elements = await page.locator('img[src="x"]').count();
          return [...found, ...(ran ? ['a script ran'] : []), ...(elements > 0 ? ['markup was drawn'] : [])];
        },
      });
      expect(problems.join('\n')).toBe('');
    });
  }

  it('of courses also fits narrow and zoomed windows in German', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    await buildMaterial(test.context, course);
    for (const trainee of trainees) await buildEnrollment(test.context, trainee, course, { status: 'pending' });
    const page = await test.openAs(trainer, '/courses');
    await page.evaluate("localStorage.setItem('coursectl-language', 'de')");
    const tabs = ['overview', 'participants', 'materials', 'edit'].map((tab) => `/courses/${course.id}?tab=${tab}`);
    for (const viewport of [narrow, zoomed]) {
      await page.setViewportSize(viewport);
      for (const path of ['/courses', '/courses/new', '/enrollments', '/profile', ...tabs]) {
        await page.goto(`${test.url}${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        expect(await horizontalOverflow(page), `${path} in ${viewport.width}`).toBeLessThanOrEqual(0);
      }
    }
  });
});

const background = (element: Locator): Promise<string> =>
  element.evaluate((one) => getComputedStyle(one).backgroundColor);

const edge = (element: Locator): Promise<string> => element.evaluate((one) => getComputedStyle(one).borderBottom);

/** Checks that two elements of the same kind look different. */
async function expectDifferentLook(one: Locator, other: Locator): Promise<void> {
  const images = [await one.screenshot(), await other.screenshot()] as const;
  expect(images[0].equals(images[1])).toBe(false);
}

describePages('Forced colours, as in high contrast mode,', function () {
  this.timeout(scaled(60_000));
  const test = useConsoleWithMail();

  it('keep checked, chosen, open and completed controls visible', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const trainer = await buildUser(test.context, { role: 'trainer' });
    await buildTrainees(test.context, 25);
    const course = await buildCourse(test.context, trainer, { isPublished: true });
    await buildEnrollment(test.context, await buildUser(test.context), course, { status: 'active', progress: 40 });
    const page = await test.openAs(admin, '/people', { forcedColors: 'active' });

    const boxes = page.getByRole('checkbox', { name: /^Select Trainee/ });
    await boxes.nth(1).check();
    await boxes.nth(1).blur();
    await page.mouse.move(0, 0);
    await settled(page);
    await expectDifferentLook(boxes.nth(1), boxes.nth(3));
    const menu = page.getByRole('navigation', { name: 'Menu' });
    expect(await background(menu.getByRole('link', { name: 'People' }))).not.toBe(
      await background(menu.getByRole('link', { name: 'Courses' })),
    );
    expect(await background(page.getByRole('button', { name: 'Page 1' }))).not.toBe(
      await background(page.getByRole('button', { name: 'Page 2' })),
    );

    await page.getByRole('button', { name: 'New person' }).click();
    const dialog = page.getByRole('dialog', { name: 'New person' });
    const chosen = dialog.getByRole('radio', { name: 'Invite by mail' });
    await expect(chosen).toBeChecked();
    await expectDifferentLook(chosen, dialog.getByRole('radio', { name: 'Show a password once' }));
    await expect(dialog).toHaveCSS('border-top-style', 'solid');

    await page.goto(`${test.url}/enrollments`);
    const bar = page.getByRole('progressbar').first();
    await bar.waitFor();
    await settled(page);
    expect(await background(bar)).not.toBe(await background(bar.locator('..')));

    await page.goto(`${test.url}/people/${admin.id}`);
    await page.getByRole('tab').first().waitFor();
    await settled(page);
    expect(await edge(page.getByRole('tab').nth(0))).not.toBe(await edge(page.getByRole('tab').nth(1)));

    await page.goto(test.url);
    await page.getByText('Table', { exact: true }).waitFor();
    await settled(page);
    const segments = page.getByRole('radiogroup').locator('label');
    expect(await background(segments.nth(0))).not.toBe(await background(segments.nth(1)));
  });
});

describePages('Motion', function () {
  this.timeout(scaled(60_000));
  const test = useConsoleWithMail();

  /** Opens a menu and a dialog, and presses a radio button. @returns transitions and animations that ran meanwhile */
  async function recordMotion(admin: User, reducedMotion: 'reduce' | 'no-preference'): Promise<string[]> {
    const page = await test.openAs(admin, '/people', { reducedMotion });
    await expect(page.getByRole('table')).toBeVisible();
    await page.evaluate(() => {
      Object.assign(globalThis, { moved: [] });
      const { moved } = globalThis as unknown as { moved: string[] };
      document.addEventListener('transitionrun', ({ propertyName }) => moved.push(propertyName), true);
      document.addEventListener('animationstart', ({ animationName }) => moved.push(animationName), true);
    });
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Phone' }).click();
    await expect(page.getByRole('columnheader', { name: 'Phone' })).toBeVisible();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New person' }).click();
    await page.getByRole('radio', { name: 'Show a password once' }).click();
    await expect(page.getByLabel('Your message')).toBeHidden();
    await settled(page);
    // `moved` is set above.
    return page.evaluate(() => (globalThis as unknown as { moved: string[] }).moved);
  }

  it('is reduced if the system asks for that, and only then', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    // Loaders fade even with reduced motion.
    expect((await recordMotion(admin, 'reduce')).filter((name) => name !== 'fade')).toEqual([]);
    expect((await recordMotion(admin, 'no-preference')).length).toBeGreaterThan(0);
  });
});
