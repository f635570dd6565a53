import type { Page } from '@playwright/test';
import { accessibilityProblems, expect, keepScreenshot, settled } from './browser.js';
import { layoutProblems } from './layout.js';

/** Checks an open page or dialog in wide and narrow windows, light and dark. */
export async function checkLooks(page: Page, name: string): Promise<void> {
  for (const width of [1280, 360])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await settled(page);
      expect(await layoutProblems(page), `${name}, ${width}`).toEqual([]);
      await keepScreenshot(page, `${name} ${width} ${colorScheme}`);
    }
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light' });
}
