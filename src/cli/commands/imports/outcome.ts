import path from 'node:path';
import type { ChalkInstance } from 'chalk';
import { pick } from '../../../presenters/pick.js';
import type { ImportPlan } from '../../../services/imports/plan/plan.js';
import { type PlannedLeaver, syncHeldError } from '../../../services/imports/plan/roster.js';
import type { RowCode } from '../../../services/imports/read/fields/row-codes.js';
import type { AppliedImport, ApplyOptions } from '../../../services/imports/run/run-import.js';
import type { ImportResult } from '../../../services/imports/store/repository.js';
import { delimiterNames } from '../../../tables/csv/delimiters.js';
import { encodingNames } from '../../../tables/encoding/encodings.js';
import type { SourceFormat } from '../../../tables/table/table.js';
import { shownText } from '../../../tables/table/text.js';
import { confirm } from '../../core/bulk/confirm.js';
import type { Progress } from '../../core/bulk/progress.js';
import { PartialFailure } from '../../core/command/error-messages.js';
import { exitCodes } from '../../core/command/exit-codes.js';
import type { Result, Run } from '../../core/command/run.js';
import { wrapHanging } from '../../core/output/fit.js';
import { asTyped, counted, type Io, widthOf } from '../../core/output/output.js';
import { paintFor } from '../../core/output/paint.js';
import { printable, printableLine } from '../../core/output/printable.js';
import { columnsText } from './columns-text.js';
import { correctionHint } from './command-lines.js';
import type { resumeOptions } from './options.js';

/** Width and colours of the stream that shows a plan. */
export interface Screen {
  /** Undefined without a terminal. */
  width: number | undefined;
  paint: ChalkInstance;
}

export const stderrOf = ({ stderr, env }: Io): Screen => ({ width: widthOf(stderr), paint: paintFor(stderr, env) });

/** Returns the end of the question before an import: the mails, which can't be undone (", and mail 47 invitations"). */
function mailsInQuestion({ invitations, news }: ImportPlan): string {
  const mails = [
    ...(invitations > 0 ? [counted(invitations, 'invitation')] : []),
    ...(news > 0 ? [counted(news, 'notice of enrollment', 'notices of enrollment')] : []),
  ];
  return mails.length === 0 ? '' : `, and mail ${mails.join(' and ')}`;
}

/**
 * Shows a plan and asks for confirmation.
 * @param notes additional lines of the plan
 * @throws AppError `DECLINED` for a no, `INTERRUPTED`
 */
export function confirmPlan(run: Run, plan: ImportPlan, notes: readonly string[] = []): Promise<void> {
  return confirm(run, {
    about: planText(plan, stderrOf(run.io), notes),
    painted: true,
    question: `Import these rows${mailsInQuestion(plan)}?`,
    otherwise: `Nothing ${plan.unfinished ? 'more ' : ''}was imported.`,
    initial: true,
  });
}

/** Returns the effects of a plan on the members of a roster; nothing if the import is no sync. */
export const rosterJson = ({ roster }: Pick<ImportPlan, 'roster'>) =>
  roster === null
    ? {}
    : {
        roster: {
          ...pick(roster, ['isFirst', 'members', 'held']),
          postponed: roster.postponed,
          postponedByRows: roster.unsure,
          leaving: roster.leaving,
        },
      };

export const planJson = ({ unfinished, seconds, ...plan }: ImportPlan): object => ({
  ...pick(plan, [
    'id',
    'file',
    'options',
    'format',
    'columns',
    'counts',
    'createdByRole',
    'generatedPasswords',
    'invitations',
    'news',
    'names',
    'roleWords',
    'samples',
    'reasons',
    'warnings',
    'identityChanges',
    'identityChangesLeftOut',
    'newGroups',
    'stopsAtLine',
    'refusal',
  ]),
  ...rosterJson(plan),
  unfinished: unfinished && pick(unfinished, ['id', 'rowsDone']),
  seconds: Number(seconds.toFixed(3)),
});

const maxReasons = 12;
const linesPerReason = 5;

/** Returns the reasons of rejected rows, most frequent first, with the first lines. */
const rejectionsText = (all: ImportPlan['reasons']): string[] =>
  reasonsText(all.filter(({ outcome }) => outcome === 'rejected'));

/** Returns the reasons of enrollments that are left out, with the first lines. */
const leftOutText = (all: ImportPlan['reasons']): string[] =>
  reasonsText(all.filter(({ outcome, code }) => outcome !== 'rejected' && leftOutCodes.includes(code)));

