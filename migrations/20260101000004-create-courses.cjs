const { oneOf, tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'courses',
  columns: {
    id: { type: 'id' },
    trainer_id: { type: 'id' },
    title: { type: ['string', 200] },
    // Sort keys of title and category: see src/schemas/sort-key.ts.
    title_key: { type: ['string', 402], default: '' },
    description: { type: 'longText' },
    short_description: { type: ['string', 500], null: true },
    category: { type: ['string', 100], null: true },
    category_key: { type: ['string', 202], null: true },
    level: { type: ['word', 20], null: true },
    language: { type: ['string', 50], null: true },
    course_type: { type: ['word', 20], null: true },
    tags_json: { type: 'text', null: true },
    requirements: { type: 'text', null: true },
    learning_outcomes: { type: 'text', null: true },
    max_students: { type: 'integer', null: true },
    start_date: { type: 'date', null: true },
    end_date: { type: 'date', null: true },
    // Last day on which trainees can request a place.
    enroll_until: { type: 'date', null: true },
    auto_accept: { type: 'boolean', default: false },
    // Maximum length of the waiting list: null means no limit, 0 means no waiting list.
    waiting_max: { type: 'integer', null: true },
    // Last assigned number on the waiting list.
    waiting_counter: { type: 'integer', default: 0 },
    location: { type: ['string', 255], null: true },
    thumbnail: { type: ['string', 255], null: true },
    is_published: { type: 'boolean', default: false },
    is_featured: { type: 'boolean', default: false },
    // Incremented when a seat is reserved. Of two concurrent reservations, one fails, even on a cluster.
    lock_version: { type: 'integer', default: 0 },
    // Title, category and tags, normalised for searches.
    search_key: { type: ['string', 500] },
    created_at: { type: 'timestamp' },
    updated_at: { type: 'timestamp' },
  },
  unique: {
    // Enrollments reference both columns, so that an enrollment always has the trainer of its course.
    courses_id_trainer_unique: ['id', 'trainer_id'],
  },
  indexes: {
    courses_trainer: ['trainer_id', 'created_at', 'id'],
    // An index for each order of the catalogue.
    courses_published: ['is_published', 'created_at', 'id'],
    courses_published_updated: ['is_published', 'updated_at', 'id'],
    // Also used for the list of categories.
    courses_published_category: ['is_published', 'category', 'id'],
    // Contains the last day, which the order "soonest first" uses.
    courses_published_start: ['is_published', 'start_date', 'id', 'end_date'],
    courses_published_title_key: ['is_published', 'title_key', 'id'],
    courses_published_category_key: ['is_published', 'category_key', 'id'],
    // Indexes for people who see unpublished courses.
    courses_created_at: ['created_at', 'id'],
    courses_updated_at: ['updated_at', 'id'],
    courses_title_key: ['title_key', 'id'],
    courses_category_key: ['category_key', 'id'],
    courses_start_date: ['start_date', 'id', 'end_date'],
  },
  checks: {
    courses_level_known: oneOf('level', ['beginner', 'intermediate', 'advanced']),
    courses_type_known: oneOf('course_type', ['online', 'classroom', 'hybrid']),
    courses_max_students_positive: 'max_students IS NULL OR max_students > 0',
    courses_waiting_max_range: 'waiting_max IS NULL OR waiting_max >= 0',
    courses_dates_in_order: 'end_date IS NULL OR start_date IS NULL OR end_date >= start_date',
  },
  foreignKeys: {
    courses_trainer_fk: { columns: ['trainer_id'], references: ['users', ['id']], onDelete: 'RESTRICT' },
  },
});
