import { presentOverview } from '../../../presenters/overview.js';
import { roles } from '../../../schemas/fields.js';
import { fileKinds } from '../../../schemas/file.js';
import { operator } from '../../../services/core.js';
import { soonDays, superAdminOverview } from '../../../services/overview/overview.js';
import type { Result, Run } from '../../core/command/run.js';
import type { Column } from '../../core/listing/columns.js';
import { rowsText, tableText } from '../../core/listing/table.js';
import { asTyped, counted, type Display, type Io } from '../../core/output/output.js';

type Overview = ReturnType<typeof presentOverview<Awaited<ReturnType<typeof superAdminOverview>>>>;

type People = [name: string, counts: Overview['people']['byRole']['trainee']];

const peopleColumns: readonly Column<People>[] = [
  { name: 'accounts', value: ([name]) => name, fit: 'whole', priority: 0 },
  { name: 'total', value: ([, { total }]) => total, priority: 0 },
  { name: 'active', value: ([, { active }]) => active, priority: 0 },
  // Omitted first at a narrow terminal: total and active imply the number.
  { name: 'inactive', value: ([, { inactive }]) => inactive, priority: 1 },
  { name: 'initialPassword', value: ([, { initialPassword }]) => initialPassword, priority: 0 },
  { name: 'locked', value: ([, { locked }]) => locked, priority: 0 },
];

function peopleText({ people }: Overview, display: Display): string {
  const counts: People[] = [...roles.map((role): People => [role, people.byRole[role]]), ['all', people]];
  return tableText(peopleColumns, counts, display);
}

type ImportSummary = NonNullable<Overview['imports']>[number];

const importColumns: readonly Column<ImportSummary>[] = [
  { name: 'import', value: ({ number }) => number, priority: 0 },
  { name: 'file', value: ({ file }) => file, priority: 0 },
  { name: 'status', value: ({ status }) => status, fit: 'whole', priority: 0 },
  { name: 'created', value: ({ counts }) => counts.created, priority: 2 },
  { name: 'updated', value: ({ counts }) => counts.updated, priority: 3 },
  { name: 'rejected', value: ({ counts }) => counts.rejected, priority: 1 },
  { name: 'time', value: ({ createdAt }) => createdAt, priority: 0 },
];

function importsText({ imports = [] }: Overview, display: Display): string {
  return imports.length === 0 ? 'No imports.' : tableText(importColumns, imports, display);
}

function storageText({ storage }: Overview, display: Display): string {
  const usages = [...fileKinds.map((kind) => [`${kind}s`, storage.byKind[kind]] as const), ['all', storage] as const];
  return rowsText(
    ['FILES', 'NUMBER', 'BYTES'],
    usages.map(([name, { files, bytes }]) => [name, files, bytes]),
    display,
  );
}

type ToDo = [count: number, text: string, command: string];

function mailsToDo({ mailTrouble }: Overview): ToDo[] {
  if (mailTrouble === null) return [];
  const { pausedBy, held, refused, refusedBy, addressUnknown, since } = mailTrouble;
  const failed = `mail list --state failed --since ${since.toISOString()}`;
  return [
    [held, `${counted(held, 'mail')} held back. No mail is sent: ${pausedBy}`, 'mail list --state queued'],
    [refused, `${counted(refused, 'mail')} refused by the server, the last one because: ${refusedBy}`, failed],
    [addressUnknown, `${counted(addressUnknown, 'mail')} to addresses that don't exist`, `${failed} --address-unknown`],
  ];
}

/** Returns everything that waits for a person, in the order of the console. */
function toDo(overview: Overview): ToDo[] {
  const { requestsWaiting, requestsByCourse, startingSoon, importsToCheck, heldSyncs, people } = overview;
  const { courses, withRequests, requests } = startingSoon;
  const { rejected, planned } = importsToCheck;
  const pending = 'enrollments list --status pending';
  return [
    [requestsWaiting, `${counted(requestsWaiting, 'request')} waiting for an answer`, pending],
    ...requestsByCourse.map(({ course, waiting }): ToDo => {
      const starts = course.startDate === null ? '' : `, which starts on ${course.startDate}`;
      return [
        waiting,
        `${counted(waiting, 'request')} for ${course.title}${starts}`,
        `${pending} --course ${course.id}`,
      ];
    }),
    [
      courses,
      `${counted(courses, 'course')} starting within ${soonDays} days`,
      `courses list --starts-within ${soonDays} --sort soonest`,
    ],
    [
      requests,
      `${counted(requests, 'request')} for ${counted(withRequests, 'course')} among them`,
      `${pending} --starts-within ${soonDays}`,
    ],
    [
      rejected,
      `${counted(rejected, 'import')} with rejected rows in the last ${soonDays} days`,
      `imports list --rejected-within ${soonDays}`,
    ],
    [planned, `${counted(planned, 'plan')} of an import to confirm`, 'imports list --status planned'],
    ...heldSyncs.map(
      ({ group, leaving, members, file }): ToDo => [
        leaving,
        `The sync of ${group.name} with ${file} is held: ${leaving} of ${members} members would leave`,
        `groups show ${group.id}`,
      ],
    ),
    ...mailsToDo(overview),
    [people.locked, `${counted(people.locked, 'locked account')}`, 'users list --locked'],
  ];
}

/** Returns each task with the command that lists it. */
function toDoText(overview: Overview, io: Io): string {
  const tasks = toDo(overview).filter(([count]) => count > 0);
  if (tasks.length === 0) return 'Nothing is waiting for you.';
  return tasks.map(([, text, command]) => `${text}\n  ${asTyped(io, command)}`).join('\n');
}

/** Returns today's date in the programme, which decides when courses begin and end. */
const dayText = ({ programme: { today, timeZone, timeZoneMissing } }: Overview): string =>
  `Today is ${today} in ${timeZone}${timeZoneMissing ? '. TIME_ZONE is not set: containers have UTC.' : ''}`;

function overviewText(overview: Overview, { display, io }: Pick<Run, 'display' | 'io'>): string {
  const { courses, enrollments, weeks } = overview;
  return [
    dayText(overview),
    toDoText(overview, io),
    peopleText(overview, display),
    `${counted(courses.total, 'course')}: ${courses.published} published, ${courses.unpublished} not published`,
    rowsText(['ENROLLMENTS', 'NUMBER'], Object.entries(enrollments), display),
    importsText(overview, display),
    rowsText(
      ['WEEK', 'ENROLLMENTS', 'ACCOUNTS'],
      weeks.map((week) => [week.week, week.enrollments, week.accounts]),
      display,
    ),
    storageText(overview, display),
  ].join('\n\n');
}

/** Shows the counts of the super admin's start page. */
export async function show(run: Run): Promise<Result> {
  const overview = presentOverview(await superAdminOverview(await run.context(), operator));
  return { json: { overview }, text: overviewText(overview, run) };
}