const leftOutCodes: readonly string[] = ['COURSE_FULL', 'WAITING_LIST_FULL'] satisfies RowCode[];

function reasonsText(reasons: ImportPlan['reasons']): string[] {
  const shown = reasons.slice(0, maxReasons).map(({ code, otherCodes, message, count, rows }) => {
    const text = `${message.replace(/\.$/, '')} (${linesText(rows, count)})`;
    return printableLine(`    ${counted(count, 'row')} ${[code, ...otherCodes].join(', ')}: ${text}`);
  });
  const left = reasons.length - shown.length;
  return left > 0 ? [...shown, `    and ${counted(left, 'more reason')}: --json has all`] : shown;
}

const linesText = (rows: readonly number[], count: number): string => {
  const lines = rows.slice(0, linesPerReason);
  return lines.length === 0
    ? ''
    : `${lines.length > 1 ? 'lines' : 'line'} ${lines.join(', ')}${count > lines.length ? ', ...' : ''}`;
};

/** Returns the columns with their effects, and the warnings, for imports that start without a question. */
export const effectsText = (plan: ImportPlan, screen: Screen): string[] => [
  ...columnsText(plan, screen.width),
  ...warningsText(plan, screen),
];

/** Returns the warnings of a plan, with lines and values. Warnings about unwanted invitations are red and come first. */
function warningsText({ warnings, options: { invite } }: ImportPlan, { width, paint }: Screen): string[] {
  if (warnings.length === 0) return [];
  const isAlarming = ({ code }: ImportPlan['warnings'][number]) => invite && code === 'STATE_NOT_IMPORTED';
  const sorted = [...warnings].sort((one, other) => Number(isAlarming(other)) - Number(isAlarming(one)));
  const shown = sorted.slice(0, maxReasons).flatMap((warning) => {
    const lines = wrapHanging(warningText(warning), width);
    return isAlarming(warning) ? lines.map((line) => paint.red(line)) : lines;
  });
  const left = warnings.length - maxReasons;
  return ['  Warnings:', ...shown, ...(left > 0 ? [`    and ${counted(left, 'more warning')}: --json has all`] : [])];
}

function warningText({ message, count, rows, examples }: ImportPlan['warnings'][number]): string {
  const amount = rows.length > 0 ? `${counted(count, 'row')}: ` : '';
  const where = [linesText(rows, count), examples.join('; ')].filter(Boolean).join(': ');
  return printableLine(`    ${amount}${where === '' ? message : `${message.replace(/\.$/, '')} (${where})`}`);
}

/** Maximum number of rejected rows among the examples, which repeat the reasons above. */
const maxRejectedShown = 3;

/** Returns example rows. Skips repeated reasons. */
function samplesText(samples: ImportPlan['samples']): string[] {
  const reasons = new Set<string>();
  const shown = samples.filter(({ outcome, code, reason }) => {
    if (outcome !== 'rejected') return true;
    const key = `${code} ${reason}`;
    if (reasons.has(key) || reasons.size === maxRejectedShown) return false;
    reasons.add(key);
    return true;
  });
  return shown.length === 0 ? [] : ['For example:', ...shown.map(sampleText)];
}

function sampleText({ line, outcome, person, changes, code, reason }: ImportPlan['samples'][number]): string {
  const parts = [person, code, changes && `(${changes.join(', ')})`].filter(Boolean).join(' ');
  return printableLine(`  line ${line}  ${outcome}  ${parts}${reason ? `: ${reason}` : ''}`);
}

type IdentityChange = ImportPlan['identityChanges'][number];

const identityText = ({ firstName, lastName, email, role }: IdentityChange['before']) =>
  `${firstName} ${lastName} <${email}> ${role}`;

/** Returns the updates that may turn an account into another person's. The user must see all of them before the question. */
function identityChangesText({ identityChanges, identityChangesLeftOut }: ImportPlan): string[] {
  if (identityChanges.length === 0) return [];
  const more =
    identityChangesLeftOut > 0 ? [`  and ${identityChangesLeftOut} more: import fewer rows to see them all`] : [];
  const lines = identityChanges.map(
    ({ line, before, after }) => `  line ${line}  ${identityText(before)}  ->  ${identityText(after)}`,
  );
  return ['Updates that change a name, an email or a role:', ...lines, ...more];
}

const maxRoleWords = 10;

/** Returns names that show the user whether the encoding is correct. */
const namesText = ({ names }: ImportPlan): string[] =>
  names.length === 0 ? [] : [printableLine(`  Names beyond ASCII: ${names.join(', ')}`)];

