import { presentOverview } from '../../../presenters/overview.js';
import { roles } from '../../../schemas/fields.js';
import { fileKinds } from '../../../schemas/file.js';
import { operator } from '../../../services/core.js';
import { superAdminOverview } from '../../../services/overview/overview.js';
import { counted, table } from '../../core/output.js';
import type { Result, Run } from '../../core/run.js';

type Overview = ReturnType<typeof presentOverview<Awaited<ReturnType<typeof superAdminOverview>>>>;

const row = (...cells: readonly (string | number)[]) => cells.map(String);

function peopleText({ people }: Overview): string {
  const counts = [...roles.map((role) => [role, people.byRole[role]] as const), ['all', people] as const];
  return table(
    ['ACCOUNTS', 'TOTAL', 'ACTIVE', 'INACTIVE', 'INITIAL PASSWORD', 'LOCKED'],
    counts.map(([name, { total, active, inactive, initialPassword, locked }]) =>
      row(name, total, active, inactive, initialPassword, locked),
    ),
  );
}

function importsText({ imports = [] }: Overview): string {
  if (imports.length === 0) return 'No imports.';
  const rows = imports.map(({ id, file, status, counts, createdAt }) =>
    row(id, file, status, counts.created, counts.updated, counts.rejected, createdAt.toISOString()),
  );
  return table(['IMPORT', 'FILE', 'STATUS', 'CREATED', 'UPDATED', 'REJECTED', 'TIME'], rows);
}

function storageText({ storage }: Overview): string {
  const usages = [...fileKinds.map((kind) => [`${kind}s`, storage.byKind[kind]] as const), ['all', storage] as const];
  return table(
    ['FILES', 'NUMBER', 'BYTES'],
    usages.map(([name, { files, bytes }]) => row(name, files, bytes)),
  );
}

/** The overview for people. */
function overviewText(overview: Overview): string {
  const { courses, enrollments, requestsWaiting, weeks } = overview;
  return [
    peopleText(overview),
    `${counted(courses.total, 'course')}: ${courses.published} published, ${courses.unpublished} not published`,
    table(
      ['ENROLLMENTS', 'NUMBER'],
      Object.entries(enrollments).map(([status, count]) => row(status, count)),
    ),
    `${counted(requestsWaiting, 'request')} waiting for an answer`,
    importsText(overview),
    table(
      ['WEEK', 'ENROLLMENTS', 'ACCOUNTS'],
      weeks.map((week) => row(week.week, week.enrollments, week.accounts)),
    ),
    storageText(overview),
  ].join('\n\n');
}

/** The figures that the super admin sees first. */
export async function show(run: Run): Promise<Result> {
  const overview = presentOverview(await superAdminOverview(await run.context(), operator));
  return { json: { overview }, text: overviewText(overview) };
}
