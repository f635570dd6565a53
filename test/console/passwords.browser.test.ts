import type { Page } from '@playwright/test';
import { mailSettings } from '../support/environment.js';
import { buildUser, factoryPassword, linkFor } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect } from './support/browser.js';
import { signInAt, useConsole } from './support/console.js';

const rules = {
  en: 'At least 10 characters. Not a common password, and not your name, email or phone.',
  de: 'Mindestens 10 Zeichen. Kein häufiges Passwort und nicht dein Name, deine E-\u2060Mail oder dein Telefon.',
};

describePages('A chosen password', function () {
  this.timeout(scaled(120_000));
  const test = useConsole({ ...mailSettings, PASSWORD_MIN_LENGTH: '10', PASSWORD_BLOCKLIST: 'on' });

  /** Checks that the field for the password names the rules before an error. */
  async function expectRules(page: Page, language: 'en' | 'de' = 'en'): Promise<void> {
    await expect(page.locator('input[autocomplete="new-password"]').first()).toHaveAccessibleDescription(
      rules[language],
    );
    await expect(page.getByText(rules[language])).toBeVisible();
    expect(await accessibilityProblems(page)).toEqual([]);
  }

  it('has its rules on each page that asks for one, and these pages begin in their first field', async () => {
    const setup = await test.open(test.url);
    await expect(setup.getByLabel('First name')).toBeFocused();
    await expectRules(setup);

    await buildUser(test.context, { role: 'super_admin' });
    const newcomer = await buildUser(test.context, { requiresPasswordChange: true });
    const first = await test.open(test.url);
    await expect(first.getByLabel('Email or phone')).toBeFocused();
    await signInAt(first, newcomer.email, factoryPassword);
    await expect(first.getByLabel(/^New password \*$/)).toBeFocused();
    await expectRules(first);

    const user = await buildUser(test.context);
    for (const purpose of ['invite', 'reset'] as const) {
      const link = await test.open(`${test.url}/set-password#${await linkFor(test.context, user, purpose)}`, {
        locale: 'de-DE',
      });
      await expect(link.getByLabel(/^Neues Passwort \*$/)).toBeFocused();
      await expectRules(link, 'de');
    }
    await expectRules(await test.openAs(user, '/profile'));
  });
});
