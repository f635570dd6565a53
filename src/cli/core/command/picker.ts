import { AppError } from '../../../errors.js';
import type { ImportStatus } from '../../../schemas/import.js';
import { foldCase } from '../../../schemas/keys.js';
import { findUser, listUsers } from '../../../services/accounts/queries.js';
import { listUserSessions } from '../../../services/accounts/sessions.js';
import type { Context } from '../../../services/context.js';
import { operator } from '../../../services/core.js';
import { listMaterials } from '../../../services/courses/materials.js';
import { listCourses } from '../../../services/courses/queries.js';
import { listEnrollments } from '../../../services/enrollments/queries.js';
import { listGroups } from '../../../services/groups/queries.js';
import { listIdentities } from '../../../services/identities/linking.js';
import { listImports } from '../../../services/imports/store/find-import.js';
import { counted, type Io } from '../output/output.js';
import { printableLine } from '../output/printable.js';
import { createPrompts } from '../prompts/prompts.js';
import { camelCase, isPickable, type Pickable } from './declaration.js';
import { courseIdOf } from './references.js';

interface Choice {
  value: string;
  name: string;
}

/** Restrictions of the offered records: references on the command line, and ids. */
export interface PickFilter {
  user?: string;
  course?: string;
  userId?: string | undefined;
  courseId?: string | undefined;
  /** Offers only imports with one of these statuses and with stored rows. */
  statuses?: readonly ImportStatus[] | undefined;
}

interface Subject {
  singular: string;
  howToName: string;
  listedBy: string;
  /** Returns the matches, best first. */
  find(context: Context, search: string, filter: PickFilter): Promise<Choice[]>;
}

/** Maximum number of offered matches. A search finds the others. */
const limit = 50;

const choice = (value: string, ...parts: readonly (string | null | undefined)[]): Choice => ({
  value,
  name: printableLine(parts.filter((part) => part).join('  ')),
});

const time = (at: Date) => at.toISOString().slice(0, 16).replace('T', ' ');

/** Filters choices by text, for lists that the service can't search. */
const matching = (choices: readonly Choice[], search: string) =>
  choices.filter(({ name }) => foldCase(name).includes(foldCase(search.trim())));

