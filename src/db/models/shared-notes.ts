import type { InferAttributes, Transaction, UpdateOptions } from 'sequelize';
import type { AuditText } from './audit-text.js';
import type { Enrollment } from './enrollment.js';

/** What these hooks use of the options of a query. */
interface Options {
  attributes?: unknown;
  transaction?: Transaction | null;
}

type Attributes = InferAttributes<Enrollment>;

/** The options of an update of several rows, with the new values, which Sequelize's types leave out. */
type BulkUpdate = UpdateOptions<Attributes> & { attributes?: Partial<Attributes> };

/** Reads the shared notes of enrollments, with one query, or none. */
async function addNotes(found: readonly Enrollment[], texts: typeof AuditText, options: Options): Promise<void> {
  // Undefined where other attributes were asked for.
  const sharing = found.filter(({ notesTextId = null }) => notesTextId !== null);
  if (sharing.length === 0) return;
  const ids = new Set(sharing.flatMap(({ notesTextId }) => notesTextId ?? []));
  const { transaction = null } = options;
  const rows = await texts.findAll({ where: { id: [...ids] }, transaction, raw: true });
  const contents = new Map(rows.map(({ id, content }) => [id, content]));
  // As it was read: it doesn't count as changed.
  for (const enrollment of sharing)
    enrollment.set({ notes: contents.get(enrollment.notesTextId ?? '') ?? null }, { raw: true });
}

/**
 * Notes that many enrollments share are stored once, as a text of the audit log, which records them in any case. Who reads
 * enrollments finds their notes, and who changes the notes of one gives it notes of its own.
 */
export function shareNotes(enrollments: typeof Enrollment, texts: typeof AuditText): void {
  enrollments.addHook('beforeFind', ({ attributes }: Options) => {
    if (Array.isArray(attributes) && attributes.includes('notes')) attributes.push('notesTextId');
  });
  enrollments.addHook('afterFind', (found: readonly Enrollment[] | Enrollment | null, options: Options) =>
    addNotes(found === null ? [] : [found].flat(), texts, options),
  );
  enrollments.addHook('beforeUpdate', (enrollment: Enrollment) => {
    if (enrollment.changed('notes')) enrollment.notesTextId = null;
  });
  enrollments.addHook('beforeBulkUpdate', ({ attributes, fields }: BulkUpdate) => {
    if (!attributes || !('notes' in attributes) || 'notesTextId' in attributes) return;
    attributes.notesTextId = null;
    fields?.push('notesTextId');
  });
}
