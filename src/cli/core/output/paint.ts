import { Chalk, type ChalkInstance } from 'chalk';
import { isAppError } from '../../../errors.js';
import type { Io, OutputStream } from './output.js';
import { printable } from './printable.js';

/** Returns colours for a stream: only for a terminal, and not with NO_COLOR (https://no-color.org). */
export function paintFor(stream: OutputStream, env: Io['env']): ChalkInstance {
  return new Chalk({ level: stream.isTTY && !env.NO_COLOR && env.TERM !== 'dumb' ? 1 : 0 });
}

/** Returns the message of a failure, with a line for each invalid field. @param verbose whether the stack is printed, too */
export function failureText(error: unknown, paint: ChalkInstance, verbose: boolean): string {
  const label = paint.red('error:');
  if (isAppError(error, 'VALIDATION', 'CONFIG_INVALID') && error.details.length > 0) {
    const [only, ...others] = error.details;
    if (only && others.length === 0) return `${label} ${printable(only.message)}`;
    const summary = error.code === 'VALIDATION' ? 'The input is not valid:' : 'The configuration is not valid:';
    return `${label} ${summary}\n${error.details.map((detail) => `  ${printable(detail.message)}`).join('\n')}`;
  }
  // A no is an intended answer, not an error.
  if (isAppError(error, 'DECLINED')) return `${printable(error.message)}`;
  if (isAppError(error)) return `${label} ${printable(error.message)}`;
  const message = error instanceof Error ? error.message : String(error);
  const hint = verbose ? '' : ' Run it again with --verbose and report what it prints.';
  return `${label} This is a bug in coursectl: ${printable(message)}.${hint}`;
}

/** Returns the stack of an error and of its causes, for `--verbose`. */
export function stackText(error: Error, paint: ChalkInstance): string {
  return paint.dim(printable(stackOf(error)));
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
