import type { BrowserContextOptions, Page } from '@playwright/test';
import { fullDepth } from '../../support/depth.js';
import type { ConsoleTest } from './console.js';
import { adminScreens } from './screens/admin.js';
import { entranceScreens, setupScreens } from './screens/entrance.js';
import { buildScene, plain, type Typed } from './screens/scene.js';
import type { Screen } from './screens/screen.js';
import { traineeScreens } from './screens/trainee.js';
import { trainerScreens } from './screens/trainer.js';

/** Every screen of the console, and states of them such as open dialogs and lists, by who sees them. */
const screens = {
  'before setup': setupScreens,
  'before signing in': entranceScreens,
  'as admin': adminScreens,
  'as trainer': trainerScreens,
  'as trainee': traineeScreens,
} satisfies Record<string, readonly Screen[]>;

export type Audience = keyof typeof screens;

// The keys of the object above are known.
export const audiences = Object.keys(screens) as Audience[];

/**
 * Whether a test looks at the screens of an audience: at full depth at all. By default all are looked at for
 * their accessibility; the rest is looked at in those of trainers, who have the frame, a list, a form and an overview.
 */
export const isSampled = (audience: Audience): boolean => fullDepth || audience === 'as trainer';

interface Look {
  /** What people have typed into names, titles and descriptions. */
  typed?: Typed;
  language?: 'en' | 'ar-XB';
  browser?: BrowserContextOptions;
  /** Looks at a screen. @returns problems */
  look(page: Page, name: string): Promise<readonly string[]>;
}

const roles = { 'as admin': 'admin', 'as trainer': 'trainer', 'as trainee': 'trainee' } as const;

/** Opens each screen of an audience, one after another, and looks at it. @returns problems, by screen */
export async function lookAtScreens(test: ConsoleTest, audience: Audience, options: Look): Promise<string[]> {
  const { typed = plain, language = 'en', browser, look } = options;
  const scene = audience === 'before setup' ? undefined : await buildScene(test, typed, audience === 'as admin');
  const role = audience in roles ? roles[audience as keyof typeof roles] : undefined;
  const user = role && scene?.[role];
  const page = user ? await test.openAs(user, '/', browser) : await test.open(test.url, browser);
  // The answer to a wrong password is an error for the browser's console, too.
  test.expectErrors(page, /status of 401/);
  await page.evaluate((chosen) => localStorage.setItem('coursectl-language', chosen), language);
  const problems: string[] = [];
  for (const { name, path, prepare } of screens[audience]) {
    // Only the setup has no scene, and its address doesn't ask for one.
    await page.goto(`${test.url}${path(scene as NonNullable<typeof scene>)}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (scene) await prepare?.(page, scene);
    const found = await look(page, name);
    problems.push(...found.map((problem) => `${name}: ${problem}`));
  }
  return problems;
}
