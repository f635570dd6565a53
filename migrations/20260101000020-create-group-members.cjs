const { oneOf, tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'group_members',
  columns: {
    group_id: { type: 'id' },
    user_id: { type: 'id' },
    // `file`: an import added the person.
    source: { type: ['word', 10] },
    added_at: { type: 'timestamp' },
    // A sync of this group created the account.
    created_account: { type: 'boolean', default: false },
  },
  primaryKey: ['group_id', 'user_id'],
  indexes: {
    group_members_user: ['user_id', 'group_id'],
  },
  checks: {
    group_members_source_known: oneOf('source', ['hand', 'file']),
  },
  foreignKeys: {
    group_members_group_fk: { columns: ['group_id'], references: ['groups', ['id']], onDelete: 'CASCADE' },
    group_members_user_fk: { columns: ['user_id'], references: ['users', ['id']], onDelete: 'CASCADE' },
  },
});
