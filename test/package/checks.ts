/** Helpers for the checks of the installed package and the container image. */
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

/**
 * Runs a command to its end.
 * @throws Error with all its output if it fails
 */
export async function run(command: string, args: readonly string[], cwd: string, env: Environment, input = '') {
  const running = promisify(execFile)(command, args, { cwd, env, maxBuffer: 2 ** 26 });
  // Most commands don't read their input.
  running.child.stdin?.on('error', () => undefined).end(input);
  try {
    return await running;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${[path.basename(command), ...args].join(' ')} failed:\n${stdout}${stderr}`);
  }
}

/** npm's settings files on this machine, with the registry and trusted authorities. Other copies of npm use other files. */
export const npmSettings: Environment = {};
for (const name of ['userconfig', 'globalconfig']) {
  const { stdout } = await run('npm', ['config', 'get', name], tmpdir(), process.env as Environment);
  npmSettings[`npm_config_${name}`] = stdout.trim();
}

/** Returns the environment of an installation, with the settings to reach the registry. */
export function surroundings(home: string, ...searched: string[]): Environment {
  mkdirSync(home, { recursive: true });
  const own = Object.entries(process.env).filter(([name]) =>
    /^(npm_config_registry|https?_proxy|no_proxy|node_extra_ca_certs)$/i.test(name),
  );
  const paths = { HOME: home, PATH: searched.join(path.delimiter), LANG: 'C.UTF-8' };
  return { ...(Object.fromEntries(own) as Environment), ...npmSettings, ...paths };
}

/** Runs a check and records its verdict. A failed check counts as a broken promise. */
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

/** Waits until a service answers, and returns the seconds since `startedAt`. */
export async function answers(url: string, service: ChildProcess, startedAt: number): Promise<number> {
  for (;;) {
    const seconds = (performance.now() - startedAt) / 1000;
    if (seconds > 300 || service.exitCode !== null) throw new Error(`${url} doesn't answer.`);
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

/** Prints the verdicts, and passes their count to `npm test`. */
export function conclude(): void {
  console.log(`\n${rows(verdicts)}`);
  const skipped = verdicts.filter(({ kept }) => kept === 'not run').length;
  const failed = verdicts.filter(({ kept }) => kept === false).length;
  const passed = verdicts.length - failed - skipped;
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  writeCounts({ passed, failed, skipped, failures: failures(verdicts) });
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}
