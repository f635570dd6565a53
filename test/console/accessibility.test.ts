import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect, keepScreenshot, settled } from './support/browser.js';
import { useConsole } from './support/console.js';
import { audiences, lookAtScreens } from './support/screens.js';

describePages('Every screen is accessible (WCAG 2.2, A and AA), light and dark', function () {
  this.timeout(scaled(240_000));
  const test = useConsole();

  for (const audience of audiences)
    it(audience, async () => {
      const problems = await lookAtScreens(test, audience, {
        async look(page, name) {
          const found: string[] = [];
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme });
            await settled(page);
            await keepScreenshot(page, `${name}, ${colorScheme}`);
            found.push(...(await accessibilityProblems(page)).map((problem) => `${colorScheme}: ${problem}`));
          }
          return found;
        },
      });
      expect(problems.join('\n')).toBe('');
    });
});
