const { tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'former_members',
  columns: {
    group_id: { type: 'id' },
    user_id: { type: 'id' },
    added_at: { type: 'timestamp' },
    left_at: { type: 'timestamp' },
    // As in group_members.
    created_account: { type: 'boolean' },
    // The roster deactivated the account, and nobody has activated it since.
    deactivated: { type: 'boolean' },
  },
  primaryKey: ['group_id', 'user_id'],
  indexes: {
    former_members_user: ['user_id', 'group_id'],
  },
  foreignKeys: {
    former_members_group_fk: { columns: ['group_id'], references: ['groups', ['id']], onDelete: 'CASCADE' },
    former_members_user_fk: { columns: ['user_id'], references: ['users', ['id']], onDelete: 'CASCADE' },
  },
});
