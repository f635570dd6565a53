import type { Page } from '@playwright/test';
import { buildEnrollment, buildMaterial } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect, keepScreenshot, settled, widthBeyondWindow } from './support/browser.js';
import { useConsole } from './support/console.js';
import { buildScene, dialog, row } from './support/courses.js';

/** A window of 360 pixels, and one of 1280 at 200 % zoom. */
const windows = [
  { width: 360, height: 740 },
  { width: 640, height: 360 },
];

describePages('The screens of courses', function () {
  this.timeout(scaled(120_000));
  const test = useConsole();

  async function fullScene() {
    const scene = await buildScene(test);
    await buildMaterial(test.context, scene.course);
    for (const trainee of scene.trainees.slice(1))
      await buildEnrollment(test.context, trainee, scene.course, { status: 'pending' });
    return scene;
  }

  async function assertFits(page: Page, path: string, name: string): Promise<void> {
    await page.goto(`${test.url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settled(page);
    await keepScreenshot(page, name);
    expect(await widthBeyondWindow(page), name).toBeLessThanOrEqual(0);
  }

  for (const language of ['de', 'ar-XB'])
    it(`fit narrow and zoomed windows, in ${language === 'de' ? 'German' : 'a language from right to left'}`, async () => {
      const { trainer, course } = await fullScene();
      const [narrow] = windows;
      const page = await test.openAs(trainer, '/courses', { ...(narrow && { viewport: narrow }) });
      await page.evaluate(`localStorage.setItem('coursectl-language', '${language}')`);
      const paths = ['/courses', '/courses/new', '/enrollments', '/profile'];
      const tabs = ['details', 'participants', 'materials'].map((tab) => `/courses/${course.id}?tab=${tab}`);
      for (const viewport of windows) {
        await page.setViewportSize(viewport);
        for (const path of [...paths, ...tabs])
          await assertFits(page, path, `${language} ${viewport.width} ${path.replace(course.id, 'course')}`);
      }
    });

  it('are used by the keyboard alone', async () => {
    const { trainer, course } = await fullScene();
    const page = await test.openAs(trainer, `/courses/${course.id}`);
    await page.getByRole('tab', { name: 'Details' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect(page).toHaveURL(/tab=participants/);
    await page.getByLabel('Select Ben Trainee').focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Accept (1)' }).focus();
    await page.keyboard.press('Enter');
    await expect(dialog(page)).toBeVisible();
    await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(row(page, 'Ben Trainee')).toContainText('Taking part');
    await page.getByRole('button', { name: 'Actions for Ben Trainee' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitem').first()).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Actions for Ben Trainee' })).toBeFocused();
  });
});