/** Returns all names of new groups: a wrong name is a typing error, or the name of something else. */
const newGroupsText = ({ newGroups }: ImportPlan): string[] =>
  newGroups.length === 0 ? [] : [printableLine(`  ${counted(newGroups.length, 'new group')}: ${newGroups.join(', ')}`)];

const maxLeaversShown = 20;

/** Returns the members who leave a roster, by name, and what becomes of them. */
function leavingText({ roster }: ImportPlan): string[] {
  if (roster === null) return [];
  if (roster.isFirst) return ['  New roster: nobody leaves with the first sync'];
  const { leaving, members } = roster;
  if (leaving.length === 0) return postponedText(roster);
  const names = leaving.slice(-maxLeaversShown).reverse().map(leaverText);
  const more = leaving.length - names.length;
  return [
    `  ${leaving.length} of ${counted(members, 'member')} to leave:`,
    ...names,
    ...(more > 0 ? [`    and ${more} more: --json has all`] : []),
  ].map(printableLine);
}

/** Returns why members who are not in the file stay in their roster. */
export function postponedText({ postponed, unsure }: NonNullable<ImportPlan['roster']>): string[] {
  if (postponed === 0) return [];
  const where = linesText(unsure, unsure.length);
  return [
    `  ${counted(postponed, 'member')} would leave, but nobody leaves while a row has names and no readable email (${where})`,
  ];
}

function leaverText({ firstName, lastName, email, ended, isDeactivated }: PlannedLeaver): string {
  const effects = [
    ...(ended > 0 ? [`${counted(ended, 'enrollment')} to cancel`] : []),
    ...(isDeactivated ? ['account to deactivate'] : []),
  ];
  return `    ${firstName} ${lastName} <${email}>${effects.length > 0 ? `: ${effects.join(', ')}` : ''}`;
}

/** Returns the words of the file that were read as roles. */
function roleWordsText({ roleWords }: ImportPlan): string[] {
  const words = Object.entries(roleWords).map(([word, role]) => `${word} = ${role}`);
  const more = words.length > maxRoleWords ? ` and ${words.length - maxRoleWords} more` : '';
  return words.length === 0 ? [] : [printableLine(`  Roles: ${words.slice(0, maxRoleWords).join(', ')}${more}`)];
}

function rolesText({ createdByRole }: ImportPlan): string {
  const roles = (['trainee', 'trainer'] as const).filter((role) => createdByRole[role] > 0);
  return roles.length === 0 ? '' : ` (${roles.map((role) => counted(createdByRole[role], role)).join(', ')})`;
}

/** Returns the progress of an interrupted import: "3,000 rows done, 7,000 left". @param total rows of the whole file */
const remainder = (done: number, total: number): string =>
  `${done.toLocaleString('en')} ${done === 1 ? 'row' : 'rows'} done, ${(total - done).toLocaleString('en')} left`;

function unfinishedText({ unfinished, counts }: ImportPlan): string[] {
  if (unfinished?.status === 'undoing')
    return ['  An earlier import of this file was refused; the undo of its rows was interrupted and will be resumed'];
  if (!unfinished || unfinished.rowsDone === 0) return [];
  const rest = remainder(unfinished.rowsDone, counts.rows);
  return [`  An earlier import of this file was interrupted and will be resumed: ${rest}`];
}

const sheetName = (name: string) => `"${printableLine(shownText(name))}"`;

const formatText = ({ workbook, delimiter, encoding }: SourceFormat): string =>
  workbook ? `sheet ${sheetName(workbook.sheet)}` : `CSV, ${delimiterNames[delimiter]}, ${encodingNames[encoding]}`;

const maxSheets = 8;

/** Lists the sheets that aren't imported, because the user may have meant another one. */
function otherSheets({ workbook }: SourceFormat): string[] {
  const others = (workbook?.sheets ?? []).filter(({ name }) => name !== workbook?.sheet);
  if (others.length === 0) return [];
  const names = others.slice(0, maxSheets).map(({ name, isHidden }) => sheetName(name) + (isHidden ? ' (hidden)' : ''));
  const more = others.length > maxSheets ? ` and ${others.length - maxSheets} more` : '';
  return [`  Not read: ${names.join(', ')}${more}. To import another sheet: --sheet "NAME"`];
}

/**
 * Returns a plan as text; {@link printable}, except for its colours.
 * @param notes additional lines
 */
