import { scaled } from '../support/machine.js';
import { describePages, expect, keepScreenshot, settled } from './support/browser.js';
import { useConsole } from './support/console.js';
import { layoutProblems } from './support/layout.js';
import { hostile } from './support/screens/scene.js';
import { audiences, isSampled, lookAtScreens } from './support/screens.js';

describePages('Names, titles, file names and cells with markup, and as long as they may be', function () {
  this.timeout(scaled(240_000));
  const test = useConsole();

  for (const audience of audiences.filter((one) => one.startsWith('as ')))
    it(`are shown as text, within 360 pixels, ${audience}`, async function () {
      if (!isSampled(audience)) this.skip();
      const problems = await lookAtScreens(test, audience, {
        typed: hostile,
        browser: { viewport: { width: 360, height: 740 } },
        async look(page, name) {
          await settled(page);
          await keepScreenshot(page, `${name}, hostile`);
          const found = await layoutProblems(page);
          const ran = await page.evaluate(() => 'ran' in globalThis);
          const elements = await page.locator('img[src="x"]').count();
          return [...found, ...(ran ? ['a script ran'] : []), ...(elements > 0 ? ['markup was drawn'] : [])];
        },
      });
      expect(problems.join('\n')).toBe('');
    });
});
