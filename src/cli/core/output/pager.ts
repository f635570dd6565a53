import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { AppError, systemErrorCode } from '../../../errors.js';
import { type Io, writeText } from './output.js';

/** Lets the pager inherit a stream of the process, so that the pager controls the terminal. Other streams are piped. */
const inheritedOrPiped = (stream: Io['stdout']) =>
  'fd' in stream && typeof stream.fd === 'number' ? stream.fd : 'pipe';

/** Starts the pager: the command in `PAGER`, run by the shell, or less, which may not be installed. */
function startPager({ env, stdout, stderr }: Io): ChildProcess {
  const { PAGER } = env;
  return spawn(PAGER ?? 'less', {
    shell: PAGER !== undefined,
    // The options that git uses: colours, no clearing of the screen, and exit if the text fits the screen.
    env: { LESS: 'FRX', LV: '-c', ...env },
    stdio: ['pipe', inheritedOrPiped(stdout), inheritedOrPiped(stderr)],
  });
}

/** Opens a pager. Returns undefined if the program doesn't exist. */
async function openPager(io: Io): Promise<ChildProcess | undefined> {
  const pager = startPager(io);
  pager.stdout?.pipe(io.stdout, { end: false });
  pager.stderr?.pipe(io.stderr, { end: false });
  try {
    await once(pager, 'spawn');
    return pager;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Writes to a pager until the text ends or the user quits the pager.
 * @throws AppError `USAGE` if the command in `PAGER` can't be run
 */
async function writeTo(pager: ChildProcess, io: Io, pieces: AsyncIterable<string>): Promise<void> {
  const { stdin } = pager;
  if (!stdin) throw new Error('The pager has no input.');
  const ended = once(pager, 'close');
  const quit = new AbortController();
  pager.once('close', () => quit.abort());
  // The user quit the pager: the rest isn't needed.
  stdin.on('error', () => quit.abort());
  // The pager handles Ctrl-C now.
  io.pagerOpen = true;
  let code: unknown;
  try {
    for await (const piece of pieces) {
      if (quit.signal.aborted) break;
      // Waiting fails if the pager ends. The loop then sees the aborted signal.
      if (!stdin.write(piece)) await once(stdin, 'drain', { signal: quit.signal }).catch(() => undefined);
    }
  } finally {
    stdin.end();
    [code] = await ended;
    io.pagerOpen = false;
  }
  if (code === 126 || code === 127)
    throw new AppError('USAGE', `The pager "${io.env.PAGER}" can't be run: change PAGER, or add --no-pager.`);
}

async function* followed(first: readonly string[], others: AsyncIterator<string>): AsyncGenerator<string> {
  yield* first;
  for (let next = await others.next(); !next.done; next = await others.next()) yield next.value;
}

const linesIn = (text: string) => text.split('\n').length - 1;

/** @throws AppError `INTERRUPTED` */
async function writeAll(io: Io, pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces) {
    if (io.signal.aborted) throw new AppError('INTERRUPTED');
    await writeText(io.stdout, piece, io.signal);
  }
}

/** Whether standard output is a terminal that can scroll, and a pager is not disabled. */
const isPaged = ({ stdout, env }: Io) =>
  Boolean(stdout.isTTY) && env.TERM !== 'dumb' && env.PAGER !== '' && env.PAGER !== 'cat';

/**
 * Writes text to standard output, through a pager if the text is longer than the screen.
 * @throws AppError `USAGE`, `INTERRUPTED`
 */
export async function writePaged(io: Io, text: AsyncIterable<string>, isAllowed: boolean): Promise<void> {
  if (!isAllowed || !isPaged(io)) return writeAll(io, text);
  const pieces = text[Symbol.asyncIterator]();
  const first: string[] = [];
  // One line of the screen is for the shell prompt.
  for (let lines = 0; lines < (io.stdout.rows ?? 24); ) {
    const next = await pieces.next();
    if (next.done) return writeAll(io, followed(first, pieces));
    first.push(next.value);
    lines += linesIn(next.value);
  }
  const pager = await openPager(io);
  await (pager ? writeTo(pager, io, followed(first, pieces)) : writeAll(io, followed(first, pieces)));
}