export function planText(plan: ImportPlan, screen: Screen, notes: readonly string[]): string {
  const { width } = screen;
  const { counts, generatedPasswords, options } = plan;
  const generated = generatedPasswords > 0 ? `, ${generatedPasswords} of them with a generated password` : '';
  const without = options.noPassword && counts.created > 0 ? ', with no password unless the file has one' : '';
  const fitted = (lines: readonly string[]) => lines.flatMap((line) => wrapHanging(printable(line), width));
  const samePerson = plan.reasons.find(({ code }) => code === 'SAME_PERSON')?.count ?? 0;
  return [
    ...fitted([
      `${printableLine(plan.file)}: ${counted(counts.rows, 'row')} (${formatText(plan.format)})`,
      ...otherSheets(plan.format),
    ]),
    ...fitted([
      ...leavingText(plan),
      `  ${counted(counts.created, 'account')} to create${rolesText(plan)}${counts.updated === 0 ? generated : ''}${without}`,
      ...(options.onExisting === 'update'
        ? [`  ${counted(counts.updated, 'account')} to update${counts.updated > 0 ? generated : ''}`]
        : []),
      `  ${counted(counts.skipped - samePerson, 'row')} to skip (${options.onExisting === 'update' ? 'nothing to change' : 'the account exists already'})`,
      ...(samePerson > 0
        ? [`  ${counted(samePerson, 'row')} with other courses or groups for the person of an earlier line`]
        : []),
      `  ${counted(counts.rejected, 'row')} to reject${counts.rejected > 0 ? ':' : ''}`,
    ]),
    ...fitted(rejectionsText(plan.reasons)),
    ...fitted([
      ...(plan.invitations > 0 ? [`  ${counted(plan.invitations, 'invitation')} to mail`] : []),
      ...(counts.enrolled > 0 ? [`  ${counted(counts.enrolled, 'enrollment')} to make`] : []),
      ...(counts.waiting > 0 ? [`  ${counted(counts.waiting, 'enrollment')} to put on waiting lists`] : []),
      ...(counts.leftOut > 0 ? [`  ${counted(counts.leftOut, 'enrollment')} to leave out:`] : []),
      ...leftOutText(plan.reasons),
      ...(plan.news > 0 ? [`  ${counted(plan.news, 'mail')} to send about enrollments`] : []),
      ...newGroupsText(plan),
      ...namesText(plan),
      ...roleWordsText(plan),
    ]),
    ...columnsText(plan, width),
    ...warningsText(plan, screen),
    ...(plan.stopsAtLine === null
      ? []
      : [`  Stops at the bad row on line ${plan.stopsAtLine}; the rows after it are not imported.`]),
    ...unfinishedText(plan),
    ...fitted(notes.map((note) => `  ${note}`)),
    ...fitted([...identityChangesText(plan), ...samplesText(plan.samples)]),
    ...(plan.refusal === null ? [] : [printable(`This can't be imported: ${plan.refusal}`)]),
    ...heldText(plan),
  ].join('\n');
}

/** Returns why a sync needs an approval. */
function heldText({ roster, options }: ImportPlan): string[] {
  return roster?.held ? [printable(syncHeldError(options.roster ?? '', roster.held).message)] : [];
}

function headline({ number, status, counts }: AppliedImport, seconds: number, io: Io): string {
  const resume = asTyped(io, `imports resume ${number}`);
  switch (status) {
    case 'interrupted':
      return `Interrupted after ${counted(counts.rows, 'row')}. Run the same command again to resume, or: ${resume}`;
    case 'cancelled':
      return `Cancelled after ${counted(counts.rows, 'row')}. To resume: ${resume}`;
    case 'stopped':
      return `Stopped at a bad row, after ${counted(counts.rows, 'row')}. Correct it and import the file again with the same options: rows that are done are skipped.`;
    default:
      return `Done: ${counted(counts.rows, 'row')} in ${seconds.toFixed(1)} s. Import ${number}`;
  }
}

interface InterruptedResult {
  unfinished: ImportResult;
  canResume: boolean;
}

/** @param total rows of the file */
function interruptedText({ unfinished, canResume }: InterruptedResult, total: number, io: Io): string {
  const { number, counts, credentialsFile } = unfinished;
  const keep = canResume ? 'keep it' : 'keep it, because the passwords of the other rows are written to another file';
  const passwords = credentialsFile === null ? '' : ` (passwords so far: ${credentialsFile}, ${keep})`;
  const resume = ` Run the same command again to resume, or: ${asTyped(io, `imports resume ${number}`)}`;
  return `Import ${number} is interrupted after ${counts.rows} of ${counted(total, 'row')}${passwords}.${canResume ? resume : ''}`;
}

