const { oneOf, tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'mails',
  columns: {
    id: { type: 'id' },
    kind: { type: ['word', 20] },
    priority: { type: 'integer' },
    // Account whose change caused the news, or `operator`. News of different owners take turns. Null for other mails.
    queue_owner: { type: ['string', 36], null: true },
    // No foreign keys: an enrollment would lock its trainer to queue a mail, and mails outlive the rows that they are
    // about.
    user_id: { type: 'id', null: true },
    // Recipient if different from the account's address. After sending, the address that was used.
    address: { type: ['string', 254], null: true },
    course_id: { type: 'id', null: true },
    import_id: { type: 'id', null: true },
    // Identifier typed for a password reset, until the sender looks up the account.
    identifier: { type: ['string', 254], null: true },
    // JSON without secrets.
    data: { type: 'text' },
    dedupe_key: { type: ['word', 100], null: true },
    state: { type: ['word', 10] },
    attempts: { type: 'integer', default: 0 },
    // Null unless the mail waits to be sent, so that the index contains only waiting mails.
    next_at: { type: 'timestamp', null: true },
    last_error: { type: ['string', 500], null: true },
    // Whether the last error means that the address doesn't exist.
    address_unknown: { type: 'boolean', default: false },
    created_at: { type: 'timestamp' },
    // Time when the mail was sent, failed or was withdrawn.
    finished_at: { type: 'timestamp', null: true },
    // Owner of waiting news.
    turn_key: { type: ['string', 36], generated: 'CASE WHEN next_at IS NOT NULL THEN queue_owner END' },
  },
  unique: {
    mails_dedupe_unique: ['dedupe_key'],
  },
  indexes: {
    mails_due: ['priority', 'next_at', 'id'],
    mails_turns: ['turn_key', 'next_at', 'id'],
    mails_user: ['user_id', 'id'],
    mails_import: ['import_id', 'state'],
    // Contains the kind of failure: the overview counts failed mails by it.
    mails_state: ['state', 'created_at', 'id', 'address_unknown'],
    mails_kind: ['kind', 'created_at', 'id'],
    mails_created: ['created_at', 'id'],
    mails_finished: ['finished_at', 'id'],
  },
  checks: {
    // News without an owner would never be sent.
    mails_news_owned: 'priority <> 2 OR queue_owner IS NOT NULL',
    mails_state_known: oneOf('state', ['queued', 'sending', 'sent', 'deferred', 'failed', 'withdrawn']),
  },
});
