import { operator } from '../../../services/core.js';
import { loadDemo, wouldMixDemo } from '../../../services/maintenance/demo.js';
import { removeDemo } from '../../../services/maintenance/demo-removal.js';
import { assertCanAsk, confirm } from '../../core/bulk/confirm.js';
import { migrationProgress } from '../../core/bulk/progress.js';
import type { yesOption } from '../../core/command/declaration.js';
import type { Result, Run } from '../../core/command/run.js';
import { asTyped } from '../../core/output/output.js';

type SeedRun = Run<'', typeof yesOption>;

/** Adds or removes the demo programme. @throws the errors of {@link loadDemo} and {@link removeDemo} */
export const seedDemo = (run: Run<'', typeof yesOption & Record<'--remove', string>>): Promise<Result> =>
  run.options.remove ? remove(run) : demo(run);

/**
 * Adds the demo programme, after a confirmation if there are other accounts.
 * @throws AppError `USAGE`, `DECLINED`, `INTERRUPTED`, and the errors of {@link loadDemo}
 */
async function demo(run: SeedRun): Promise<Result> {
  const context = await run.context();
  if (!run.options.yes && (await wouldMixDemo(context))) {
    assertCanAsk(run, 'add the demo programme to the accounts that exist');
    await confirm(run, {
      about:
        'This database already has other accounts. The demo adds 203 or 204 accounts with\na publicly known password. Only --remove removes them, and only if nobody has changed any of them.',
      question: 'Add the demo programme here?',
      otherwise: 'Nothing was added.',
    });
  }
  const { demo: loaded, isNew } = await loadDemo(context, operator, migrationProgress(run));
  const { accounts, password } = loaded;
  const done = isNew
    ? `The demo programme was added. The password of all its accounts is: ${password}`
    : `The demo programme is here already; nothing was changed. The initial password of all its accounts is: ${password}`;
  return {
    // The password is public (docs/OPERATIONS.md), so that --json may print it.
    json: { seeded: 'demo', added: isNew, accounts, password },
    text: `${done}\nSign in as one of these, or as any other trainee:\n${accounts.map((email) => `  ${email}`).join('\n')}`,
  };
}

/**
 * Removes the demo programme after a confirmation.
 * @throws AppError `USAGE`, `DECLINED`, `INTERRUPTED`, and the errors of {@link removeDemo}
 */
async function remove(run: SeedRun): Promise<Result> {
  const context = await run.context();
  if (!run.options.yes) {
    assertCanAsk(run, 'remove the demo programme');
    await confirm(run, {
      about: 'Its accounts and courses are deleted, with their enrollments, unless somebody has changed any of them.',
      question: 'Remove the demo programme?',
      otherwise: 'Nothing was removed.',
    });
  }
  const removed = await removeDemo(context, operator, migrationProgress(run));
  if (!removed)
    return { json: { removed: null }, text: 'There is no demo programme in this database; nothing was removed.' };
  const { accounts, courses, enrollments, isEmpty } = removed;
  const next = isEmpty ? `\nThere are no accounts any more. Next: ${asTyped(run.io, 'setup')}` : '';
  return {
    json: { removed: { accounts, courses, enrollments } },
    text: `The demo programme was removed: ${accounts} accounts, ${courses} courses, ${enrollments} enrollments.${next}`,
  };
}
