import { expect } from 'chai';
import type { Transaction } from 'sequelize';
import type { User } from '../../../src/db/models/user.js';
import { applyEffects } from '../../../src/services/accounts/apply-effects.js';
import { saveUser } from '../../../src/services/accounts/change-user.js';
import type { Cause } from '../../../src/services/accounts/effects.js';
import { userKeys } from '../../../src/services/accounts/keys.js';
import { insertAccount, type NewAccount } from '../../../src/services/accounts/rows.js';
import { type Actor, operator } from '../../../src/services/core.js';
import { mailSettings } from '../../support/environment.js';
import { buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { buildWorld, type Seen, seenAfter, unaffected, type World } from './support/effects-world.js';

/** Super admin who changes other people. */
const admin: Actor = { origin: 'http', actorId: null, ip: null, role: 'super_admin' };

interface Transition {
  title: string;
  /** Account before the change; by default an active trainee with a password. */
  given?: Partial<NewAccount>;
  change?: Partial<User>;
  action: Cause['action'];
  /** Author; by default a super admin through the API. */
  by?: 'the person' | 'the operator';
  more?: Partial<Cause>;
  /** Differences from a change without effects. */
  expected: Partial<Seen>;
}

const most = ['email', 'reset'];
const all = ['email', 'email-cancel', 'reset'];
const signedOut = { sessions: 'all', links: most, withdrawn: ['email-confirm'] } as const;
const rescued = { sessions: 'all', links: all, withdrawn: ['email-confirm', 'email-notice'] } as const;
const invited = { hasPassword: false, inviteState: 'queued', invitedAt: new Date() } as const;
const activated = {
  links: all,
  withdrawn: ['email-confirm', 'email-notice'],
  seats: ['waiting course'],
  deactivation: 'forgotten',
} as const;

const unlinked = ['creation', 'email', 'owner'] as const;
const claimed = { ...rescued, calendar: 'revoked', unlinked } as const;

const proven = { emailConfirmedAt: new Date() };
const newName = { firstName: 'Grace Brewster' };
const newEmail = { email: 'grace@example.net' };
const newPassword = { passwordHash: 'another', hasPassword: true };

/** All kinds of changes of an account, with all their effects. */
const transitions: readonly Transition[] = [
  { title: 'nothing', change: {}, action: 'user.update', expected: {} },
  { title: 'the language', change: { language: 'de' }, action: 'user.update', expected: {} },
  { title: 'the name', change: newName, action: 'user.update', expected: { formerName: 'Ada Mary King' } },
  {
    title: 'their own name',
    change: newName,
    action: 'own.profile',
    by: 'the person',
    expected: { formerName: 'Ada Mary King' },
  },
  {
    title: 'the email, by a super admin who may be rescuing the account',
    change: newEmail,
    action: 'user.update',
    expected: { ...rescued, unlinked, queued: ['email-changed to ada@example.org'] },
  },
  {
    title: 'the email, at the terminal',
    change: newEmail,
    action: 'user.update',
    by: 'the operator',
    expected: { ...rescued, unlinked },
  },
  {
    title: 'their own email: the current session and cancel links stay valid',
    change: newEmail,
    action: 'user.update',
    by: 'the person',
    more: { keptSessionId: 'the session' },
    expected: { ...signedOut, sessions: 'others', queued: ['email-changed to ada@example.org'] },
  },
  {
    title: 'the email, by the link',
    change: newEmail,
    action: 'user.confirm-email',
    by: 'the person',
    expected: signedOut,
  },
  {
    title: 'no field, by a link that confirms the unchanged email',
    action: 'user.confirm-email',
    by: 'the person',
    expected: signedOut,
  },
  {
    title: 'the email back to the old one, by the cancel link',
    change: { ...newEmail, passwordHash: 'none', hasPassword: false },
    action: 'user.cancel-email',
    by: 'the person',
    expected: { ...signedOut, links: all, withdrawn: ['email-confirm', 'email-notice', 'reset'], unlinked },
  },
  {
    title: 'no field, by a cancel link',
    action: 'user.cancel-email',
    by: 'the person',
    expected: { ...signedOut, links: all, withdrawn: ['email-confirm', 'email-notice', 'reset'], unlinked },
  },
  {
    title: 'an unconfirmed new email',
    action: 'own.email',
    by: 'the person',
    expected: { links: ['email'], withdrawn: ['email-confirm'] },
  },
  {
    title: 'an unconfirmed new email, requested by a super admin',
    action: 'user.verify-email',
    expected: { links: ['email'], withdrawn: ['email-confirm'] },
  },
  { title: 'the role', change: { role: 'trainer' }, action: 'user.update', expected: signedOut },
  {
    title: 'the super admin role, transferred',
    change: { role: 'trainer' },
    action: 'user.transfer-super-admin',
    by: 'the operator',
    more: { otherName: 'Grace Hopper' },
    expected: { ...signedOut, queued: ['role-transferred to ada@example.org'] },
  },
  {
    title: 'the role of the super admin, who is in no group',
    change: { role: 'super_admin' },
    action: 'user.transfer-super-admin',
    by: 'the operator',
    expected: { ...signedOut, groups: 'left', unlinked: ['creation', 'email'] },
  },
  { title: 'isActive to false', change: { isActive: false }, action: 'user.deactivate', expected: rescued },
  {
    title: 'isActive to true',
    given: { isActive: false },
    change: { isActive: true },
    action: 'user.activate',
    expected: activated,
  },
  {
    title: 'isActive of an invited person to false',
    given: invited,
    change: { isActive: false },
    action: 'user.deactivate',
    expected: rescued,
  },
  {
    title: 'isActive to true, with an invitation that was never sent',
    given: { ...invited, isActive: false },
    change: { isActive: true },
    action: 'user.activate',
    expected: { ...activated, queued: ['invitation'] },
  },
  {
    title: 'isActive to true, with a sent invitation',
    given: { ...invited, inviteState: 'sent', isActive: false },
    change: { isActive: true },
    action: 'user.activate',
    expected: {
      ...activated,
      links: ['email', 'email-cancel', 'invite', 'reset'],
      queued: ['invitation with its message'],
      invitation: 'queued',
    },
  },
  {
    title: 'isActive to true, with a failed invitation',
    given: { ...invited, inviteState: 'failed', isActive: false },
    change: { isActive: true },
    action: 'user.activate',
    expected: { ...activated, queued: ['invitation with its message'], invitation: 'queued' },
  },
  {
    title: 'isActive to true, with an accepted invitation',
    given: { inviteState: 'accepted', isActive: false },
    change: { isActive: true },
    action: 'user.activate',
    expected: activated,
  },
  {
    title: 'the password, by a super admin',
    change: newPassword,
    action: 'user.reset-password',
    expected: { unlinked: ['owner'], ...signedOut, queued: ['password-changed to ada@example.org'] },
  },
  {
    title: 'the password, at the terminal',
    change: newPassword,
    action: 'user.reset-password',
    by: 'the operator',
    expected: { ...signedOut, unlinked: ['owner'] },
  },
  {
    title: 'the password of an invited person',
    given: invited,
    change: newPassword,
    action: 'user.reset-password',
    by: 'the operator',
    expected: { unlinked: ['owner'], ...signedOut, withdrawn: ['email-confirm', 'invitation'], invitation: null },
  },
  {
    title: 'the password of an invited person, and isActive to true',
    given: { ...invited, inviteState: 'sent', isActive: false },
    change: { ...newPassword, isActive: true },
    action: 'user.import',
    by: 'the operator',
    expected: {
      ...activated,
      sessions: 'all',
      links: ['email', 'email-cancel', 'invite', 'reset'],
      invitation: null,
      unlinked: ['owner'],
    },
  },
  {
    title: 'their own password: the current session stays valid',
    change: newPassword,
    action: 'own.password',
    by: 'the person',
    more: { keptSessionId: 'the session' },
    expected: { ...signedOut, sessions: 'others', queued: ['password-changed to ada@example.org'] },
  },
  {
    title: 'the password, by a link',
    change: newPassword,
    action: 'user.set-password',
    by: 'the person',
    expected: { unlinked: ['owner'], ...signedOut, queued: ['password-changed to ada@example.org'] },
  },
  {
    title: 'the first password, by an invitation link',
    given: { ...invited, inviteState: 'sent' },
    change: { ...newPassword, inviteState: 'accepted' },
    action: 'user.set-password',
    by: 'the person',
    expected: { unlinked: ['owner'], ...signedOut, links: ['email', 'invite', 'reset'], invitation: 'accepted' },
  },
  {
    title: 'an invitation in place of the password',
    change: { ...invited, passwordHash: 'none' },
    action: 'user.invite',
    expected: { ...signedOut, unlinked: ['owner'], queued: ['invitation'] },
  },
  {
    title: 'an invitation in place of a queued one',
    given: invited,
    action: 'user.invite',
    more: { message: 'Welcome!' },
    expected: { links: most, withdrawn: ['email-confirm', 'invitation'], queued: ['invitation with its message'] },
  },
  {
    title: 'an invitation in place of a sent one',
    given: { ...invited, inviteState: 'sent' },
    action: 'user.invite',
    expected: { links: ['email', 'invite', 'reset'], withdrawn: ['email-confirm'], queued: ['invitation'] },
  },
  {
    title: 'an invitation of an inactive person',
    given: { isActive: false },
    change: { ...invited, passwordHash: 'none' },
    action: 'user.invite',
    expected: { ...signedOut, unlinked: ['owner'] },
  },
  {
    title: 'the image',
    change: { avatar: '/api/images/other.webp' },
    action: 'own.avatar',
    by: 'the person',
    expected: { image: 'marked' },
  },
  {
    title: "the organisation's sign-in: it proves the email, so whoever had the account before is out",
    change: proven,
    action: 'own.link',
    by: 'the person',
    expected: claimed,
  },
  {
    title: "the organisation's sign-in of an invited person",
    given: invited,
    change: { ...proven, inviteState: 'accepted' },
    action: 'own.link',
    by: 'the person',
    expected: { ...claimed, withdrawn: ['email-confirm', 'email-notice', 'invitation'], invitation: 'accepted' },
  },
  {
    title: "the organisation's sign-in, with a proven email",
    action: 'own.link',
    by: 'the person',
    expected: {},
  },
  { title: 'an identity, removed by a super admin', action: 'user.unlink', expected: { sessions: 'all' } },
  {
    title: 'an identity, removed by the person',
    action: 'user.unlink',
    by: 'the person',
    more: { keptSessionId: 'the session' },
    expected: { sessions: 'others' },
  },
  { title: 'sessions, ended by a super admin', action: 'user.end-sessions', expected: { sessions: 'all' } },
  { title: 'sessions, ended by the person', action: 'own.sessions', by: 'the person', expected: { sessions: 'all' } },
];

describe('The effects of a change of an account', () => {
  const harness = useHarness(mailSettings);
  const person = { email: 'ada@example.org' };

  function causeOf({ action, by, more = {} }: Transition, { user, session }: World): Cause {
    const self: Actor = { origin: 'http', actorId: user.id, ip: null, role: 'trainee' };
    const actor = by === 'the person' ? self : by === 'the operator' ? operator : admin;
    return { action, actor, ...more, ...(more.keptSessionId && { keptSessionId: session }) };
  }

  for (const transition of transitions)
    it(`are as listed: ${transition.title}, changed by ${transition.by ?? 'a super admin'}`, async () => {
      const { context } = harness;
      const { given, change, action, expected } = transition;
      const world = await buildWorld(context, { ...person, ...given });
      const { user } = world;
      const cause = causeOf(transition, world);
      if (action === 'user.cancel-email') {
        const link = await context.database.models.Link.findOne({
          where: { userId: user.id, purpose: 'email-cancel' },
        });
        if (link) cause.cancelLink = link;
        // The notice must belong to this change, not to an earlier one.
        await context.database.models.Mail.update({ createdAt: new Date(Date.now() + 1000) }, { where: {} });
      }
      const save = async (transaction: Transaction) => {
        if (!change) return applyEffects(context, [{ before: user, after: user, cause }], transaction);
        user.set(change);
        user.set(userKeys(user));
        return saveUser(context, user, { ...cause, actor: cause.actor as Actor }, transaction);
      };
      const seen = await seenAfter(context, world, () => context.database.inTransaction(save));
      expect(seen).to.deep.equal({ ...unaffected, ...expected });
    });

  it('are, for a new account, its search words and, if it is active, the invitation', async () => {
    const { context } = harness;
    for (const [isActive, queued] of [
      [true, ['invitation with its message']],
      [false, []],
    ] as const) {
      const { AccountWord, Mail } = context.database.models;
      const { id: _id, ...other } = (await buildUser(context)).get();
      const account = {
        ...other,
        ...invited,
        email: `${isActive}@example.net`,
        phone: '',
        isActive,
        firstName: 'Ada Mary',
      };
      const cause = { action: 'user.register', actor: admin, message: 'Welcome!' } as const;
      const create = (transaction: Transaction) => insertAccount(context, account, transaction, cause);
      const { id } = await context.database.inTransaction(create);
      const mails = await Mail.findAll({ where: { userId: id } });
      expect(mails.map(({ kind }) => `${kind} with its message`)).to.deep.equal(queued);
      expect(await AccountWord.count({ where: { accountId: id, word: 'mary' } })).to.equal(1);
    }
  });

  it('are, for a deletion, removed search words, mails and images, and freed seats', async () => {
    const { context } = harness;
    const world = await buildWorld(context, person);
    const cause = { action: 'user.delete', actor: admin } as const;
    const remove = (transaction: Transaction) =>
      applyEffects(context, [{ before: world.user, after: undefined, cause }], transaction);
    const seen = await seenAfter(context, world, () => context.database.inTransaction(remove));
    const { AccountWord } = context.database.models;
    expect(await AccountWord.count({ where: { accountId: world.user.id } })).to.equal(0);
    expect(seen).to.deep.equal({
      ...unaffected,
      withdrawn: ['email-confirm', 'email-notice', 'reset'],
      words: false,
      image: 'marked',
      seats: ['active course'],
    });
  });
});
