const { QueryTypes } = require('sequelize');

// Copies of the key functions of src/schemas/keys.ts before and after this migration, whose results must not change later.

const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const digit = /^\p{Nd}$/u;
const batchRows = 1000;

function plainSign(sign) {
  const compatible = sign.normalize('NFKC');
  const plain = compatible.length === 1 ? compatible : sign;
  if (!digit.test(plain) || plain <= '9') return plain;
  let value = 0;
  while (digit.test(String.fromCodePoint(plain.codePointAt(0) - value - 1))) value += 1;
  return String(value % 10);
}

const plainPhone = (phone) =>
  phone
    .trim()
    .replace(unseen, '')
    .replace(/[^\0-\x7f]/gu, plainSign);

const formerKey = (phone) => plainPhone(phone).replace(/[\s.()\p{Pd}\u2212]/gu, '') || phone.trim();

const presentKey = (phone) =>
  plainPhone(phone)
    .replace(/[\s.()/\p{Pd}\u2212]/gu, '')
    .replace(/^(tel:)+/i, '') || phone.trim();

/** Updates keys that differ, in batches. A key that another account has stays with that account. */
async function makeKeys(queryInterface, keyOf) {
  const { sequelize } = queryInterface;
  for (let after = ''; ; ) {
    const users = await sequelize.query(
      'SELECT id, phone, phone_key FROM users WHERE id > :after ORDER BY id LIMIT :batchRows',
      { type: QueryTypes.SELECT, replacements: { after, batchRows } },
    );
    for (const { id, phone, phone_key: stored } of users) {
      const key = keyOf(phone);
      // The former keys of others stay: of those that another account had when keys were last made anew.
      if (key === stored || formerKey(phone) === presentKey(phone)) continue;
      try {
        await queryInterface.bulkUpdate('users', { phone_key: key }, { id });
      } catch (error) {
        if (error.name !== 'SequelizeUniqueConstraintError') throw error;
      }
    }
    if (users.length < batchRows) return;
    after = users[users.length - 1].id;
  }
}

module.exports = {
  async up(queryInterface) {
    // Slashes, and `tel:` in front, don't count from here on.
    await makeKeys(queryInterface, presentKey);
  },

  async down(queryInterface) {
    await makeKeys(queryInterface, formerKey);
  },
};
