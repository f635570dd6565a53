import { Chalk, type ChalkInstance } from 'chalk';
import { isAppError } from '../../../errors.js';
import type { Io, OutputStream } from './output.js';
import { printable } from './printable.js';

/** Colours for a stream: only on a terminal, and never against NO_COLOR (https://no-color.org). */
export function paintFor(stream: OutputStream, env: Io['env']): ChalkInstance {
  return new Chalk({ level: stream.isTTY && !env.NO_COLOR && env.TERM !== 'dumb' ? 1 : 0 });
}

/** What a failed command prints: the problem, and the fields below it. @param verbose whether the stack is printed, too */
export function failureText(error: unknown, paint: ChalkInstance, verbose: boolean): string {
  const label = paint.red('error:');
  if (isAppError(error, 'VALIDATION', 'CONFIG_INVALID') && error.details.length > 0) {
    const [only, ...others] = error.details;
    if (only && others.length === 0) return `${label} ${printable(only.message)}`;
    const summary = error.code === 'VALIDATION' ? 'The input is not valid:' : 'The configuration is not valid:';
    return `${label} ${summary}\n${error.details.map((detail) => `  ${printable(detail.message)}`).join('\n')}`;
  }
  // A no was meant: nothing has failed.
  if (isAppError(error, 'DECLINED')) return `${printable(error.message)}`;
  if (isAppError(error)) return `${label} ${printable(error.message)}`;
  const message = error instanceof Error ? error.message : String(error);
  const hint = verbose ? '' : ' Run it again with --verbose and report what it prints.';
  return `${label} This is a bug in coursectl: ${printable(message)}.${hint}`;
}

/** The stack of an error and of its causes, as `--verbose` prints it. */
export function stackText(error: Error, paint: ChalkInstance): string {
  return paint.dim(printable(stackOf(error)));
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
