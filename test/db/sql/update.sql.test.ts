import assert from 'node:assert/strict';
import { expect } from 'chai';
import { DatabaseError } from 'sequelize';
import type { Database } from '../../../src/db/connection.js';
import type { User } from '../../../src/db/models/user.js';
import { updateRows } from '../../../src/db/sql/update.js';
import { searchKeyLength } from '../../../src/schemas/keys.js';
import { onMysql } from '../../support/database.js';
import { buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { statementsOf } from '../../support/statements.js';
import { failureOf } from '../support/failure.js';

describe('updating many rows', () => {
  const harness = useHarness();
  let database: Database;
  let users: User[];
  beforeEach(async () => {
    database = harness.context.database;
    const given = Array.from({ length: 120 }, (_, index) => ({
      email: `p${index}@example.org`,
      phone: `+1 555 ${index}`,
    }));
    for (const person of given) await buildUser(harness.context, person);
    users = await stored();
  });
  const stored = () => database.models.User.findAll({ order: ['id'] });
  const update = (rows: Parameters<typeof updateRows<User>>[1]) =>
    database.inTransaction((transaction) => updateRows(database.models.User, rows, transaction));

  const at = new Date('2026-01-02T03:04:05.678Z');

  /** Updates rows, and returns the statements. */
  async function sent(rows: Parameters<typeof update>[0]): Promise<string[]> {
    const { statements } = await statementsOf(database.sequelize, () => update(rows));
    return statements.filter((sql) => /UPDATE/.test(sql));
  }

  it('gives each row its values, and leaves all other rows unchanged', async () => {
    const rows = users.slice(1).map(({ id }, index) => ({
      id,
      ...(index % 2 === 0 && { lastName: `O'Hara \\ "${index}" :id ? $1 ñ 🦊` }),
      ...(index % 3 === 0 && { isActive: false, role: 'trainer' as const }),
      ...(index % 5 === 0 && {
        passwordHash: `hash ${index}`,
        initialPasswordExpiresAt: new Date(at.getTime() + 1001 * index),
      }),
      ...(index % 4 === 0 && { searchKey: `${'🦊'.repeat(490)} ${index}`, lockVersion: index }),
      ...(index % 7 === 0 && { initialPasswordExpiresAt: null, email: `new${index}@example.org` }),
    }));
    await update(rows);
    const changes = new Map(rows.map((row) => [row.id, row]));
    const expected = users.map((user) => ({ ...user.get(), ...changes.get(user.id) }));
    expect((await stored()).map((user) => user.get())).to.deep.equal(expected);
  });

  it('sends a single statement, which contains a shared value only one time', async () => {
    const updates = await sent(users.map(({ id }, index) => ({ id, lastName: `Lopez ${index}`, updatedAt: at })));
    expect(updates).to.have.length(1);
    for (const sql of updates) expect(sql.split('03:04:05.678')).to.have.length(2);
    expect(new Set((await stored()).map((user) => user.updatedAt.getTime()))).to.deep.equal(new Set([Number(at)]));
    expect(new Set((await stored()).map(({ lastName }) => lastName))).to.have.property('size', users.length);
  });

  it('sends long values in several statements, and rows with other attributes in a separate statement', async () => {
    const keys = users.map((_, index) => `${index} `.padEnd(searchKeyLength, 'key '));
    const rows = users.map(({ id }, index) => ({ id, searchKey: keys[index] ?? '' }));
    const [first, ...others] = rows;
    // 91 of these rows fit into 50,000 characters.
    expect(await sent([{ id: first?.id ?? '', lastName: 'Lopez' }, ...others])).to.have.length(3);
    expect((await stored()).slice(1).map(({ searchKey }) => searchKey)).to.deep.equal(keys.slice(1));
  });

  it('changes nothing for rows without changes, or if one row breaks a rule or is too long', async () => {
    const before = await stored();
    await update([]);
    await update(before.map(({ id }) => ({ id })));
    const long = before.map(({ id }, index) => ({ id, lastName: 'x'.repeat(index === 7 ? 51 : 50 - (index % 2)) }));
    // SQLite has no maximum lengths.
    if (onMysql) await assert.rejects(() => update(long), DatabaseError);
    const [first, ...others] = before.map(({ id }) => id);
    const taken = { id: first ?? '', email: before[5]?.email ?? '' };
    const names = others.map((id) => ({ id, lastName: 'Changed' }));
    expect((await failureOf(() => update([...names, taken]))).code).to.equal('EMAIL_TAKEN');
    expect((await stored()).map((user) => user.get())).to.deep.equal(before.map((user) => user.get()));
  });
});
