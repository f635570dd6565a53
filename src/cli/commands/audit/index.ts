import type { Command } from 'commander';
import { listingOptions } from '../../core/columns.js';
import { define, type Registry } from '../../core/command.js';
import { dryRunOption, yesOption } from '../../core/declaration.js';
import type { Result, Run } from '../../core/run.js';
import { auditColumns } from './columns.js';

const auditOptions = {
  '--action <action>': 'only this action, such as user.update or course.delete',
  '--actor <user>': 'only changes by this account: email, phone or id',
  '--target-type <type>': 'only changes to a user, address, import, course or enrollment',
  '--target <name>':
    'only changes to what has this id, or its last 8 characters; an email, or with --target-type a title, phone or number',
  '--from <time>': 'only changes since this date or time, such as 2026-01-31 or 2026-01-31T08:00:00Z',
  '--to <time>': 'only changes before this date or time',
  ...listingOptions('entries', auditColumns),
};

export function register(program: Command, registry: Registry): void {
  const audit = program.command('audit').description('Show who changed what, and delete old entries');

  define(audit, registry, {
    usage: 'list',
    schema: 'any',
    summary: 'List who changed what, newest first; --json shows old and new values',
    examples: [
      'audit list',
      'audit list --action course.delete --from 2026-01-01',
      'audit list --actor ada@example.org --json',
      'audit list --target ben@example.org',
      'audit list --target-type course --target "Data analysis"',
    ],
    options: auditOptions,
    check,
    run: list,
  });

  define(audit, registry, {
    usage: 'prune',
    schema: 'current',
    summary: 'Export entries that are older than AUDIT_RETENTION_DAYS, then delete them',
    examples: ['audit prune --dry-run', 'audit prune', 'audit prune --yes --json'],
    options: { ...dryRunOption, ...yesOption },
    notes:
      'The service does so every hour. The files are in the folder "retention" of DATA_DIR: keep them with your backups.',
    run: async (run) => (await import('./prune.js')).prune(run),
  });
}

/** The id of an account; one that was deleted is known by its id alone. @throws AppError `NOT_FOUND`, `VALIDATION` */
async function actorIdOf(context: Awaited<ReturnType<Run['context']>>, reference: string): Promise<string> {
  const [{ findUser }, { idIn }] = await Promise.all([
    import('../../../services/accounts/queries.js'),
    import('../../../services/ids.js'),
  ]);
  return idIn(reference) ?? (await findUser(context, reference)).id;
}

async function check(run: Run<'', typeof auditOptions>): Promise<void> {
  // Not the target: it may be a name, which is longer than an id. The listing checks the id that it has.
  const { action, targetType, from, to } = run.options;
  const [{ auditListingSchema }, { checkListing }] = await Promise.all([
    import('../../../schemas/audit.js'),
    import('../../core/listing.js'),
  ]);
  checkListing(run, auditColumns, auditListingSchema, { action, targetType, from, to });
}

async function list(run: Run<'', typeof auditOptions>): Promise<Result> {
  const { action, actor, targetType, target, from, to } = run.options;
  const { auditTargetTypes } = await import('../../../schemas/audit.js');
  const [{ listAudit }, { targetIdOf }, { presentAuditEntry }, { listing, presented }] = await Promise.all([
    import('../../../services/audit.js'),
    import('./target.js'),
    import('../../../presenters/audit-entry.js'),
    import('../../core/listing.js'),
  ]);
  const listed = { key: 'entries', one: 'entry', many: 'entries', columns: auditColumns };
  return listing(run, listed, async () => {
    const context = await run.context();
    const actorId = actor === undefined ? undefined : await actorIdOf(context, actor);
    // The options were checked: it is one of the types.
    const type = auditTargetTypes.find((one) => one === targetType);
    const targetId = target === undefined ? undefined : await targetIdOf(context, target, type);
    const query = { action, targetType, targetId, from, to, actorId };
    return async (page) => presented(await listAudit(context, { ...query, ...page }), presentAuditEntry);
  });
}
