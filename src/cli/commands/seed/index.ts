import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import { yesOption } from '../../core/declaration.js';
import { tellingOfWait } from '../../core/migration-wait.js';
import { asTyped } from '../../core/output.js';
import type { Result, Run } from '../../core/run.js';

const seedOptions = {
  '--remove': 'remove the demo programme, unless somebody has changed it',
  ...yesOption,
};

type SeedRun = Run<'', typeof seedOptions>;

export function register(program: Command, registry: Registry): void {
  const seed = program.command('seed').description('Fill the database with example data');

  define(seed, registry, {
    usage: 'demo',
    schema: 'current',
    summary: 'Add a demo programme: a super admin, 3 trainers, 12 courses, 200 trainees and their enrollments',
    examples: ['seed demo', 'seed demo --yes --json', 'seed demo --remove'],
    notes: 'Who signed in to look around has changed nothing: the demo programme can still be removed.',
    options: seedOptions,
    run: (run) => (run.options.remove ? remove(run) : demo(run)),
  });
}

async function demo(run: SeedRun): Promise<Result> {
  const [{ loadDemo, wouldMixDemo }, { operator }, { assertCanAsk, confirm }] = await Promise.all([
    import('../../../services/maintenance/demo.js'),
    import('../../../services/core.js'),
    import('../../core/confirm.js'),
  ]);
  const context = await run.context();
  if (!run.options.yes && (await wouldMixDemo(context))) {
    assertCanAsk(run, 'add the demo programme to the accounts that exist');
    await confirm(run, {
      about:
        'This database already has other accounts. The demo adds 203 or 204 accounts with\na publicly known password, which only --remove removes, and only as long as nobody changes any of them.',
      question: 'Add the demo programme here?',
      otherwise: 'Nothing was added.',
    });
  }
  const { demo: loaded, isNew } = await loadDemo(context, operator, tellingOfWait(run));
  const { accounts, password } = loaded;
  const done = isNew
    ? `The demo programme was added. The password of all its accounts is: ${password}`
    : `The demo programme is here already; nothing was changed. The initial password of all its accounts is: ${password}`;
  return {
    // Public, as docs/OPERATIONS.md has it: not among the secrets that --json never has.
    json: { seeded: 'demo', added: isNew, accounts, password },
    text: `${done}\nSign in as any trainee, or as:\n${accounts.map((email) => `  ${email}`).join('\n')}`,
  };
}

async function remove(run: SeedRun): Promise<Result> {
  const [{ removeDemo }, { operator }, { assertCanAsk, confirm }] = await Promise.all([
    import('../../../services/maintenance/demo-removal.js'),
    import('../../../services/core.js'),
    import('../../core/confirm.js'),
  ]);
  const context = await run.context();
  if (!run.options.yes) {
    assertCanAsk(run, 'remove the demo programme');
    await confirm(run, {
      about: 'Its accounts and courses are deleted, with their enrollments, unless somebody has changed any of them.',
      question: 'Remove the demo programme?',
      otherwise: 'Nothing was removed.',
    });
  }
  const removed = await removeDemo(context, operator, tellingOfWait(run));
  if (!removed)
    return { json: { removed: null }, text: 'There is no demo programme in this database; nothing was removed.' };
  const { accounts, courses, enrollments, isEmpty } = removed;
  const next = isEmpty ? `\nThere are no accounts any more. Next: ${asTyped(run.io, 'setup')}` : '';
  return {
    json: { removed: { accounts, courses, enrollments } },
    text: `The demo programme was removed: ${accounts} accounts, ${courses} courses, ${enrollments} enrollments.${next}`,
  };
}
