import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import type { Database } from '../../src/db/connection.js';
import { contains } from '../../src/db/sql/conditions.js';
import { normalizeEmail, phoneKey } from '../../src/schemas/keys.js';
import { takenKeys } from '../../src/services/accounts/keys.js';
import { buildCourse, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { failureOf } from './support/failure.js';

describe('stored text', () => {
  const harness = useHarness();
  let database: Database;
  before(() => {
    database = harness.context.database;
  });
  const user = (given: Parameters<typeof buildUser>[1]) => buildUser(harness.context, given);

  it('is compared by letter, accent and case', async () => {
    const names = 'jose josé jose\u0301 Jose straße strasse i ı ﬁ fi 🦊 🐺 か が カ'.split(' ');
    for (const name of names) await user({ email: `${name}@x.org` });
    for (const name of names) {
      const email = `${name}@x.org`;
      const found = await database.models.User.findAll({ where: { email } });
      expect(found.map((row) => row.email)).to.deep.equal([email]);
    }
  });

  it('is sorted by its bytes', async () => {
    for (const lastName of ['Zz', 'aa', 'Ää', 'Aa', 'zz']) await user({ lastName });
    const rows = await database.models.User.findAll({ order: ['lastName'] });
    expect(rows.map(({ lastName }) => lastName)).to.deep.equal(['Aa', 'Zz', 'aa', 'zz', 'Ää']);
  });

  it('has no keys that differ only in leading or trailing spaces', async () => {
    const written = [' ada@example.org', 'ada@example.org  ', '\u00a0ADA@example.org\t'];
    await user({ email: normalizeEmail('ada@example.org'), phone: '+1 555' });
    for (const email of written) {
      expect((await takenKeys(database, { email: normalizeEmail(email) })).email).to.equal(true);
      expect((await failureOf(() => user({ email: normalizeEmail(email) }))).code).to.equal('EMAIL_TAKEN');
    }
    for (const phone of [' +1555', '+1555 ', '+1\u00a0555\u2003']) {
      expect(phoneKey(phone)).to.equal('+1555');
      expect((await takenKeys(database, { phone })).phone).to.equal(true);
      expect((await failureOf(() => user({ phone }))).code).to.equal('PHONE_TAKEN');
    }
    expect(await takenKeys(database, { email: 'ada@example.org ', phone: '+1555x' })).to.deep.equal({
      email: false,
      phone: false,
    });
  });

  it('is returned unchanged', async () => {
    const texts = ['🦊🏳️‍🌈', '𠜎𝒜', 'e\u0301', 'O\'Brien \\ " ` % _ ?', ':name $1 --', '\u2028\u200f', '健太'];
    for (const firstName of texts) {
      const { id } = await user({ firstName });
      expect((await database.models.User.findByPk(id))?.firstName).to.equal(firstName);
    }
    const description = '🦊 naïve line\n'.repeat(20_000);
    const { id } = await buildCourse(harness.context, await user({ role: 'trainer' }), { description });
    expect((await database.models.Course.findByPk(id))?.description).to.equal(description);
  });

  it('is found by any part, and has no wildcards', async () => {
    const names = ['a%b', 'a_b', 'axb', 'a\\b', "a'b", 'A%B'];
    for (const lastName of names) await user({ lastName });
    for (const piece of ['%', '_', '\\', "'", 'a%', 'A']) {
      const rows = await database.models.User.findAll({ where: contains(database.sequelize, 'last_name', piece) });
      const expected = names.filter((name) => name.includes(piece));
      expect(
        rows.map(({ lastName }) => lastName),
        piece,
      ).to.have.members(expected);
    }
  });
});

describe('stored times', () => {
  const harness = useHarness();
  const zone = process.env.TZ;
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  const storedText = async (id: string) => {
    const [row] = await harness.context.database.sequelize.query<{ moment: string }>(
      'SELECT CAST(last_login AS CHAR(23)) AS moment FROM users WHERE id = ?',
      { replacements: [id], type: QueryTypes.SELECT },
    );
    return row?.moment.slice(0, 23);
  };

  it('are in UTC, to the millisecond, in every time zone', async () => {
    const { User } = harness.context.database.models;
    // Two half-hours around clock changes: clocks in Europe skip one, clocks in New York repeat the other.
    const moments = ['2026-03-29T02:30:00.123Z', '2026-11-01T06:30:00.999Z', '2024-02-29T00:00:00.000Z'];
    for (const place of ['America/New_York', 'Asia/Kathmandu', 'Europe/Berlin']) {
      process.env.TZ = place;
      for (const text of moments) {
        const { id } = await buildUser(harness.context);
        await User.update({ lastLogin: new Date(text) }, { where: { id } });
        expect((await User.findByPk(id))?.lastLogin?.toISOString(), place).to.equal(text);
        expect(await storedText(id)).to.equal(text.replace('T', ' ').replace('Z', ''));
        expect(await User.count({ where: { id, lastLogin: new Date(text) } })).to.equal(1);
      }
    }
  });

  it('do not shift dates', async () => {
    const trainer = await buildUser(harness.context, { role: 'trainer' });
    for (const place of ['America/New_York', 'Pacific/Kiritimati']) {
      process.env.TZ = place;
      const { id } = await buildCourse(harness.context, trainer, { startDate: '2026-03-29', endDate: '2026-12-31' });
      const course = await harness.context.database.models.Course.findByPk(id);
      expect([course?.startDate, course?.endDate]).to.deep.equal(['2026-03-29', '2026-12-31']);
    }
  });
});
