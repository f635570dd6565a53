import type { AuditEntry } from '../../db/models/audit-entry.js';
import type { Models } from '../../db/models/index.js';
import type { User } from '../../db/models/user.js';
import { isAnonymous } from '../../schemas/mail.js';
import type { Core } from '../core.js';

/** Kind of object that an id in the audit log refers to. */
type NamedKind = 'user' | 'course' | 'enrollment' | 'group' | 'import' | 'mail';

/** Fields in the values before and after a change that contain an id or a list of ids. */
const idFields: Readonly<Record<string, NamedKind>> = {
  userId: 'user',
  trainerId: 'user',
  replyBy: 'user',
  addedMembers: 'user',
  removedMembers: 'user',
  courseId: 'course',
  courses: 'course',
  waitingLists: 'course',
  importId: 'import',
};

const people = ['id', 'firstName', 'lastName', 'email'];
const personName = ({ firstName, lastName }: User) => `${firstName} ${lastName}`;

type Name = readonly [id: string, name: string];

/** Readers of the current names of objects, with one or two queries each. Ids of deleted objects are left out. */
const nameReaders: Readonly<Record<NamedKind, (models: Models, where: { id: string[] }) => Promise<Name[]>>> = {
  user: async ({ User }, where) =>
    (await User.findAll({ attributes: people, where })).map((user) => [user.id, `${personName(user)} (${user.email})`]),
  course: async ({ Course }, where) =>
    (await Course.findAll({ attributes: ['id', 'title'], where })).map(({ id, title }) => [id, title]),
  group: async ({ Group }, where) =>
    (await Group.findAll({ attributes: ['id', 'name'], where })).map(({ id, name }) => [id, name]),
  import: async ({ Import }, where) =>
    (await Import.findAll({ attributes: ['id', 'fileName'], where })).map(({ id, fileName }) => [id, fileName]),
  mail: async ({ Mail, User }, where) => {
    const found = await Mail.findAll({ attributes: ['id', 'kind', 'address', 'userId'], where });
    const mails = found.filter(({ kind }) => !isAnonymous(kind));
    const users = await User.findAll({
      attributes: ['id', 'email'],
      where: { id: mails.flatMap(({ userId }) => userId ?? []) },
    });
    const emails = new Map(users.map(({ id, email }) => [id, email]));
    return mails.flatMap(({ id, address, userId }): Name[] => {
      const to = address ?? emails.get(userId ?? '');
      return to === undefined ? [] : [[id, to]];
    });
  },
  enrollment: async ({ Enrollment, User, Course }, where) => {
    const include = [
      { model: User, as: 'user', attributes: people },
      { model: Course, as: 'course', attributes: ['id', 'title'] },
    ];
    const found = await Enrollment.findAll({ where, include });
    return found.flatMap(({ id, user, course }): Name[] =>
      user && course ? [[id, `${personName(user)} - ${course.title}`]] : [],
    );
  },
};

const isKind = (type: string): type is NamedKind => Object.hasOwn(nameReaders, type);

const idsInValues = ({ before, after }: AuditEntry): [NamedKind, string][] =>
  [before, after].flatMap((values) =>
    Object.entries(idFields).flatMap(([field, kind]) =>
      [values?.[field]].flat().flatMap((id): [NamedKind, string][] => (typeof id === 'string' ? [[kind, id]] : [])),
    ),
  );

/**
 * Adds current names to audit entries: for the author, the target, and the ids in the values before and after the change. Runs one or
 * two queries for each kind of object, independent of the number of entries.
 */
export async function addNames({ database }: Core, entries: readonly AuditEntry[]): Promise<void> {
  const entriesWithIds = entries.map((entry) => ({ entry, ids: idsInValues(entry) }));
  const wanted: [NamedKind, string | null][] = [];
  for (const { entry, ids } of entriesWithIds) {
    wanted.push(['user', entry.actorId], ...ids);
    if (isKind(entry.targetType)) wanted.push([entry.targetType, entry.targetId]);
  }
  const names = new Map<string, string>();
  await database.read(async () => {
    for (const [kind, read] of Object.entries(nameReaders)) {
      const ids = new Set(wanted.flatMap(([of, id]) => (of === kind && id !== null ? [id] : [])));
      if (ids.size > 0) for (const [id, name] of await read(database.models, { id: [...ids] })) names.set(id, name);
    }
  });
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null));
  for (const { entry, ids } of entriesWithIds) {
    entry.actorName = nameOf(entry.actorId);
    // The id of an address is the address itself.
    entry.targetName = entry.targetType === 'address' ? entry.targetId : nameOf(entry.targetId);
    entry.names = Object.fromEntries(
      ids.flatMap(([, id]) => {
        const name = names.get(id);
        return name === undefined ? [] : [[id, name]];
      }),
    );
  }
}
