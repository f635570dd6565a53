import { scaled } from '../support/machine.js';
import { describePages, expect, keepScreenshot, settled } from './support/browser.js';
import { useConsole } from './support/console.js';
import { layoutProblems } from './support/layout.js';
import { type Audience, audiences, isSampled, lookAtScreens } from './support/screens.js';

/** In CSS pixels: a phone, and a window of 1280 x 720 at 200 % zoom. */
const narrow = { width: 360, height: 740 };
const zoomed = { width: 640, height: 360 };
const wide = { width: 1280, height: 720 };

describePages('Every screen keeps its layout', function () {
  this.timeout(scaled(240_000));
  const test = useConsole();

  async function problemsOf(
    audience: Audience,
    language: 'en' | 'ar-XB',
    viewports: readonly (typeof narrow)[],
  ): Promise<string[]> {
    return lookAtScreens(test, audience, {
      language,
      // Fields are larger where they are touched.
      browser: { deviceScaleFactor: 2, hasTouch: true },
      async look(page, name) {
        const found: string[] = [];
        for (const viewport of viewports) {
          await page.setViewportSize(viewport);
          await settled(page);
          await keepScreenshot(page, `${name}, ${language}, ${viewport.width}`);
          const problems = await layoutProblems(page);
          found.push(...problems.map((problem) => `${viewport.width} pixels: ${problem}`));
        }
        await page.setViewportSize(wide);
        return found;
      },
    });
  }

  for (const audience of audiences) {
    it(`in 360 pixels and at 200 % zoom, ${audience}`, async function () {
      if (!isSampled(audience)) this.skip();
      expect((await problemsOf(audience, 'en', [narrow, zoomed])).join('\n')).toBe('');
    });

    it(`from right to left, ${audience}`, async function () {
      if (!isSampled(audience)) this.skip();
      expect((await problemsOf(audience, 'ar-XB', [wide, narrow])).join('\n')).toBe('');
    });
  }
});
