import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import { yesOption } from '../../core/declaration.js';
import { tellingOfWait } from '../../core/migration-wait.js';
import type { Result, Run } from '../../core/run.js';

export function register(program: Command, registry: Registry): void {
  const seed = program.command('seed').description('Fill the database with example data');

  define(seed, registry, {
    usage: 'demo',
    schema: 'current',
    summary: 'Add a demo programme: a super admin, 3 trainers, 12 courses, 200 trainees and their enrollments',
    examples: ['seed demo', 'seed demo --yes --json'],
    options: yesOption,
    stopsItself: true,
    run: demo,
  });
}

async function demo(run: Run<'', typeof yesOption>): Promise<Result> {
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
        'This database already has other accounts. The demo adds 203 or 204 accounts with\na publicly known password, and no command removes them again.',
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
