/** What the checks of the installed package and of the container image share. */
import { type ChildProcess, execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { failures, rows, type Verdict } from '../faults/report.js';
import { writeCounts } from '../support/counts.js';

export const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-package-'));
export const at = (...names: string[]) => path.join(folder, ...names);
export const verdicts: Verdict[] = [];

export type Environment = Record<string, string>;

/** Runs a command to its end. @throws with all its output when it fails */
export async function run(command: string, args: readonly string[], cwd: string, env: Environment, input = '') {
  const running = promisify(execFile)(command, args, { cwd, env, maxBuffer: 2 ** 26 });
  // Most commands end without reading it.
  running.child.stdin?.on('error', () => undefined).end(input);
  try {
    return await running;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${[path.basename(command), ...args].join(' ')} failed:\n${stdout}${stderr}`);
  }
}

/** npm's files of settings on this machine: where the registry is, and whom to trust. Other copies of npm have others. */
export const npmSettings: Environment = {};
for (const name of ['userconfig', 'globalconfig']) {
  const { stdout } = await run('npm', ['config', 'get', name], tmpdir(), process.env as Environment);
  npmSettings[`npm_config_${name}`] = stdout.trim();
}

/** What of this environment an installation may know: how to reach the registry. */
export function surroundings(home: string, ...searched: string[]): Environment {
  mkdirSync(home, { recursive: true });
  const own = Object.entries(process.env).filter(([name]) =>
    /^(npm_config_registry|https?_proxy|no_proxy|node_extra_ca_certs)$/i.test(name),
  );
  const paths = { HOME: home, PATH: searched.join(path.delimiter), LANG: 'C.UTF-8' };
  return { ...(Object.fromEntries(own) as Environment), ...npmSettings, ...paths };
}

/** Makes a promise of what some work finds; work that fails breaks it. */
export async function check(runName: string, promised: string, work: () => Promise<Omit<Verdict, 'promised'>>) {
  const startedAt = performance.now();
  try {
    verdicts.push({ run: runName, promised, ...(await work()) });
  } catch (error) {
    console.error(error);
    verdicts.push({ run: runName, promised, measured: String(error).split('\n')[0] ?? '', kept: false });
  }
  console.log(`${runName}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}

/** Waits until a service answers. @returns the seconds since `startedAt` */
export async function answers(url: string, service: ChildProcess, startedAt: number): Promise<number> {
  for (;;) {
    const seconds = (performance.now() - startedAt) / 1000;
    if (seconds > 300 || service.exitCode !== null) throw new Error(`${url} doesn't answer`);
    if (
      await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return seconds;
    await sleep(50);
  }
}

export async function ended(service: ChildProcess): Promise<number | null> {
  const exit = new Promise<number | null>((resolve) => service.once('exit', resolve));
  service.kill('SIGTERM');
  return service.exitCode ?? (await exit);
}

/** Prints the verdicts, and hands their count on to `npm test`. */
export function conclude(): void {
  console.log(`\n${rows(verdicts)}`);
  const skipped = verdicts.filter(({ kept }) => kept === 'not run').length;
  const failed = verdicts.filter(({ kept }) => kept === false).length;
  const passed = verdicts.length - failed - skipped;
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  writeCounts({ passed, failed, skipped, failures: failures(verdicts) });
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}
