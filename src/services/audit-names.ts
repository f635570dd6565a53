import type { AuditEntry } from '../db/models/audit-entry.js';
import type { Course } from '../db/models/course.js';
import type { User } from '../db/models/user.js';
import type { Core } from './core.js';

/** What ids in the audit log name. */
type Kind = 'user' | 'course' | 'enrollment' | 'import';

/** The fields in the values before and after a change that hold an id, or a list of them. */
const idFields: Readonly<Record<string, Kind>> = {
  userId: 'user',
  trainerId: 'user',
  courseId: 'course',
  courses: 'course',
  importId: 'import',
};

const kinds: ReadonlySet<string> = new Set<Kind>(['user', 'course', 'enrollment', 'import']);
const isKind = (type: string): type is Kind => kinds.has(type);

/** The ids that one side of a change holds. */
function idsIn(values: AuditEntry['before']): { kind: Kind; id: string }[] {
  return Object.entries(idFields).flatMap(([field, kind]) =>
    [values?.[field]].flat().flatMap((id) => (typeof id === 'string' ? [{ kind, id }] : [])),
  );
}

const idsBesides = ({ before, after }: AuditEntry) => [...idsIn(before), ...idsIn(after)];

const personName = ({ firstName, lastName }: User) => `${firstName} ${lastName}`;
const accountName = (user: User) => `${personName(user)} (${user.email})`;
const enrollmentName = (user: User | undefined, course: Course | undefined) =>
  user && course ? `${personName(user)} - ${course.title}` : undefined;

/** The present names of what ids name; ids whose object is gone are left out. One query for each kind. */
async function namesOf(
  { database: { models, read } }: Core,
  ids: Readonly<Record<Kind, ReadonlySet<string>>>,
): Promise<ReadonlyMap<string, string>> {
  const { User, Course, Enrollment, Import } = models;
  const names = new Map<string, string>();
  const wanted = (kind: Kind) => ({ where: { id: [...ids[kind]] } });
  const people = ['id', 'firstName', 'lastName', 'email'];
  await read(async () => {
    if (ids.user.size > 0)
      for (const user of await User.findAll({ attributes: people, ...wanted('user') }))
        names.set(user.id, accountName(user));
    if (ids.course.size > 0)
      for (const { id, title } of await Course.findAll({ attributes: ['id', 'title'], ...wanted('course') }))
        names.set(id, title);
    if (ids.import.size > 0)
      for (const { id, fileName } of await Import.findAll({ attributes: ['id', 'fileName'], ...wanted('import') }))
        names.set(id, fileName);
    if (ids.enrollment.size > 0) {
      const include = [
        { model: User, as: 'user', attributes: people },
        { model: Course, as: 'course', attributes: ['id', 'title'] },
      ];
      for (const { id, user, course } of await Enrollment.findAll({ ...wanted('enrollment'), include })) {
        const name = enrollmentName(user, course);
        if (name !== undefined) names.set(id, name);
      }
    }
  });
  return names;
}

/**
 * Adds to audit entries the present names of who made the change, of its target, and of the ids in the values before and
 * after it: one query for each kind of object, however many entries there are.
 */
export async function addNames(core: Core, entries: readonly AuditEntry[]): Promise<void> {
  const ids = {
    user: new Set<string>(),
    course: new Set<string>(),
    enrollment: new Set<string>(),
    import: new Set<string>(),
  };
  for (const entry of entries) {
    if (entry.actorId !== null) ids.user.add(entry.actorId);
    if (entry.targetId !== null && isKind(entry.targetType)) ids[entry.targetType].add(entry.targetId);
    for (const { kind, id } of idsBesides(entry)) ids[kind].add(id);
  }
  const names = await namesOf(core, ids);
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null));
  for (const entry of entries) {
    entry.actorName = nameOf(entry.actorId);
    // An address is its own name.
    entry.targetName = entry.targetType === 'address' ? entry.targetId : nameOf(entry.targetId);
    const known = idsBesides(entry).flatMap(({ id }) => {
      const name = names.get(id);
      return name === undefined ? [] : [[id, name] as const];
    });
    entry.names = Object.fromEntries(known);
  }
}
