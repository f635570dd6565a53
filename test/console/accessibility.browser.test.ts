import { fullDepth } from '../support/depth.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect, keepScreenshot, settled } from './support/browser.js';
import { useConsole } from './support/console.js';
import { audiences, lookAtScreens } from './support/screens.js';

/** Words and structure are the same in both; by default the colours of dark pages are not looked at. */
const colorSchemes = fullDepth ? (['light', 'dark'] as const) : (['light'] as const);

describePages(`Every screen is accessible (WCAG 2.2, A and AA), ${colorSchemes.join(' and ')}`, function () {
  this.timeout(scaled(240_000));
  const test = useConsole();

  for (const audience of audiences)
    it(audience, async () => {
      const problems = await lookAtScreens(test, audience, {
        async look(page, name) {
          const found: string[] = [];
          for (const colorScheme of colorSchemes) {
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
