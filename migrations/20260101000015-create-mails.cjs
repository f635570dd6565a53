const { oneOf, tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'mails',
  columns: {
    id: { type: 'id' },
    kind: { type: ['word', 20] },
    priority: { type: 'integer' },
    // No foreign keys: an enrollment would lock its trainer to queue a mail, and rows outlive what they are about.
    user_id: { type: 'id', null: true },
    // Where it goes, where that isn't the account's address; once it has left, where it went.
    address: { type: ['string', 254], null: true },
    course_id: { type: 'id', null: true },
    import_id: { type: 'id', null: true },
    // What somebody who has forgotten a password has typed, until the sender looks for the account.
    identifier: { type: ['string', 254], null: true },
    // JSON without secrets.
    data: { type: 'text' },
    dedupe_key: { type: ['word', 100], null: true },
    state: { type: ['word', 10] },
    attempts: { type: 'integer', default: 0 },
    // Null unless it waits: the index of what is due has nothing else.
    next_at: { type: 'timestamp', null: true },
    last_error: { type: ['string', 500], null: true },
    created_at: { type: 'timestamp' },
    // When it was sent, failed or was withdrawn.
    finished_at: { type: 'timestamp', null: true },
  },
  unique: {
    mails_dedupe_unique: ['dedupe_key'],
  },
  indexes: {
    mails_due: ['priority', 'next_at', 'id'],
    mails_user: ['user_id', 'id'],
    mails_import: ['import_id', 'state'],
    mails_state: ['state', 'created_at', 'id'],
    mails_created: ['created_at', 'id'],
    mails_finished: ['finished_at', 'id'],
  },
  checks: {
    mails_state_known: oneOf('state', ['queued', 'sending', 'sent', 'deferred', 'failed', 'withdrawn']),
  },
});
