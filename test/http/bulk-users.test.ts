import { expect } from 'chai';
import type { Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import type { User } from '../../src/db/models/user.js';
import { AppError } from '../../src/errors.js';
import { changeManyUsers } from '../../src/services/accounts/bulk.js';
import { actorOf, operator } from '../../src/services/core.js';
import { buildCourse, buildTrainees, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { beforeTransactions } from '../support/transactions.js';
import { changesOf, useCast } from './support/cast.js';
import { expectInvalid, messageOf } from './support/expectations.js';

interface Outcome {
  id: string;
  name: string | null;
  outcome: string;
  code: string | null;
  message: string | null;
  password?: string;
}

describe('POST /api/users/bulk', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  const bulk = (body: object) => harness.api('post', '/api/users/bulk', cast.admin.token).send(body);
  const nameOf = ({ firstName, lastName }: User) => `${firstName} ${lastName}`;
  const done = (user: User) => ({ id: user.id, name: nameOf(user), outcome: 'done', code: null, message: null });
  const unchanged = (user: User) => ({ ...done(user), outcome: 'unchanged' });
  const refused = (user: User, code: string, message: string) => ({ ...done(user), outcome: 'refused', code, message });
  const actionsOf = async (user: User) =>
    (await changesOf(harness, cast, user.id, cast.admin)).map(({ action }) => action);
  const protectedAdmin = () =>
    refused(cast.admin.user, 'SUPER_ADMIN_PROTECTED', "The super admin can't be deactivated, demoted or deleted.");
  const own = () =>
    refused(cast.admin.user, 'OWN_ACCOUNT', "A bulk change can't include your own account. Leave it out.");

  it('deactivates and activates, returns the outcomes in the order of the list, and audits each change', async () => {
    const { trainee, owner } = cast;
    const inactive = await buildUser(harness.context, { isActive: false });
    const nobody = uuidv7();
    const ids = [trainee.user.id, inactive.id, nobody, cast.admin.user.id, owner.user.id];
    const { body } = await bulk({ action: 'deactivate', ids }).expect(200);
    expect(body).to.deep.equal({
      action: 'deactivate',
      dryRun: false,
      counts: { done: 2, unchanged: 1, refused: 2 },
      outcomes: [
        done(trainee.user),
        unchanged(inactive),
        { id: nobody, name: null, outcome: 'refused', code: 'NOT_FOUND', message: 'User not found.' },
        protectedAdmin(),
        done(owner.user),
      ],
    });
    for (const { token } of [trainee, owner]) await harness.api('get', '/api/auth/me', token).expect(401);
    expect(await actionsOf(trainee.user)).to.deep.equal(['user.deactivate']);
    expect(await actionsOf(inactive)).to.deep.equal([]);
    const again = await bulk({ action: 'activate', ids: [trainee.user.id, cast.admin.user.id] }).expect(200);
    expect(again.body.outcomes).to.deep.equal([done(trainee.user), unchanged(cast.admin.user)]);
    expect(await actionsOf(trainee.user)).to.deep.equal(['user.deactivate', 'user.activate']);
  });

  it('resets passwords, and shows each new password only once', async () => {
    const { trainee, owner } = cast;
    const ids = [trainee, owner, cast.admin].map(({ user }) => user.id);
    const response = await bulk({ action: 'reset_password', ids });
    expect(response.headers['cache-control']).to.equal('no-store');
    const outcomes = response.body.outcomes as Outcome[];
    const passwords = outcomes.slice(0, 2).map(({ password = '' }) => password);
    expect(new Set(passwords).size).to.equal(2);
    const changed = [trainee, owner].map(({ user }, index) => ({ ...done(user), password: passwords[index] }));
    expect(outcomes).to.deep.equal([...changed, own()]);
    for (const [index, { user, token }] of [trainee, owner].entries()) {
      await harness.api('get', '/api/auth/me', token).expect(401);
      const credentials = { identifier: user.email, password: passwords[index] };
      const { body } = await harness.api('post', '/api/auth/login').send(credentials).expect(200);
      expect(body.user.requiresPasswordChange).to.equal(true);
      expect(await actionsOf(user)).to.deep.equal(['user.reset-password']);
    }
    await harness.api('get', '/api/auth/me', cast.admin.token).expect(200);
  });

  it('ends sessions, and deletes accounts except the super admin and trainers with courses', async () => {
    const { trainee, owner, foreign, admin } = cast;
    await buildCourse(harness.context, owner.user);
    const inactive = await buildUser(harness.context, { isActive: false });
    const ended = await bulk({ action: 'end_sessions', ids: [trainee.user.id, inactive.id, admin.user.id] });
    expect(ended.body.outcomes).to.deep.equal([done(trainee.user), unchanged(inactive), own()]);
    await harness.api('get', '/api/auth/me', trainee.token).expect(401);
    const ids = [owner, foreign, trainee, admin].map(({ user }) => user.id);
    const { body } = await bulk({ action: 'delete', ids }).expect(200);
    const inUse = 'Trainer still has courses. Assign them to another trainer first.';
    expect(body.outcomes).to.deep.equal([
      refused(owner.user, 'TRAINER_HAS_COURSES', inUse),
      done(foreign.user),
      done(trainee.user),
      protectedAdmin(),
    ]);
    const left = await harness.context.database.models.User.findAll({ attributes: ['id'] });
    expect(left.map(({ id }) => id)).to.have.members([owner.user.id, admin.user.id, inactive.id]);
    expect(await actionsOf(trainee.user)).to.deep.equal(['user.end-sessions', 'user.delete']);
  });

  it('stops when the session of the caller ends', async () => {
    const { context } = harness;
    const { Session, User } = context.database.models;
    const { user } = cast.admin;
    const session = await Session.findOne({ where: { userId: user.id }, rejectOnEmpty: true });
    const { id: sessionId, expiresAt: sessionExpiresAt, ip, userAgent, method } = session;
    // The session ends after the first change.
    async function inTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
      const result = await context.database.inTransaction(work);
      await session.destroy();
      return result;
    }
    const watched = { ...context, database: { ...context.database, inTransaction } };
    const ids = [cast.trainee, cast.owner, cast.foreign].map((person) => person.user.id);
    const caller = { user, sessionId, sessionExpiresAt, ip, userAgent, method };
    const { signal } = new AbortController();
    const { outcomes } = await changeManyUsers(watched, actorOf(caller), { action: 'deactivate', ids }, { signal });
    expect(outcomes.map(({ outcome, refusal }) => [outcome, refusal?.code])).to.deep.equal([
      ['done', undefined],
      ['refused', 'TOKEN_INVALID'],
      ['refused', 'TOKEN_INVALID'],
    ]);
    expect(await User.count({ where: { isActive: false } })).to.equal(1);
  });

  it('changes all accounts that match a filter', async () => {
    const inactive = await buildUser(harness.context, { isActive: false });
    const filter = { role: 'trainee', isActive: true, requiresPasswordChange: false, locked: false, search: '' };
    const { body } = await bulk({ action: 'deactivate', filter }).expect(200);
    expect(body.outcomes).to.deep.equal([done(cast.trainee.user)]);
    const people = await bulk({ action: 'activate', filter: { role: 'trainee' } }).expect(200);
    expect(people.body.outcomes).to.deep.equal([done(cast.trainee.user), done(inactive)]);
    const nobody = await bulk({ action: 'delete', filter: { search: 'nobody' } }).expect(200);
    expect(nobody.body).to.deep.include({ counts: { done: 0, unchanged: 0, refused: 0 }, outcomes: [] });
  });

  it('previews its outcomes in a dry run, and changes nothing', async () => {
    const { AuditEntry, Session, User } = harness.context.database.models;
    await buildCourse(harness.context, cast.owner.user);
    await buildUser(harness.context, { isActive: false });
    const ids = (await User.findAll()).map(({ id }) => id).concat(uuidv7());
    const contents = async () =>
      JSON.stringify(await Promise.all([AuditEntry.findAll(), Session.findAll(), User.findAll()]));
    for (const action of ['activate', 'deactivate', 'reset_password', 'end_sessions', 'delete']) {
      const before = await contents();
      const preview = await bulk({ action, ids, dryRun: true }).expect(200);
      expect(await contents(), action).to.equal(before);
      const real = await bulk({ action, ids }).expect(200);
      expect(preview.body.dryRun).to.equal(true);
      const plain = real.body.outcomes.map(({ password: _, ...outcome }: Outcome) => outcome);
      expect(preview.body.outcomes, action).to.deep.equal(plain);
      expect(preview.body.counts).to.deep.equal(real.body.counts);
    }
  });

  it('refuses a filter that matches more than 1,000 accounts, and returns their number', async () => {
    const { User } = harness.context.database.models;
    await buildTrainees(harness.context, 1000);
    const tooMany = await bulk({ action: 'delete', filter: { role: 'trainee' } });
    expectInvalid(tooMany, ['filter']);
    expect(messageOf(tooMany)).to.equal('filter matches 1001 accounts; at most 1000 can be changed at once.');
    expect(await User.count({ where: { role: 'trainee' } })).to.equal(1001);
    const most = await bulk({ action: 'deactivate', filter: { search: 'number' } }).expect(200);
    expect(most.body.counts).to.deep.equal({ done: 1000, unchanged: 0, refused: 0 });
  }).timeout(scaled(60_000));

  it('names the invalid fields of its input', async () => {
    const ids = [cast.trainee.user.id];
    const none = [{}, { search: '' }, { search: ' ' }, { search: '\u200b' }, { search: '\u0300' }];
    for (const [body, words] of [
      [{ ids }, 'action is required.'],
      [{ action: 'promote', ids }, /^action must be one of activate, /],
      [{ action: 'delete' }, 'Either ids or filter is required.'],
      [{ action: 'delete', ids, filter: { role: 'trainee' } }, 'ids and filter exclude each other.'],
      ...none.map((filter) => [{ action: 'delete', filter }, 'filter must have a condition.'] as const),
      [{ action: 'delete', filter: { rol: 'trainee', isActive: true } }, 'filter may have only role, '],
      [{ action: 'delete', ids: [] }, 'ids must have at least one id.'],
      [{ action: 'delete', ids: [...ids, ...ids] }, 'ids must have each id only once.'],
      [{ action: 'delete', ids: Array.from({ length: 1001 }, () => ({})) }, 'ids may have at most 1000 ids.'],
    ] as const) {
      const response = await bulk(body);
      expect(response.status).to.equal(400);
      expect(messageOf(response), JSON.stringify(body).slice(0, 100)).to.match(new RegExp(words));
    }
    const wrong = { role: 'boss', isActive: 'true' };
    const paths = ['filter.role', 'filter.isActive', 'dryRun'];
    expectInvalid(await bulk({ action: 'delete', filter: wrong, dryRun: 'true' }), paths);
    expect(await actionsOf(cast.trainee.user)).to.deep.equal([]);
  });

  it('stops after a failure of the database', async () => {
    let transactions = 0;
    const failing = beforeTransactions(harness.context, (number) => {
      transactions = number;
      if (number === 2) throw new AppError('DATABASE_UNREACHABLE');
    });
    const ids = [cast.trainee, cast.owner, cast.foreign].map(({ user }) => user.id);
    const { signal } = new AbortController();
    const { outcomes, stopped } = await changeManyUsers(failing, operator, { action: 'deactivate', ids }, { signal });
    expect(stopped?.code).to.equal('DATABASE_UNREACHABLE');
    expect(outcomes.map(({ outcome, refusal }) => [outcome, refusal?.code])).to.deep.equal([
      ['done', undefined],
      ['refused', 'DATABASE_UNREACHABLE'],
      ['refused', 'DATABASE_UNREACHABLE'],
    ]);
    expect(transactions).to.equal(2);
  });
});
