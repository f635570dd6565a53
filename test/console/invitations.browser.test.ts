import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { User } from '../../src/db/models/user.js';
import { queueMails } from '../../src/services/mail/outbox.js';
import { signInSettings } from '../support/environment.js';
import { buildUser, factoryPassword } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { tokenOf } from '../support/mailbox.js';
import {
  accessibilityProblems,
  describePages,
  expect,
  horizontalOverflow,
  keepScreenshot,
  settled,
} from './support/browser.js';
import { returnToPage, signInAt, useConsole, useConsoleWithMail } from './support/console.js';
import { row } from './support/courses.js';
import { applyPlan, csv, planFile } from './support/imports.js';
import { layoutProblems } from './support/layout.js';

const widths = [360, 768, 1280] as const;

const people = csv(
  'firstName,lastName,email,phone,password',
  'Ann,Archer,ann@example.org,+44 1,',
  'Bob,Baker,bob@example.org,+44 2,',
  'Cid,Cook,cid@example.org,+44 3,a password of his own',
);

/** Badge in the list of people or on the page of a person. */
const badge = (page: Page, name: string) => page.locator('.mantine-Badge-root').filter({ hasText: name });

describePages('Invitations', function () {
  this.timeout(scaled(120_000));
  const test = useConsoleWithMail();
  let admin: User;

  beforeEach(async () => {
    admin = await buildUser(test.context, { role: 'super_admin', firstName: 'Ada', lastName: 'Admin' });
    test.mail.refuse('RCPT', undefined);
    test.mail.mails.length = 0;
  });
  const mailTo = (address: string) => test.mail.waitFor(({ to }) => to.includes(address));

  /** Creates a person with an unused initial password. */
  const newcomer = (given: Partial<User>, notes: Partial<User> = {}) =>
    buildUser(test.context, {
      requiresPasswordChange: true,
      initialPasswordExpiresAt: new Date(Date.now() + 86_400_000),
      ...given,
    }).then((user) => user.update(notes, { silent: true }));

  it('are not offered for people with a password, who get a link to set a new password instead', async () => {
    const tia = await buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee', email: 'tia@example.org' });
    const page = await test.openAs(admin, `/people/${tia.id}`);
    await page.getByRole('button', { name: 'Reset password' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reset the password of Tia Trainee?' });
    await expect(dialog.getByRole('radio', { name: 'Show a password once' })).not.toBeChecked();
    await dialog.getByRole('button', { name: 'Mail a link' }).click();
    await expect(page.getByText('A link to set a new password is on its way to tia@example.org.')).toBeVisible();
    await expect(dialog).toBeHidden();
    await page.goto(`${test.url}/set-password#${tokenOf(await mailTo('tia@example.org'))}`);
    await expect(page.getByRole('heading', { name: 'Hello Tia' })).toBeVisible();
  });

  it('let a new person choose a password by a mailed link, and show their state', async () => {
    const page = await test.openAs(admin, '/people');
    await page.getByRole('button', { name: 'New person' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New person' });
    await expect(dialog.getByRole('radio', { name: 'Invite by mail' })).toBeChecked();
    // Waits for the focus, otherwise typed letters would be lost.
    await expect(dialog.getByLabel('First name')).toBeFocused();
    for (const text of ['Nia', 'New', 'nia@example.org']) {
      await page.keyboard.type(text);
      await page.keyboard.press('Tab');
    }
    await dialog.getByLabel('Your message').fill('Welcome!\nSee you on Monday.');
    await dialog.getByRole('button', { name: 'Create and invite' }).press('Enter');
    await expect(page.getByText('Nia New was created, and gets an invitation by mail.')).toBeVisible();
    await expect(dialog).toBeHidden();
    await expect(row(page, 'Nia New')).toContainText('Invited');

    const mail = await mailTo('nia@example.org');
    expect(mail.text).toContain('See you on Monday.');
    await page.getByRole('link', { name: 'Nia New' }).click();
    await returnToPage(page);
    await expect(page.getByText('the mail server has accepted the mail')).toBeVisible();
    await page.getByRole('button', { name: 'More actions' }).click();
    await expect(page.getByRole('menuitem', { name: 'Invite again' })).toBeVisible();

    const body = { token: tokenOf(mail), newPassword: 'a-password-of-my-own' };
    await test.api('post', '/api/links/set-password').send(body).expect(200);
    await page.reload();
    await expect(page.getByText('and has accepted the invitation')).toBeVisible();
    await expect(badge(page, 'Invited')).toBeHidden();
    await page.getByRole('button', { name: 'More actions' }).click();
    await expect(page.getByRole('menuitem', { name: /^Invite/ })).toBeHidden();
  });

  it('can be replaced by a password that is shown only once', async () => {
    const page = await test.openAs(admin, '/people');
    await page.getByRole('button', { name: 'New person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('First name').fill('Nia');
    await dialog.getByLabel('Last name').fill('New');
    await dialog.getByLabel('Email').fill('nia@example.org');
    await dialog.getByRole('radio', { name: 'Show a password once' }).check();
    await expect(dialog.getByLabel('Your message')).toBeHidden();
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(dialog.getByRole('textbox', { name: 'Password' })).toHaveValue(/^\w{5}-\w{5}-\w{5}-\w{5}$/);
    expect(await test.context.database.models.Mail.count()).toBe(0);
  });

  it('are sent to a selection after a preview; failed invitations can be filtered and show the reason', async () => {
    test.mail.refuse('RCPT', (to) =>
      to === 'ann@example.org' ? { code: 550, text: '5.1.1 No such user' } : undefined,
    );
    await newcomer({ firstName: 'Ann', lastName: 'Archer', email: 'ann@example.org' });
    await newcomer({ firstName: 'Bob', lastName: 'Baker', email: 'bob@example.org' });
    await buildUser(test.context, { firstName: 'Cid', lastName: 'Cook' });
    const page = await test.openAs(admin, '/people?role=trainee');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Invite by mail' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite by mail' });
    await expect(dialog.getByText('2 will be invited')).toBeVisible();
    await expect(dialog.getByRole('row', { name: 'Cid Cook The person has a password of their own.' })).toBeVisible();
    await dialog.getByLabel('Your message').fill('Hello!');
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Invite by mail (2)' }).click();
    await expect(dialog.getByText('2 done')).toBeVisible();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    expect((await mailTo('bob@example.org')).text).toContain('Hello!');

    const { User } = test.context.database.models;
    await expect.poll(() => User.count({ where: { inviteState: 'failed' } })).toBe(1);
    await page.getByLabel('Invitation').selectOption('Invitation failed');
    await expect(page).toHaveURL(/invited=failed/);
    await expect(page.getByText('1 to 1 of 1')).toBeVisible();
    await page.getByRole('link', { name: 'Ann Archer' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Mail does not arrive' });
    await expect(alert).toContainText('550 5.1.1 No such user');
    await expect(alert).toContainText('Correct the address');

    test.mail.refuse('RCPT', undefined);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Invite again' }).click();
    const again = page.getByRole('dialog', { name: 'Invite Ann Archer again?' });
    await again.getByRole('button', { name: 'Invite by mail' }).click();
    await expect(page.getByText('Ann Archer gets an invitation by mail.')).toBeVisible();
    await mailTo('ann@example.org');
  });

  it('are refused with a reason if the person has chosen a password since the page was opened', async () => {
    const ann = await newcomer({ firstName: 'Ann', lastName: 'Archer' });
    const page = await test.openAs(admin, `/people/${ann.id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Invite by mail' }).click();
    await ann.update({ inviteState: 'accepted' }, { silent: true });
    await page.getByRole('dialog').getByRole('button', { name: 'Invite by mail' }).click();
    await expect(page.getByRole('dialog').getByRole('alert')).toContainText('has a password of their own');
  });

  it('are chosen in the plan of an import, and its undo says how many were sent', async () => {
    test.mail.refuse('RCPT', (to) => (to === 'bob@example.org' ? { code: 451, text: '4.7.1 Later' } : undefined));
    const page = await test.openAs(admin, '/imports');
    await planFile(page, 'people.csv', people);
    const access = page.getByLabel('How new people get access');
    await access.selectOption('Invitations by mail');
    await page.getByRole('button', { name: 'Plan again with these changes' }).click();
    await expect(page.getByText('2 people are invited by mail')).toBeVisible({ timeout: scaled(30_000) });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const confirm = page.getByRole('dialog', { name: 'Import this file?' });
    await expect(confirm).toContainText('2 mails with invitations are sent.');
    await expect(confirm).not.toContainText('password');
    await confirm.getByRole('button', { name: 'Import' }).click();
    await expect(page.getByText('there are no passwords to download')).toBeVisible({ timeout: scaled(30_000) });
    await expect(page.getByRole('button', { name: 'Download passwords' })).toBeHidden();

    const { Mail } = test.context.database.models;
    await expect.poll(() => Mail.count({ where: { state: 'deferred' } })).toBe(1);
    await page.getByRole('button', { name: 'Undo the import' }).click();
    const undo = page.getByRole('dialog', { name: 'Undo this import?' });
    await expect(undo).toContainText('3 accounts are deleted');
    await expect(undo).toContainText('1 invitation was sent already');
  });

  it('cause a warning above all others if people may want no mail', async () => {
    const page = await test.openAs(admin, '/imports');
    await planFile(page, 'people.csv', readFileSync('test/fixtures/meaning/deceased.csv'));
    const alarm = page.getByRole('alert', { name: 'These people would get an invitation' });
    await expect(page.getByRole('alert', { name: 'Look at this before you import' })).toContainText('Deceased: Yes');
    await expect(alarm).toBeHidden();
    await page.getByLabel('How new people get access').selectOption('Invitations by mail');
    await page.getByRole('button', { name: 'Plan again with these changes' }).click();
    await expect(alarm).toContainText('Deceased: Yes', { timeout: scaled(30_000) });
    await expect(alarm).toContainText('Unsubscribed: yes');
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('can be combined with passwords to download', async () => {
    const page = await test.openAs(admin, '/imports');
    await planFile(page, 'people.csv', people);
    await page.getByLabel('How new people get access').selectOption('Both, in case mail does not arrive');
    await page.getByRole('button', { name: 'Plan again with these changes' }).click();
    await expect(page.getByText('2 people are invited by mail')).toBeVisible({ timeout: scaled(30_000) });
    await applyPlan(page);
    await expect(page.getByRole('button', { name: 'Download passwords' })).toBeVisible({ timeout: scaled(30_000) });
    await expect(page.getByText('Passwords in addition to invitations')).toBeVisible();
  });

  for (const language of ['en', 'de'] as const)
    it(`are accessible and fit three window widths, light and dark (${language})`, async () => {
      const ago = { invitedAt: new Date(Date.now() - 3 * 86_400_000), hasPassword: false };
      const failed = await newcomer(
        { firstName: 'Ann', lastName: 'Archer', email: 'ann.archer-of-the-long-address@example.org' },
        { ...ago, inviteState: 'failed', mailFailedAt: new Date() },
      );
      const lastError = '550 5.1.1 <ann.archer-of-the-long-address@example.org>: User unknown in virtual mailbox table';
      await test.context.database.inTransaction(async (transaction) => {
        await queueMails(test.context, [{ kind: 'invitation', userId: failed.id }], transaction);
        await test.context.database.models.Mail.update({ state: 'failed', lastError }, { where: {}, transaction });
      });
      const sent = await newcomer({ firstName: 'Bob', lastName: 'Baker' }, { ...ago, inviteState: 'sent' });
      await newcomer({ firstName: 'Cid', lastName: 'Cook' }, { ...ago, inviteState: 'queued' });
      const lost = await buildUser(test.context, { firstName: 'Dan', lastName: 'Dyer' });
      await lost.update({ mailFailedAt: new Date() }, { silent: true });
      const page = await test.openAs(admin, '/people');
      await page.evaluate(`localStorage.setItem('coursectl-language', '${language}')`);
      const selectAll = () => page.getByRole('checkbox').first().check();
      const press = (role: 'button' | 'menuitem', name: RegExp) => page.getByRole(role, { name }).first().click();
      const screens: [string, string, (() => Promise<unknown>)?][] = [
        ['people', '/people'],
        ['people, column', '/people?columns=name,email,state,invitedAt'],
        ['new person', '/people', () => press('button', /New person|Neue Person/)],
        [
          'plan of invitations',
          '/people?role=trainee',
          async () => {
            await selectAll();
            await press('button', /^(Invite by mail|Per .* einladen)$/);
            await page.getByRole('dialog').getByRole('textbox').waitFor();
          },
        ],
        ['person, failed', `/people/${failed.id}`],
        ['person, sent', `/people/${sent.id}`],
        ['person, mail does not arrive', `/people/${lost.id}`],
        [
          'inviting a person again',
          `/people/${failed.id}`,
          async () => {
            await press('button', /More actions|Weitere Aktionen|Mehr/);
            await press('menuitem', /Invite|einladen/);
            await page.getByRole('dialog').getByRole('textbox').waitFor();
          },
        ],
      ];
      const problems: string[] = [];
      for (const [name, path, act] of screens) {
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.goto(`${test.url}${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await settled(page);
        await act?.();
        for (const width of widths) {
          await page.setViewportSize({ width, height: 800 });
          await settled(page);
          await keepScreenshot(page, `invitations ${name} ${language} ${width}`);
          problems.push(...(await layoutProblems(page)).map((problem) => `${name}, ${width}: ${problem}`));
          if ((await horizontalOverflow(page)) > 0) problems.push(`${name}, ${width}: too wide`);
        }
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await settled(page);
          if (colorScheme === 'dark') await keepScreenshot(page, `invitations ${name} ${language} dark`);
          problems.push(...(await accessibilityProblems(page)).map((problem) => `${name}, ${colorScheme}: ${problem}`));
        }
        await page.emulateMedia({ colorScheme: 'light' });
      }
      expect(problems.join('\n')).toBe('');
    });
});

describePages('Without mail', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  it('nobody can be invited, and the pages say who can set up mail', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    await buildUser(test.context, { requiresPasswordChange: true });
    const page = await test.openAs(admin, '/people');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    const bar = page.getByRole('region', { name: 'Selection' });
    await expect(bar.getByRole('button', { name: 'Add to group', exact: true })).toBeVisible();
    await expect(bar.getByRole('button', { name: 'Invite by mail' })).toBeHidden();
    await expect(page.getByLabel('Invitation')).toBeHidden();
    await page.getByRole('button', { name: 'New person' }).click();
    await expect(page.getByRole('dialog')).toContainText('ask the operator of this server to set up mail');
    await expect(page.getByRole('radio')).toHaveCount(0);
    await page.goto(`${test.url}/imports`);
    await planFile(page, 'people.csv', people);
    await expect(page.getByText('ask the operator of this server to set up mail')).toBeVisible();
    await expect(page.getByLabel('How new people get access')).toBeHidden();
  });
});

describePages("With the organisation's account", function () {
  this.timeout(scaled(120_000));
  const test = useConsole(signInSettings);
  let admin: User;

  beforeEach(async () => {
    admin = await buildUser(test.context, { role: 'super_admin' });
  });

  it('a new person needs no password, and is not signed in yet', async () => {
    const page = await test.openAs(admin, '/people');
    await page.getByRole('button', { name: 'New person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('First name').fill('Nia');
    await dialog.getByLabel('Last name').fill('New');
    await dialog.getByLabel('Email').fill('nia@example.org');
    await expect(dialog.getByRole('radio', { name: 'Show a password once' })).toBeChecked();
    await dialog.getByRole('radio', { name: 'No password' }).check();
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(page.getByText('Nia New was created')).toBeVisible();
    await expect(dialog).toBeHidden();
    await expect(row(page, 'Nia New')).toContainText('Not signed in yet');
    await expect(row(page, 'Nia New')).not.toContainText('Initial password');
    await page.getByRole('link', { name: 'Nia New' }).click();
    await expect(badge(page, 'Not signed in yet')).toBeVisible();
    await page.goto(`${test.url}/people`);
    await page.getByLabel('Way to sign in').selectOption('None yet');
    await expect(page).toHaveURL(/signsIn=none/);
    await expect(row(page, 'Nia New')).toBeVisible();
    await expect(page.getByRole('row')).toHaveCount(2);
  });

  it('an import gives no passwords if the plan says so', async () => {
    const page = await test.openAs(admin, '/imports');
    await planFile(page, 'people.csv', people);
    await page
      .getByLabel('How new people get access')
      .selectOption("Without a password, for the organisation's account");
    await page.getByRole('button', { name: 'Plan again with these changes' }).click();
    await expect(page.getByText('New people without a password in the file get none')).toBeVisible({
      timeout: scaled(30_000),
    });
    await expect(page.getByText('passwords are generated')).toBeHidden();
    await applyPlan(page);
    await expect(page.getByText('there are no passwords to download')).toBeVisible({ timeout: scaled(30_000) });
    await expect(page.getByText('New people get no password')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Download passwords' })).toBeHidden();
    const { User } = test.context.database.models;
    expect(await User.count({ where: { hasPassword: false } })).toBe(2);
  });
});

describePages('With PASSWORD_LOGIN=off', function () {
  this.timeout(scaled(120_000));
  const test = useConsole({ ...signInSettings, PASSWORD_LOGIN: 'off' });

  it('new people have no password, and no password can be reset', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const page = await test.open(`${test.url}/people`);
    await page.getByRole('button', { name: 'Sign in with a password' }).click();
    await signInAt(page, admin.email, factoryPassword);
    await page.getByRole('button', { name: 'New person' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByText('For people who sign in with')).toBeVisible();
    await expect(dialog.getByRole('radio')).toHaveCount(0);
    await dialog.getByLabel('First name').fill('Nia');
    await dialog.getByLabel('Last name').fill('New');
    await dialog.getByLabel('Email').fill('nia@example.org');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('link', { name: 'Nia New' }).click();
    await expect(page.getByRole('button', { name: 'More actions' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Reset password' })).toBeHidden();
    await page.goto(`${test.url}/imports`);
    await planFile(page, 'people.csv', people);
    await expect(page.getByText('New people without a password in the file get none')).toBeVisible();
  });
});
