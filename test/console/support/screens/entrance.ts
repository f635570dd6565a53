import { factoryPassword } from '../../../support/factories.js';
import type { Screen } from './screen.js';

export const entranceScreens: readonly Screen[] = [
  { name: 'sign in', path: () => '/' },
  {
    name: 'sign in, refused',
    path: () => '/',
    async prepare(page) {
      await page.getByLabel('Email or phone').fill('nobody@example.org');
      await page.locator('input[type=password]').fill('wrong-password');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
    },
  },
  {
    // The last one: it stays signed in.
    name: 'first password',
    path: () => '/',
    async prepare(page, { newcomer }) {
      await page.locator('input[autocomplete=username]').fill(newcomer.email);
      await page.locator('input[type=password]').fill(factoryPassword);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Choose a password of your own' }).waitFor();
    },
  },
];

/** Of an empty database. */
export const setupScreens: readonly Screen[] = [{ name: 'setup', path: () => '/' }];
