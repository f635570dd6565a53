import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { scaled } from '../support/machine.js';

/**
 * Returns the address of a program that was started with `serve --json` and `PORT=0`. The system chooses the port,
 * because another process may have taken a port that was free before.
 * @throws Error with the program's output if it ends or doesn't listen in time
 */
export async function waitForUrl(child: ChildProcess): Promise<string> {
  let written = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      written = (written + chunk.toString()).slice(-10_000);
    });
  const deadline = performance.now() + scaled(60_000);
  while (child.exitCode === null && performance.now() < deadline) {
    const [, url] = /"url": ?"(http:[^"]+)"/.exec(written) ?? [];
    if (url !== undefined) return url;
    await sleep(50);
  }
  throw new Error(`The program doesn't serve:\n${written}`);
}
