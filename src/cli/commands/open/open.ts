import { AppError } from '../../../errors.js';
import { localUrl } from '../../../network.js';
import type { Result, Run } from '../../core/command/run.js';

/** Opens the web console of the running service. @throws AppError `CONFIG_INVALID`, `NOT_READY` */
export async function openConsole(run: Run<'', Record<'--print', string>>): Promise<Result> {
  const { http } = await run.config();
  if (!http.webConsole)
    throw new AppError(
      'CONFIG_INVALID',
      'The setting CONSOLE is off: there is no web console to open. Remove it, and start the service again.',
    );
  const url = localUrl(http.host, http.port);
  if (run.options.print) return { json: { url, opened: false }, text: url };
  await assertServed(url);
  const opened = canOpen(run.io.env) && (await openBrowser(url));
  if (!opened) run.say('No browser can be opened here. Open this address in a browser:');
  return { json: { url, opened }, text: opened ? `Opened ${url}` : url };
}

/** @throws AppError `NOT_READY` if no service with the console answers */
async function assertServed(url: string): Promise<void> {
  const answer = await fetch(url, { headers: { accept: 'text/html' }, signal: AbortSignal.timeout(5000) }).catch(
    (cause: unknown) => {
      throw new AppError(
        'NOT_READY',
        `Nothing answers at ${url}. Start the service with: coursectl serve. If it has another address, set HOST and PORT.`,
        { cause },
      );
    },
  );
  await answer.body?.cancel();
  if (!answer.ok || !answer.headers.get('content-type')?.startsWith('text/html'))
    throw new AppError(
      'NOT_READY',
      `The program at ${url} has no web console: it is not coursectl, or CONSOLE is off.`,
    );
}

/** Whether a browser can open. False in a remote session or without a screen, unless BROWSER is set. */
function canOpen({ SSH_CONNECTION, BROWSER, DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME }: NodeJS.ProcessEnv): boolean {
  if (SSH_CONNECTION !== undefined && BROWSER === undefined) return false;
  return process.platform !== 'linux' || [BROWSER, DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME].some(Boolean);
}

/** @returns whether a browser was started */
async function openBrowser(url: string): Promise<boolean> {
  const { default: open } = await import('open');
  // If no browser is found, the caller prints the address.
  const opening = await open(url).catch(() => undefined);
  return opening !== undefined;
}