const subjects: Readonly<Record<Pickable, Subject>> = {
  course: {
    singular: 'course',
    howToName: 'its title or id',
    listedBy: 'courses list',
    async find(context, search) {
      const { items } = await listCourses(context, operator, { search, limit });
      return items.map(({ id, title, trainer }) =>
        choice(id, title, trainer && `${trainer.firstName} ${trainer.lastName}`),
      );
    },
  },
  user: {
    singular: 'account',
    howToName: 'an email address, phone number or id',
    listedBy: 'users list',
    async find(context, search) {
      const { items } = await listUsers(context, { search, limit });
      return items.map(({ id, firstName, lastName, email, role }) =>
        choice(id, `${firstName} ${lastName}`, email, role),
      );
    },
  },
  group: {
    singular: 'group',
    howToName: 'its name or id',
    listedBy: 'groups list',
    async find(context, search) {
      const { items } = await listGroups(context, { search, limit });
      return items.map(({ id, name, activeMembers = 0, activeMembersCapped }) =>
        choice(id, name, `${activeMembersCapped ? 'more than ' : ''}${counted(activeMembers, 'active member')}`),
      );
    },
  },
  enrollment: {
    singular: 'enrollment',
    howToName: 'its id, or --trainee and --course',
    listedBy: 'enrollments list',
    async find(context, search, { userId, courseId }) {
      // The service searches trainees only. A known trainee has few enrollments, which are filtered below.
      const query = { userId, courseId, limit, ...(userId === undefined && { search }) };
      const { items } = await listEnrollments(context, operator, query);
      const found = items.map(({ id, user, course, status }) =>
        choice(id, user && `${user.firstName} ${user.lastName}`, course?.title, status),
      );
      return userId === undefined ? found : matching(found, search);
    },
  },
  import: {
    singular: 'import',
    howToName: 'its number or id',
    listedBy: 'imports list',
    async find(context, search, { statuses }) {
      const { items } = await listImports(context, operator, { limit: 100 });
      const offered = items.filter(
        ({ status, ledgerClosedAt }) => !statuses || (statuses.includes(status) && ledgerClosedAt === null),
      );
      return matching(
        offered.map(({ id, number, fileName, createdAt, status }) =>
          choice(id, String(number), fileName, time(createdAt), status),
        ),
        search,
      );
    },
  },
  'session-id': {
    singular: 'session',
    howToName: 'its id',
    listedBy: 'users sessions list <user>',
    async find(context, search, { user = '' }) {
      const { id: userId } = await findUser(context, user);
      const { items } = await listUserSessions(context, userId, { limit: 100 });
      return matching(
        items.map(({ id, createdAt, ip, userAgent }) => choice(id, time(createdAt), ip, userAgent)),
        search,
      );
    },
  },
  identity: {
    singular: 'identity',
    howToName: 'its id',
    listedBy: 'users identities <user>',
    async find(context, search, { user = '' }) {
      const { id: userId } = await findUser(context, user);
      const identities = await listIdentities(context, userId);
      return matching(
        identities.map(({ id, email, subject, issuer }) => choice(id, email, subject, issuer)),
        search,
      );
    },
  },
  'file-id': {
    singular: 'file',
    howToName: 'its id',
    listedBy: 'courses files list <course>',
    async find(context, search, { course = '' }) {
      const courseId = await courseIdOf(context, course);
      const { items } = await listMaterials(context, operator, courseId, { limit: 100 });
      return matching(
        items.map(({ id, name, createdAt }) => choice(id, name, time(createdAt))),
        search,
      );
    },
  },
};

interface PickRun {
  io: Io;
  interactive: boolean;
}

/** @throws AppError `USAGE` without a terminal; the message names the missing argument */
function assertCanPick({ interactive }: PickRun, what: Pickable): void {
  const { singular, howToName, listedBy } = subjects[what];
  if (interactive) return;
  const article = /^[aeiou]/.test(singular) ? 'An' : 'A';
  throw new AppError(
    'USAGE',
    `${article} ${singular} is missing: give ${howToName}. To list them: coursectl ${listedBy}`,
  );
}

/**
 * Lets the user search for a record and choose it.
 * @returns the id of the record
 * @throws AppError `USAGE` without a terminal; `NOT_FOUND` without records; `INTERRUPTED`
 */
export async function pickRecord(
  run: PickRun,
  context: Context,
  what: Pickable,
  filter: PickFilter = {},
): Promise<string> {
  assertCanPick(run, what);
  const { singular, find } = subjects[what];
  if ((await find(context, '', filter)).length === 0)
    throw new AppError('NOT_FOUND', `There is no ${singular} to choose.`);
  const prompts = await createPrompts(run.io);
  return prompts.search(`Which ${singular}?`, (typed) => find(context, typed, filter));
}

/**
 * Lets the user choose the missing arguments.
 * @param statuses of the offered imports
 * @throws AppError `USAGE`, and the errors of {@link pickRecord}
 */
export async function pickMissingArguments(
  run: PickRun & { arguments: object; context(): Promise<Context> },
  missing: readonly string[],
  statuses?: readonly ImportStatus[],
): Promise<void> {
  // All arguments are strings or lists of strings. Only the command's declaration knows their names.
  const given = run.arguments as Record<string, string>;
  for (const name of missing) {
    // Commander doesn't report this argument if it follows an optional one.
    if (!isPickable(name))
      throw new AppError('USAGE', `The argument <${name}> is missing. Add --help to see how it is used.`);
    assertCanPick(run, name);
    given[camelCase(name)] = await pickRecord(run, await run.context(), name, { ...given, statuses });
  }
}
