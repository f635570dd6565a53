/**
 * `npm run test:faults [-- R3 R6]`: repeatable faults against the built program, each promise of docs/SECURITY.md and
 * docs/OPERATIONS.md with what was measured. Needs a mariadbd on the PATH.
 */
import { writeFileSync } from 'node:fs';
import { rows, type Verdict } from './report.js';

const runs: Record<string, () => Promise<{ run(): Promise<Verdict[]> }>> = {
  R1: () => import('./r1-login-storm.js'),
  R2: () => import('./r2-login-timing.js'),
  R3: () => import('./r3-proxy.js'),
  R4: () => import('./r4-crash.js'),
  R5: () => import('./r5-rolling.js'),
  R6: () => import('./r6-overload.js'),
  R7: () => import('./r7-forged-tokens.js'),
  R8: () => import('./r8-canaries.js'),
  R9: () => import('./r9-fuzz.js'),
  R10: () => import('./r10-races.js'),
};

const wanted = process.argv.slice(2);
const names = Object.keys(runs).filter((name) => wanted.length === 0 || wanted.includes(name));
const verdicts: Verdict[] = [];
for (const name of names) {
  const startedAt = performance.now();
  console.log(`\n=== ${name} ===`);
  try {
    const module = await runs[name]?.();
    for (const verdict of (await module?.run()) ?? []) verdicts.push({ ...verdict, run: name });
  } catch (error) {
    console.error(error);
    verdicts.push({ run: name, promised: 'the run goes through', measured: String(error), kept: false });
  }
  console.log(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}
console.log(`\n${rows(verdicts)}`);
const failed = verdicts.filter(({ kept }) => !kept).length;
const passed = verdicts.length - failed;
console.log(`\n${passed} passed, ${failed} failed`);
const countsFile = process.env.COURSECTL_TEST_COUNTS;
if (countsFile) writeFileSync(countsFile, JSON.stringify({ passed, failed, skipped: 0 }));
process.exitCode = failed > 0 || verdicts.length === 0 ? 1 : 0;
