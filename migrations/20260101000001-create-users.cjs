const { createTable, dropTable, oneOf } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    await createTable(queryInterface, {
      name: 'users',
      columns: {
        id: { type: 'id' },
        first_name: { type: ['string', 50] },
        last_name: { type: ['string', 50] },
        email: { type: ['string', 254] },
        phone: { type: ['string', 50] },
        // The phone without spaces, dots, dashes and parentheses: unique, and the key of logins.
        phone_key: { type: ['string', 50] },
        password_hash: { type: ['word', 72] },
        role: { type: ['word', 20] },
        is_active: { type: 'boolean', default: true },
        avatar: { type: ['string', 255], null: true },
        last_login: { type: 'timestamp', null: true },
        requires_password_change: { type: 'boolean', default: false },
        // The expiry of a generated initial password; null for passwords that a person chose.
        initial_password_expires_at: { type: 'timestamp', null: true },
        // Names and email, normalised for searches: the same on every database, whatever its collation.
        search_key: { type: ['string', 500] },
        created_at: { type: 'timestamp' },
        updated_at: { type: 'timestamp' },
        // 1 for the super admin, else null: its unique index permits one super admin, and any number of nulls.
        super_admin_marker: { type: 'integer', generated: "CASE WHEN role = 'super_admin' THEN 1 END" },
      },
      primaryKey: ['id'],
      unique: {
        users_email_unique: ['email'],
        users_phone_key_unique: ['phone_key'],
        users_super_admin_unique: ['super_admin_marker'],
      },
      indexes: {
        users_created_at: ['created_at', 'id'],
        users_last_name: ['last_name', 'id'],
        users_last_login: ['last_login', 'id'],
        users_role: ['role', 'created_at', 'id'],
      },
      checks: {
        users_role_known: oneOf('role', ['super_admin', 'trainer', 'trainee']),
        users_super_admin_active: "role <> 'super_admin' OR is_active = 1",
      },
    });
  },

  async down(queryInterface) {
    await dropTable(queryInterface, 'users');
  },
};
