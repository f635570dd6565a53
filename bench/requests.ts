/**
 * Measures the cost of requests on the built program in its own process, on MariaDB or MySQL: `npm run bench --
 * requests`. Cases (`--only`): me, healthz, listings, enrolling, mixed, memory. Rounds of the service and of its
 * yardstick, plain Express and SQL (yardstick.mjs), alternate, so that other load affects both. BENCH_NODE_OPTIONS
 * applies to both: with `--cpu-prof --cpu-prof-dir=/tmp/profiles`, each writes its profile. Processor time and memory are
 * read from /proc: Linux only.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { selected } from './options.js';
import { enrolling, healthz, listings, me, memory, mixed } from './requests/scenarios.js';
import {
  courseProgramme,
  fewAccounts,
  openStage,
  type ProgrammeData,
  plainExpress,
  type Stage,
} from './requests/stages.js';
import { openBenchServer } from './server.js';

const fewCases = { me, healthz };
const programmeCases = { listings, enrolling, mixed, memory };
const chosen = selected({ ...fewCases, ...programmeCases }).map(([name]) => name);

/** Runs the selected cases on a shared stage, which is opened only if needed. */
async function runOn<Data>(
  cases: Readonly<Record<string, (stage: Stage<Data>) => Promise<void>>>,
  open: () => Promise<Stage<Data>>,
): Promise<void> {
  const wanted = Object.entries(cases).filter(([name]) => chosen.includes(name));
  if (wanted.length === 0) return;
  const stage = await open();
  try {
    for (const [, run] of wanted) await run(stage);
  } finally {
    await stage.close();
  }
}

const server = await openBenchServer();
const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-bench-'));
try {
  await runOn<string>(fewCases, () => openStage(server, 'coursectl_bench_requests', folder, fewAccounts, plainExpress));
  await runOn<ProgrammeData>(programmeCases, () =>
    openStage(server, 'coursectl_bench_programme', folder, courseProgramme, plainExpress),
  );
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
