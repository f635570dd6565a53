import type { Command } from 'commander';
import { isAppError } from '../../../errors.js';
import { define, type Registry } from '../../core/command.js';
import { pageOptions } from '../../core/declaration.js';
import { pageText } from '../../core/output.js';
import type { Result, Run } from '../../core/run.js';

const auditOptions = {
  '--action <action>': 'only this action, such as user.update or course.delete',
  '--actor <user>': 'only changes by this account: id, email or phone',
  '--target-type <type>': 'only changes of a user, address, import, course or enrollment',
  '--target <id>': 'only changes of the one with this id',
  '--from <time>': 'from this date or time (ISO 8601)',
  '--to <time>': 'before this date or time',
  ...pageOptions('entries'),
};

export function register(program: Command, registry: Registry): void {
  const audit = program.command('audit').description('See who changed what');

  define(audit, registry, {
    usage: 'list',
    schema: 'any',
    summary: 'List privileged changes with their present names, newest first; --json shows old and new values',
    examples: [
      'audit list',
      'audit list --action course.delete --from 2026-01-01',
      'audit list --actor ada@example.org --json',
      'audit list --target-type user --target 019aa0c4-...',
    ],
    options: auditOptions,
    run: list,
  });
}

/** The id of an account; one that was deleted is known by its id alone. */
async function actorIdOf(context: Awaited<ReturnType<Run['context']>>, reference: string): Promise<string> {
  const { findUser } = await import('../../../services/accounts/queries.js');
  try {
    return (await findUser(context, reference)).id;
  } catch (error) {
    if (isAppError(error, 'NOT_FOUND') && /^[\da-f-]{36}$/i.test(reference)) return reference;
    throw error;
  }
}

async function list(run: Run<'', typeof auditOptions>): Promise<Result> {
  const { action, actor, targetType, target, from, to, page, limit } = run.options;
  const [{ listAudit }, { presentAuditEntry }] = await Promise.all([
    import('../../../services/audit.js'),
    import('../../../presenters/audit-entry.js'),
  ]);
  const context = await run.context();
  const { items, pagination } = await listAudit(context, {
    action,
    targetType,
    targetId: target,
    from,
    to,
    page,
    limit,
    actorId: actor === undefined ? undefined : await actorIdOf(context, actor),
  });
  const entries = items.map(presentAuditEntry);
  const rows = entries.map(({ at, actorId, actorName, action, targetType, targetId, targetName }) => [
    at.toISOString(),
    actorName ?? actorId ?? 'terminal',
    action,
    `${targetType} ${targetId ?? ''}`.trimEnd(),
    targetName ?? '',
  ]);
  return {
    json: { entries, pagination },
    text: pageText(['TIME', 'ACTOR', 'ACTION', 'TARGET', 'NAME'], rows, pagination, 'entry', 'entries'),
  };
}
