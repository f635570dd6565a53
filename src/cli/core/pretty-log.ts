import type { ChalkInstance } from 'chalk';
import pinoPretty from 'pino-pretty';
import { cut } from './fit.js';
import { printable, printableLine } from './printable.js';

/** A line about a request. */
interface RequestEntry {
  req: { id?: string; method: string; path: string };
  /** Once it is answered. */
  res?: { status: number } | undefined;
  /** Milliseconds. */
  responseTime?: number | undefined;
  /** The account that it came from. */
  userId?: string | undefined;
  /** Its answer wasn't sent whole: then the message says so. */
  aborted?: boolean | undefined;
}

/** What every line may have; besides, it has what was logged. */
interface Entry extends Partial<RequestEntry> {
  level: string;
  /** ISO 8601. */
  time: string;
  msg?: string;
  err?: LoggedError;
}

/** A logged error. */
interface LoggedError {
  message: string;
  type?: string;
  code?: string;
  stack?: string;
  cause?: LoggedError;
}

/** How log lines are shown. */
export interface LogDisplay {
  paint: ChalkInstance;
  /** How many columns the terminal has now, if it is one. */
  width: () => number | undefined;
}

/** The least that is shown of a path, however narrow the terminal is. */
const leastPath = 20;

const uuid = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{4}([\da-f]{8})/gi;

/** Ids as the commands accept them: by their last 8 characters. */
const withShortIds = (text: string) => text.replace(uuid, '…$1');

/** Nothing that a client has sent may move the cursor, colour, or begin a line of its own. Stacks keep their lines. */
function safe(key: string, value: unknown): unknown {
  if (typeof value === 'string') return key === 'stack' ? printable(value) : printableLine(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [printableLine(name), member]));
}

const clock = (time: string) => new Date(time).toTimeString().slice(0, 8);

function paintedLevel(level: string, paint: ChalkInstance): string {
  if (level === 'error' || level === 'fatal') return paint.red(level.toUpperCase());
  return level === 'warn' ? paint.yellow('WARN') : paint.dim(level.toUpperCase());
}

function paintedStatus(status: number, paint: ChalkInstance): string {
  if (status >= 500) return paint.red(status);
  if (status >= 400) return paint.yellow(status);
  return paint.green(status);
}

/** The method and path of a request; when it is answered also the status, the duration and the account. */
function requestText({ req, res, responseTime, userId }: RequestEntry, paint: ChalkInstance, room: number): string {
  const { method, path, id } = req;
  const facts = [
    responseTime === undefined ? '' : `${responseTime} ms`,
    userId === undefined ? '' : withShortIds(`by ${userId}`),
    // The client of a failed request was answered the same id.
    id === undefined || (res && res.status < 500) ? '' : withShortIds(`request ${id}`),
  ].filter((fact) => fact !== '');
  const status = res ? [`${res.status}`] : [];
  const taken = [method, ...status, ...facts].reduce((sum, { length }) => sum + length + 1, 0);
  return [
    method,
    cut(withShortIds(path), Math.max(leastPath, room - taken)),
    ...(res ? [paintedStatus(res.status, paint)] : []),
    ...(facts.length > 0 ? [paint.dim(facts.join(' '))] : []),
  ].join(' ');
}

/** A line in two parts: its text, and what else was logged. */
function parted({ level, time, msg = '', err, ...logged }: Entry, { paint, width }: LogDisplay) {
  const label = level === 'info' ? '' : level.toUpperCase();
  const start = [paint.dim(clock(time)), ...(label === '' ? [] : [paintedLevel(level, paint)])];
  const { req, res, responseTime, userId, aborted, ...others } = logged;
  const error = err && { err: errorText(err) };
  if (typeof req?.path !== 'string' || typeof req.method !== 'string')
    return { ...logged, ...error, msg: [...start, msg].join(' ') };
  // Of an answered request the status says what the message does.
  const words = res && !aborted ? [] : [msg];
  const taken = [clock(time), label, ...words].reduce((sum, { length }) => sum + length + Number(length > 0), 0);
  const room = (width() ?? Number.POSITIVE_INFINITY) - taken;
  const text = requestText({ req, res, responseTime, userId }, paint, room);
  return { ...others, ...error, msg: [...start, ...words, text].join(' ') };
}

function errorText({ message, type = 'Error', code, stack = '', cause }: LoggedError): string {
  const text = stack === '' ? `${type}: ${message}` : stack;
  const why = cause === undefined ? '' : `\ncaused by ${errorText(cause)}`;
  return `${code === undefined ? '' : `${code}: `}${text}${why}`;
}

/**
 * Makes lines for people of the JSON lines of the logger: one a request, with short ids, no wider than the terminal where
 * that is possible; errors with their stacks below.
 * @returns what makes a JSON line readable; both end with a line break
 */
export function prettyLog(display: LogDisplay): (line: string) => string {
  const pretty = pinoPretty.prettyFactory({
    colorize: display.paint.level > 0,
    customColors: 'message:reset',
    singleLine: true,
    // As they are: pino-pretty would remove their colours.
    messageFormat: (entry, key) => String(entry[key]),
    customPrettifiers: { err: String },
  });
  return (line) => {
    // As `logger.ts` has written it.
    const entry: Entry = JSON.parse(line, safe);
    return pretty(parted(entry, display));
  };
}