/** Progress display of an import, and the number of its rows. Both change after the confirmation of a plan. */
interface ShownProgress {
  progress: Progress;
  total: number;
}

export const anotherRun = 'Another run of this file is active, or was just interrupted: waiting for it.';

/**
 * Calls `work`, which applies a plan, with the output files of the command line, and shows its progress.
 * @throws PartialFailure if a failure interrupts the import: with the finished rows and a hint how to resume
 */
export async function withResumeHint(
  { io, options: { credentials, rejects } }: Run<'', typeof resumeOptions>,
  shown: ShownProgress,
  work: (options: ApplyOptions) => Promise<AppliedImport>,
): Promise<AppliedImport> {
  const all: InterruptedResult[] = [];
  const options: ApplyOptions = {
    ...(credentials !== undefined && { credentialsFile: path.resolve(io.cwd, credentials) }),
    ...(rejects !== undefined && { rejectsFile: path.resolve(io.cwd, rejects) }),
    signal: io.signal,
    onProgress: (rows) => shown.progress.update(rows),
    onResume: (rows) =>
      shown.progress.resumed(
        rows,
        `An import of this file was interrupted and is resumed: ${remainder(rows, shown.total)}.`,
      ),
    onWait: () => shown.progress.say(anotherRun),
    onBreakOff: (unfinished, canResume) => all.push({ unfinished, canResume }),
  };
  try {
    return await work(options);
  } catch (failure) {
    const [left] = all;
    if (left === undefined) throw failure;
    const text = interruptedText(left, shown.total, io);
    throw new PartialFailure(failure, { text, json: { import: left.unfinished } });
  }
}

function exitCodeOf({ status, counts }: AppliedImport) {
  if (status === 'interrupted') return exitCodes.interrupted;
  if (status === 'cancelled') return exitCodes.failure;
  return counts.rejected > 0 ? exitCodes.partial : exitCodes.ok;
}

type ReportedImport = AppliedImport &
  Pick<ImportPlan, 'options' | 'columns' | 'warnings'> &
  Partial<Pick<ImportPlan, 'roster'>>;

export function report(
  { options, columns, roster = null, ...result }: ReportedImport,
  seconds: number,
  { io, display }: Pick<Run, 'io' | 'display'>,
  whenMailsLeave: string,
): Result {
  const { counts, credentialsFile, rejectsFile, status } = result;
  const whole = status === 'completed';
  const changed = [
    `${counted(counts.created, 'account')} created`,
    ...(counts.updated > 0 ? [`${counts.updated} updated`] : []),
    ...(counts.left > 0 ? [`${counted(counts.left, 'member')} left`] : []),
    ...(counts.enrolled > 0 ? [`${counts.enrolled} enrolled`] : []),
    ...(counts.waiting > 0 ? [`${counts.waiting} on waiting lists`] : []),
    `${counted(counts.skipped, 'row')} skipped`,
    `${counts.rejected} rejected`,
  ];
  const rejected = rejectionsText(result.reasons);
  const queued = [
    ...(result.invitations > 0 ? [`Invitations: ${result.invitations.toLocaleString('en')} queued.`] : []),
    ...(result.news > 0 ? [`Mails about enrollments: ${result.news.toLocaleString('en')} queued.`] : []),
  ];
  const lines = [
    headline(result, seconds, io),
    `  ${changed.join(', ')}${rejected.length > 0 ? ':' : ''}`,
    ...rejected,
    ...(roster ? postponedText(roster) : []),
    ...(counts.leftOut > 0 ? [`  ${counted(counts.leftOut, 'enrollment')} left out:`] : []),
    ...leftOutText(result.reasons),
    ...(credentialsFile
      ? [`  Passwords: ${credentialsFile}${whole ? ' (hand them out, then delete the file)' : ''}`]
      : []),
    ...(queued.length > 0 ? [`  ${[...queued, whenMailsLeave].join(' ')}`] : []),
    ...(rejectsFile
      ? [`  Rejected rows with reasons: ${rejectsFile}${whole ? ' (correct them and import that file)' : ''}`]
      : []),
  ];
  return {
    json: { import: { ...result, columns, seconds: Number(seconds.toFixed(3)) } },
    text: [
      ...lines.flatMap((line) => wrapHanging(line, display.width)),
      // A wrapped command couldn't be copied.
      ...(whole ? correctionHint(io, rejectsFile, options) : []),
    ].join('\n'),
    exitCode: exitCodeOf(result),
  };
}
