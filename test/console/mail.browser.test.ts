import { mailSettings } from '../support/environment.js';
import { buildMail, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';

import { describePages, expect } from './support/browser.js';
import { useConsole } from './support/console.js';

const ended = { nextAt: null, finishedAt: new Date() };

describePages('The page of mails', function () {
  this.timeout(scaled(120_000));
  const test = useConsole(mailSettings);

  /** Creates a failed invitation, and a notice that waits until tomorrow. */
  async function build() {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const person = await buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee' });
    const failed = { state: 'failed', lastError: '550 5.7.1 Rejected', ...ended } as const;
    await buildMail(test.context, { kind: 'invitation', userId: person.id, ...failed });
    const nextAt = new Date(Date.now() + 86_400_000);
    const waiting = await buildMail(test.context, { userId: person.id, nextAt });
    return { admin, person, waiting };
  }

  it('is linked from the overview while mails fail, and shows recipients and reasons', async () => {
    const { admin, person } = await build();
    const page = await test.openAs(admin);
    await page.getByRole('link', { name: 'Show: mail refused by the mail server' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Invitation' });
    await expect(row).toContainText('550 5.7.1 Rejected');
    await expect(row.getByRole('link', { name: 'Tia Trainee' })).toHaveAttribute('href', `/people/${person.id}`);
    await expect(page.getByRole('row').filter({ hasText: 'Password changed' })).toHaveCount(0);
  });

  it('sends all failed mails of the filter again, by one button', async () => {
    const { admin, person, waiting } = await build();
    const failed = { state: 'failed', userId: person.id, ...ended } as const;
    const refused = await buildMail(test.context, { kind: 'accepted', ...failed });
    const unknown = await buildMail(test.context, { kind: 'reset', addressUnknown: true, ...failed });
    const page = await test.openAs(admin, '/mail?state=failed&address=known');
    await page.getByRole('button', { name: 'Send all 2 failed mails again' }).click();
    await expect(page.getByText('2 mails are sent again.')).toBeVisible();
    await expect(page.getByRole('button', { name: /failed/ })).toHaveCount(0);
    expect((await refused.reload()).state).not.toBe('failed');
    expect((await unknown.reload()).state).toBe('failed');
    expect((await waiting.reload()).attempts).toBe(0);
  });

  it('withdraws the waiting mails of a selection, in German on a narrow screen', async () => {
    const { admin, person, waiting } = await build();
    await buildMail(test.context, { kind: 'enrolled', userId: person.id, state: 'sent', ...ended });
    const page = await test.openAs(admin, '/mail', { locale: 'de-DE', viewport: { width: 360, height: 740 } });
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await expect(page.getByRole('combobox', { name: 'Person' })).toBeVisible();
    const bar = page.getByRole('region', { name: 'Auswahl' });
    await page.getByRole('checkbox', { name: /^In einen Kurs aufgenommen/ }).check();
    await expect(bar.getByRole('status')).toContainText('lassen sich nicht mehr ändern');
    await expect(bar.getByRole('button')).toHaveText(['', 'Alle 3 passenden auswählen']);
    await page.getByRole('checkbox', { name: /^Passwort geändert/ }).check();
    await page.getByRole('checkbox', { name: /^Einladung/ }).check();
    await expect(bar).toBeInViewport();
    await expect(bar.getByRole('button', { name: 'Noch einmal senden (1)' })).toBeVisible();
    await bar.getByRole('button', { name: 'Zurückziehen (1)' }).click();
    await expect(page.getByText('1 E-\u2060Mail zurückgezogen.')).toBeVisible();
    await expect(bar).toHaveCount(0);
    await expect(page.getByRole('row').filter({ hasText: 'Passwort geändert' })).toContainText('Zurückgezogen');
    expect((await waiting.reload()).state).toBe('withdrawn');
  });

  it('says why a mail that has changed since is refused, and shows the problem of the overview', async () => {
    const { admin, waiting } = await build();
    const page = await test.openAs(admin, '/mail');
    await expect(page.getByText('The server refused 1 mail in the last three days: 550 5.7.1 Rejected')).toBeVisible();
    await page.getByRole('checkbox', { name: /Password changed/ }).check();
    await waiting.update({ state: 'sent', ...ended });
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByRole('button', { name: 'Withdraw (1)' }).click();
    await expect(bar.getByRole('status')).toHaveText('Not changed: The mail does not allow this in its present state.');
    await bar.getByRole('button', { name: 'Close' }).click();
    await expect(bar).toHaveCount(0);
  });
});

describePages('The page of mails without a mail server', function () {
  this.timeout(scaled(120_000));
  const test = useConsole();

  it('names the missing settings, and is not in the menu', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const page = await test.openAs(admin, '/mail');
    await expect(page.getByText(/with SMTP_URL, MAIL_FROM and PUBLIC_URL/)).toBeVisible();
    await expect(page.getByRole('navigation').getByRole('link', { name: 'Mail' })).toHaveCount(0);
  });
});
