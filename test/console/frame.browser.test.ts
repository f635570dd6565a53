import type { Page } from '@playwright/test';
import { buildCourse, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect, settled } from './support/browser.js';
import { useConsole } from './support/console.js';

describePages('The frame of the pages', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  it('shows the menu over the page in a narrow window, until a page is chosen', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const page = await test.openAs(admin, '/people', { viewport: { width: 360, height: 640 } });
    const link = (name: string) => page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name });
    await expect(link('Courses')).toBeHidden();
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await expect(link('Courses')).toBeVisible();
    expect(await accessibilityProblems(page)).toEqual([]);
    // The covered page can't get the focus; the header and its menus can.
    await link('Audit log').focus();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('main').locator(':focus')).toHaveCount(0);
    await page.getByRole('button', { name: /^Account menu/ }).click();
    await page.getByRole('menuitem', { name: 'Profile' }).hover();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('menuitem')).toHaveCount(0);
    if (await link('Courses').isHidden()) await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await link('Courses').click();
    await expect(page.getByRole('heading', { name: 'Courses' })).toBeFocused();
    await expect(link('Courses')).toBeHidden();
    await page.setViewportSize({ width: 1280, height: 640 });
    const current = page.getByRole('navigation', { name: 'Menu' }).locator('[aria-current="page"]');
    await expect(current).toHaveText(['Courses']);
    await page.goto(`${test.url}/people/${admin.id}`);
    await expect(current).toHaveText(['People']);
  });

  it('closes the menu in a narrow window on Escape and on a click on the current page', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const page = await test.openAs(admin, '/people', { viewport: { width: 360, height: 640 }, hasTouch: true });
    const menu = page.getByRole('navigation', { name: 'Menu' });
    const button = page.getByRole('button', { name: 'Menu', exact: true });
    await button.click();
    await menu.getByRole('link', { name: 'People' }).click();
    await expect(menu).toBeHidden();
    await expect(page.getByRole('heading', { name: 'People' })).toBeFocused();
    await button.click();
    await expect(menu).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(menu).toBeHidden();
    await expect(button).toBeFocused();

    // Phones zoom into fields with a smaller font.
    for (const path of ['/people', '/courses/new']) {
      await page.goto(`${test.url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await settled(page);
      const fields = await page.getByRole('main').locator('input:not([type="checkbox"]), select, textarea').all();
      expect(fields.length).toBeGreaterThan(3);
      for (const field of fields) await expect(field).toHaveCSS('font-size', '16px');
    }
  });

  it('redirects each role from a URL of courses to its own page for them', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const trainer = await buildUser(test.context, { role: 'trainer' });
    const trainee = await buildUser(test.context);
    const course = await buildCourse(test.context, trainer, { title: 'Compilers', isPublished: true });
    const heading = (page: Page) => page.getByRole('heading', { level: 1 });

    const learning = await test.openAs(trainee, `/courses/${course.id}`);
    await expect(learning).toHaveURL(`${test.url}/catalogue/${course.id}`);
    await expect(heading(learning)).toHaveText('Compilers');
    await learning.goto(`${test.url}/courses?search=comp`);
    await expect(learning).toHaveURL(`${test.url}/catalogue?search=comp`);

    const teaching = await test.openAs(trainer, `/catalogue/${course.id}`);
    await expect(teaching).toHaveURL(`${test.url}/courses/${course.id}`);
    await expect(heading(teaching)).toHaveText('Compilers');
    await teaching.goto(`${test.url}/catalogue?search=comp`);
    await expect(teaching).toHaveURL(`${test.url}/courses?search=comp`);
  });
});
