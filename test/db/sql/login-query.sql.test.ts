import { expect } from 'chai';
import { readLogin } from '../../../src/db/sql/login-query.js';
import { addressSubject, loginSubjects, pairSubject, subjectOf } from '../../../src/services/auth/throttle-rules.js';
import { parseIdentifier } from '../../../src/services/find-by-identifier.js';
import { onMysql } from '../../support/database.js';
import { buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { statementsOf } from '../../support/statements.js';

const ip = '2001:db8::1';

describe('readLogin', () => {
  const harness = useHarness();

  async function count(subject: string | undefined, signedInAt: Date | null = null): Promise<void> {
    const row = { subject: subject ?? '', accountId: null, failures: 1, windowStartedAt: new Date(), locks: 0 };
    await harness.context.database.models.LoginThrottle.create({ ...row, signedInAt, lockedUntil: signedInAt });
  }
  async function read(identifier: string, from: string | null = ip) {
    const { key, where } = await parseIdentifier(harness.context, identifier);
    return readLogin(harness.context.database.models, where, loginSubjects(key, from));
  }

  it('returns the account as the model does, and the throttle rows of account, address and pair', async () => {
    const { User } = harness.context.database.models;
    const { id, email } = await buildUser(harness.context);
    await User.update({ lastLogin: new Date('2026-01-02T03:04:05.678Z') }, { where: { id } });
    const user = await User.findByPk(id, { rejectOnEmpty: true });
    const target = { accountId: id, passwordHash: user.passwordHash };
    const [pair, address] = [pairSubject(target, ip), addressSubject(ip)];
    const signedInAt = new Date('2026-05-06T07:08:09.001Z');
    await count(pair, signedInAt);
    await count(pairSubject(target, '192.0.2.1'));
    for (const subject of [subjectOf(target), address, subjectOf({ identifier: email })]) await count(subject);
    const [found, ...others] = await read(email);
    expect(others).to.deep.equal([]);
    expect(found?.user?.get()).to.deep.equal(user.get());
    const rows = found?.throttle.map((row) => [row.subject, row.lockedUntil, row.signedInAt]);
    expect(rows).to.deep.equal([
      [subjectOf(target), null, null],
      [pair, signedInAt, signedInAt],
      [address, null, null],
    ]);
    expect((await read(email, null))[0]?.throttle.map(({ subject }) => subject)).to.deep.equal([subjectOf(target)]);
  });

  it('returns the throttle rows of an unknown identifier', async () => {
    const unknown = subjectOf({ identifier: 'nobody@example.org' });
    for (const subject of [unknown, addressSubject(ip)]) await count(subject);
    const found = await read('nobody@example.org');
    expect(found.map(({ user, throttle }) => [user, throttle.map(({ subject }) => subject)])).to.deep.equal([
      [null, [unknown, addressSubject(ip)]],
    ]);
  });

  it('finds the throttle rows by their key', async () => {
    const { sequelize } = harness.context.database;
    const { email } = await buildUser(harness.context);
    const { statements } = await statementsOf(sequelize, () => read(email));
    const sent = statements.at(-1)?.replace(/;$/, '');
    const [plan] = await sequelize.query(`${onMysql ? 'EXPLAIN FORMAT=TRADITIONAL' : 'EXPLAIN QUERY PLAN'} ${sent}`);
    const steps = (plan as Record<string, unknown>[]).map(({ type, table, detail }) => detail ?? `${table}: ${type}`);
    expect(steps.join('\n')).not.to.match(/(target|pair|address): ALL|SCAN (?!asked|CONSTANT)/);
  });
});
