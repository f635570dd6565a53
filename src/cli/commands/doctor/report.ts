import { exitCodes } from '../../core/command/exit-codes.js';
import type { Result, Run } from '../../core/command/run.js';
import { wrapHanging } from '../../core/output/fit.js';
import { asTyped, counted, withCommandLines } from '../../core/output/output.js';
import { printable } from '../../core/output/printable.js';
import type { Finding } from './files.js';

export interface Check extends Finding {
  name: string;
}

const ranks = { ok: 0, warning: 1, failed: 2 };

/** Returns the checks as lines or as an object. Problems come last, next to the shell prompt. */
export function report(run: Run, checks: readonly Check[]): Result {
  const shown = checks
    .toSorted((one, other) => ranks[one.status] - ranks[other.status])
    .map(({ detail, remedy, ...one }) => ({
      ...one,
      detail: withCommandLines(run.io, detail),
      ...(remedy !== undefined && { remedy: withCommandLines(run.io, remedy) }),
    }));
  const marks = {
    ok: run.paint.green('ok     '),
    warning: run.paint.yellow('warning'),
    failed: run.paint.red('FAILED '),
  };
  const namesOf = (status: Finding['status']) => shown.flatMap((one) => (one.status === status ? [one.name] : []));
  const lineOf = (mark: Finding['status'], text: string) =>
    wrapHanging(`${marks[mark]}  ${printable(text)}`, run.display.width);
  const linesOf = (some: typeof shown) =>
    some.flatMap(({ name, status, detail, remedy }) =>
      lineOf(status, `${name}: ${detail}${remedy === undefined ? '' : ` -> ${remedy}`}`),
    );
  const [warnings, failures, passed] = [namesOf('warning'), namesOf('failed'), namesOf('ok')];
  const problems = [...failures, ...warnings];
  const counts = `${counted(warnings.length, 'warning')}, ${counted(failures.length, 'failure')}`;
  const summary = wrapHanging(`${counts}${problems.length === 0 ? '' : `: ${problems.join(', ')}`}`, run.display.width);
  const all = [...linesOf(shown), ...summary];
  // One line of the screen is for the shell prompt.
  const isTooLong = run.display.width !== undefined && !run.options.verbose && all.length >= (run.io.stdout.rows ?? 24);
  const passedText = `${passed.join(', ')} (each: ${asTyped(run.io, 'doctor --verbose')})`;
  const short = [...lineOf('ok', passedText), ...linesOf(shown.slice(passed.length)), ...summary];
  return {
    json: { healthy: failures.length === 0, checks: shown },
    text: (isTooLong ? short : all).join('\n'),
    painted: true,
    exitCode: failures.length === 0 ? exitCodes.ok : exitCodes.failure,
  };
}
