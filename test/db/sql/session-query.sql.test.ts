import { expect } from 'chai';
import type { Account } from '../../../src/db/models/user.js';
import { findSession } from '../../../src/db/sql/session-query.js';
import { sessionFields } from '../../../src/schemas/account-fields.js';
import { buildUser, tokenFor } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';

describe('findSession', () => {
  const harness = useHarness();

  async function sessionOf(given: Parameters<typeof buildUser>[1]) {
    const { context } = harness;
    const { Session, User } = context.database.models;
    const { id } = await buildUser(context, given);
    await tokenFor(context, await User.findByPk(id, { rejectOnEmpty: true }));
    const session = await Session.findOne({ where: { userId: id }, rejectOnEmpty: true });
    // Read through the model, with the precision of the database.
    return { session, user: await User.findByPk(id, { rejectOnEmpty: true }) };
  }
  const find = (id: string, userId: string) => findSession(harness.context.database, id, userId);

  const moments = ['2026-01-02T03:04:05.678Z', '2026-12-31T23:59:59.000Z', '1999-02-03T00:00:00.010Z'];
  const texts = ['O\'Neill "Ann"', 'back\\slash \\" \\u0041', '日本 🦊 é', 'a\u2028b </script>', "'; -- ?", '{"a":1}'];

  it('returns the same values as the models', async () => {
    for (const [index, firstName] of texts.entries()) {
      const lastLogin = [null, ...moments.map((moment) => new Date(moment))][index % 4];
      const flags = { isActive: index % 2 === 0, requiresPasswordChange: index % 3 === 0 };
      const avatar = index % 2 === 0 ? null : (texts[index] ?? null);
      const { session, user } = await sessionOf({ firstName, lastName: firstName, ...flags });
      await user.update({ avatar, lastLogin: lastLogin ?? null });
      const found = await find(session.id, user.id);
      const account = found?.user ?? {};
      const read = Object.fromEntries(Object.keys(account).map((key) => [key, user[key as keyof Account]]));
      expect(account).to.deep.equal(read);
      expect(account).to.have.all.keys('id', 'phoneKey', 'passwordHash', ...sessionFields);
      const { id, createdAt, expiresAt } = session;
      expect(found).to.deep.include({ id, usedAt: createdAt, expiresAt });
      const lastUsedAt = new Date('2026-05-06T07:08:09.001Z');
      await session.update({ lastUsedAt });
      expect((await find(id, user.id))?.usedAt).to.deep.equal(lastUsedAt);
    }
  });

  it("finds neither another account's session nor a missing one", async () => {
    const { session, user } = await sessionOf({});
    const other = await sessionOf({});
    expect(await find(session.id, other.user.id)).to.equal(undefined);
    expect(await find(user.id, user.id)).to.equal(undefined);
    expect(await find("' OR '1'='1", user.id)).to.equal(undefined);
    expect(await find('?', '\\')).to.equal(undefined);
  });
});
