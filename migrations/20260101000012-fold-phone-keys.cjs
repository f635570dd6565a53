const { QueryTypes } = require('sequelize');

// A copy of the key function of src/schemas/keys.ts at the time of this migration, whose result must not change later.

const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const separators = /[\s.()\p{Pd}\u2212]/gu;
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

const foldedKey = (phone) => {
  const trimmed = phone.trim();
  const plain = trimmed.replace(unseen, '').replace(/[^\0-\x7f]/gu, plainSign);
  return plain.replace(separators, '') || trimmed;
};

const formerKey = (phone) => phone.trim().replace(/[\s.()\p{Pd}\u2212\p{Cf}]/gu, '') || phone.trim();

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
      if (key === stored) continue;
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
    // Digits of every script become 0 to 9, and invisible characters are removed.
    await makeKeys(queryInterface, foldedKey);
  },

  async down(queryInterface) {
    await makeKeys(queryInterface, formerKey);
  },
};
