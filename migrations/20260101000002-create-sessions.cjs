const { createTable, dropTable } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    await createTable(queryInterface, {
      name: 'sessions',
      columns: {
        id: { type: 'id' },
        user_id: { type: 'id' },
        created_at: { type: 'timestamp' },
        last_used_at: { type: 'timestamp', null: true },
        expires_at: { type: 'timestamp' },
        ip: { type: ['word', 45], null: true },
        user_agent: { type: ['string', 255], null: true },
      },
      primaryKey: ['id'],
      indexes: {
        sessions_user: ['user_id', 'created_at'],
        sessions_expires_at: ['expires_at'],
      },
      foreignKeys: {
        sessions_user_fk: { columns: ['user_id'], references: ['users', ['id']], onDelete: 'CASCADE' },
      },
    });
  },

  async down(queryInterface) {
    await dropTable(queryInterface, 'sessions');
  },
};
