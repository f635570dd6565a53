import { buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect, settled } from './support/browser.js';
import { useConsole } from './support/console.js';

describePages('Motion', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  /** Opens a menu and a dialog, presses a switch; says what moved or faded meanwhile. */
  async function whatMoves(reducedMotion: 'reduce' | 'no-preference'): Promise<string[]> {
    const admin = await buildUser(test.context, { role: 'super_admin' });
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
    await page.getByRole('switch', { name: 'Generate a password' }).click();
    await expect(page.getByRole('textbox', { name: 'Password' })).toBeVisible();
    await settled(page);
    // Put there above.
    return page.evaluate(() => (globalThis as unknown as { moved: string[] }).moved);
  }

  it('is left out for who asked the system for less of it', async () => {
    // Work that goes on is shown by a fading sign.
    expect((await whatMoves('reduce')).filter((name) => name !== 'fade')).toEqual([]);
  });

  it('is there for others', async () => {
    expect((await whatMoves('no-preference')).length).toBeGreaterThan(0);
  });
});
