import { expect } from 'chai';
import type { Database } from '../../../src/db/connection.js';
import type { User } from '../../../src/db/models/user.js';
import { selectRows } from '../../../src/db/sql/rows.js';
import { buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';

const names = ["O'Hara \\ :id ? $1", 'Łukasz', '% _', 'Ñ 𝒜'];

describe('reading many rows', () => {
  const harness = useHarness();
  let database: Database;
  let users: User[];
  beforeEach(async () => {
    database = harness.context.database;
    for (const [index, lastName] of names.entries())
      await buildUser(harness.context, { lastName, email: `o'p${index}@example.org`, isActive: index !== 1 });
    const lastLogin = new Date('2026-01-02T03:04:05.678Z');
    await database.models.User.update({ lastLogin, avatar: 'a.png' }, { where: { lastName: 'Łukasz' } });
    users = await database.models.User.findAll({ order: ['id'] });
  });
  const attributes = [
    'id',
    'lastName',
    'email',
    'isActive',
    'lastLogin',
    'avatar',
    'lockVersion',
    'updatedAt',
  ] as const;
  const of = (user: User) => Object.fromEntries(attributes.map((attribute) => [attribute, user[attribute]]));

  it('returns the same attributes as the models', async () => {
    const { User } = database.models;
    const among = users.map(({ email }) => email);
    const rows = await database.read(() => selectRows(User, attributes, { by: 'email', among }));
    expect(rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))).to.deep.equal(users.map(of));
  });

  it('returns the rows with the given values, and no rows for no values', async () => {
    const { User } = database.models;
    const find = (among: string[]) => database.read(() => selectRows(User, ['email'], { by: 'lastName', among }));
    expect(await find(['Łukasz', 'Nobody', 'x'])).to.deep.equal([{ email: "o'p1@example.org" }]);
    expect(await find(["O'Hara \\ :id ? $1"])).to.deep.equal([{ email: "o'p0@example.org" }]);
    expect(await find([])).to.deep.equal([]);
  });

  it('returns the uncommitted changes of its transaction, ordered by id', async () => {
    const { User } = database.models;
    const among = users.map(({ id }) => id).reverse();
    const rows = await database.inTransaction(async (transaction) => {
      await User.update({ lastName: 'Changed' }, { where: {}, transaction });
      return selectRows(User, ['id', 'lastName'], { by: 'id', among, lockedBy: transaction });
    });
    expect(rows).to.deep.equal(users.map(({ id }) => ({ id, lastName: 'Changed' })));
  });

  it('locks the rows until its transaction ends', async () => {
    const { User } = database.models;
    const [first] = users;
    const order: string[] = [];
    let changing: Promise<unknown> = Promise.resolve();
    await database.inTransaction(async (transaction) => {
      const among = users.map(({ id }) => id);
      await selectRows(User, ['id'], { by: 'id', among, lockedBy: transaction });
      changing = database
        .inTransaction((other) =>
          User.update({ lastName: 'Later' }, { where: { id: first?.id ?? '' }, transaction: other }),
        )
        .then(() => order.push('changed'));
      // A change without a lock would finish during several queries.
      for (let query = 0; query < 5; query += 1) await User.count({ transaction });
      order.push('unlocked');
    });
    await changing;
    expect(order).to.deep.equal(['unlocked', 'changed']);
  });
});
