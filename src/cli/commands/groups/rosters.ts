import { AppError, notFound } from '../../../errors.js';
import { presentGroupDetails } from '../../../presenters/group.js';
import { importOptionsSchema } from '../../../schemas/import.js';
import { validate } from '../../../schemas/validate.js';
import { operator } from '../../../services/core.js';
import { ambiguousTitleMessage, findCoursesByName } from '../../../services/courses/find-course.js';
import { findGroupByName } from '../../../services/groups/queries.js';
import { changeRosterOptions } from '../../../services/groups/rosters.js';
import { camelCase } from '../../core/command/declaration.js';
import type { Result, Run } from '../../core/command/run.js';
import { commandLine, counted } from '../../core/output/output.js';
import { rosterOptions } from '../imports/options.js';
import { enteredOptions } from '../imports/sync.js';
import type { editGroupOptions } from './options.js';

type EditRun = Run<'<group>', typeof editGroupOptions>;
type Details = ReturnType<typeof presentGroupDetails>;

/** Options that can be changed, by their names without dashes. */
const changeable = Object.keys(rosterOptions).map((flags) => flags.replace(/^--| .*/g, ''));

/** Returns the lines of a group about its syncs; none if it has had none. */
export function rosterFields({ io }: Pick<Run, 'io'>, { name, roster }: Details): [field: string, value: string][] {
  if (roster === null) return [];
  const { held, options, syncedAt, formerMembers } = roster;
  return [
    ['last sync', syncedAt.toISOString()],
    ['members who left', String(formerMembers)],
    ...(held
      ? [
          [
            'held',
            `${counted(held.leaving, 'member')} of ${held.members} would leave by ${held.file}, and ${held.limit} may (${held.at}). Check the file. If it is right: ${commandLine(io, ['users', 'sync', held.file, '--roster', name, '--allow-leaving', String(held.leaving)])}`,
          ] satisfies [string, string],
        ]
      : []),
    ['options', optionsText(options)],
  ];
}

const optionsText = (options: object): string =>
  Object.entries(options)
    .flatMap(([name, value]: [string, unknown]) => (value === false ? [] : [`${name}: ${String(value)}`]))
    .join('\n');

const changesOf = ({ options }: EditRun) => {
  const unset = (options.unset ?? []).map(camelCase);
  return { set: enteredOptions({ options }), unset: unset.includes('course') ? [...unset, 'otherCourses'] : unset };
};

/** @throws AppError `USAGE` without changes, or for an unknown option; `VALIDATION` */
export function checkEdit(run: EditRun): void {
  const { set, unset } = changesOf(run);
  if (Object.keys(set).length + unset.length === 0)
    throw new AppError('USAGE', `Nothing to change: add --unset or one of ${changeable.join(', ')}.`);
  const unknown = run.options.unset?.find((name) => !changeable.includes(name));
  if (unknown !== undefined)
    throw new AppError(
      'USAGE',
      `--unset ${unknown}: a group remembers no such option. Name one of ${changeable.join(', ')}.`,
    );
  // The name stands for the group's, which is known later.
  validate(importOptionsSchema, { ...set, roster: 'roster' });
}

/** Changes the options of the next syncs of a group. @throws AppError `NOT_FOUND`, and the errors of {@link changeRosterOptions} */
export async function edit(run: EditRun): Promise<Result> {
  const { set, unset } = changesOf(run);
  const context = await run.context();
  const found = await findGroupByName(context, run.arguments.group);
  const courses = [...(set.course === undefined ? [] : [set.course]), ...(set.otherCourses ?? [])];
  const known = await findCoursesByName(context, courses);
  for (const name of courses) {
    const [course, ...others] = known.get(name) ?? [];
    if (!course) throw notFound('Course');
    if (others.length > 0) throw new AppError('VALIDATION', ambiguousTitleMessage([course, ...others]));
  }
  const group = presentGroupDetails(await changeRosterOptions(context, operator, found.id, { set, unset }));
  const text = `Changed the options of the syncs of "${group.name}":\n${optionsText(group.roster?.options ?? {})}`;
  return { json: { group }, text };
}
