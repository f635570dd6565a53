import type { Locator } from '@playwright/test';
import { buildCourse, buildEnrollment, buildTrainees, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect, keepScreenshot, settled } from './support/browser.js';
import { useConsole } from './support/console.js';

const background = (element: Locator): Promise<string> =>
  element.evaluate((one) => getComputedStyle(one).backgroundColor);

const edge = (element: Locator): Promise<string> => element.evaluate((one) => getComputedStyle(one).borderBottom);

/** Whether two elements of the same kind are told apart by their look. */
async function expectDifferentLook(one: Locator, other: Locator): Promise<void> {
  const pictures = [await one.screenshot(), await other.screenshot()] as const;
  expect(pictures[0].equals(pictures[1])).toBe(false);
}

describePages('With the colours of the system alone, as in high contrast', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  it('shows what is ticked, switched on, chosen, open and done', async () => {
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
    await keepScreenshot(page, 'forced colours, list');
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
    const track = dialog.locator('.mantine-Switch-track').first();
    const off = await track.screenshot();
    await dialog.getByRole('switch').first().press('Space');
    await dialog.getByLabel('First name').focus();
    await settled(page);
    await keepScreenshot(page, 'forced colours, dialog');
    expect(off.equals(await track.screenshot())).toBe(false);
    await expect(track).toHaveCSS('border-top-style', 'solid');
    await expect(dialog).toHaveCSS('border-top-style', 'solid');

    await page.goto(`${test.url}/enrollments`);
    const bar = page.getByRole('progressbar').first();
    await bar.waitFor();
    await settled(page);
    await keepScreenshot(page, 'forced colours, progress');
    expect(await background(bar)).not.toBe(await background(bar.locator('..')));

    await page.goto(`${test.url}/people/${admin.id}`);
    await page.getByRole('tab').first().waitFor();
    await settled(page);
    await keepScreenshot(page, 'forced colours, tabs');
    expect(await edge(page.getByRole('tab').nth(0))).not.toBe(await edge(page.getByRole('tab').nth(1)));

    await page.goto(test.url);
    await page.getByText('Table', { exact: true }).waitFor();
    await settled(page);
    await keepScreenshot(page, 'forced colours, overview');
    const segments = page.getByRole('radiogroup').locator('label');
    expect(await background(segments.nth(0))).not.toBe(await background(segments.nth(1)));
  });
});
