/**
 * `npm run bench:peers`: the same work against Directus on the same database server: sign-in, the own profile, a filtered and
 * counted listing of a million rows, creating users with and without passwords. Cases (`--only`): login, me, listing, users.
 * Directus isn't a dependency: it is installed into the user's cache (peers/install.ts). It is asked as its administrator,
 * whose requests it answers without checks of permissions. Its rows come without the trainee and the course, ours with them.
 * The tests look at the options of this program only: an installation takes minutes and needs the registry.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { factoryPassword } from '../test/support/factories.js';
import { figure, median, printJson, runSuite, sized, verdict, whole } from './figures.js';
import { help, optionsHelp, program, rounds, selected } from './options.js';
import { type Directus, directusDatabase, serveDirectus } from './peers/directus.js';
import { installDirectus } from './peers/install.js';
import { writePeople } from './people.js';
import { closedLoop, compared, type Sent } from './requests/rounds.js';
import { courseProgramme, openStage, type ProgrammeData, programmeSize, type Stage } from './requests/stages.js';
import { openBenchServer } from './server.js';
import { benchEnvironment } from './service.js';

const database = 'coursectl_bench_peers';
const peer = 'Directus';

type Peers = Stage<ProgrammeData, Directus> & { serverUrl: string };

/** Rounds of both, each asked for the same in its own words. @param goal the least ratio to Directus' requests a second */
function against(stage: Peers, name: string, ours: Sent, theirs: Sent, goal: number): Promise<void> {
  const sent = (candidate: unknown) => (candidate === stage.service ? ours : theirs);
  return compared(name, stage, stage.folder, sent, { goal, than: peer });
}

async function login(stage: Peers): Promise<void> {
  const load = closedLoop(20);
  const signIn = (path: string, bodies: readonly object[]): Sent => ({
    ...load,
    requests: [{ method: 'POST', path, tokens: [], bodies }],
  });
  const password = factoryPassword;
  const ours = stage.data.emails.map((identifier) => ({ identifier, password }));
  const theirs = stage.yardstick.emails.map((email) => ({ email, password }));
  await against(stage, 'login', signIn('/api/auth/login', ours), signIn('/auth/login', theirs), 4);
}

async function me(stage: Peers): Promise<void> {
  const load = closedLoop(50);
  const theirs = { path: '/users/me', tokens: [stage.yardstick.adminToken] };
  await against(stage, 'me', { ...load, requests: [stage.data.me] }, { ...load, requests: [theirs] }, 8);
}

async function listing(stage: Peers): Promise<void> {
  const load = closedLoop(20);
  const { listing: ours, typicalTrainer } = stage.data;
  const query = `filter[trainer_id][_eq]=${typicalTrainer}&sort=-enrolled_at&limit=20&meta=filter_count`;
  const theirs = { path: `/items/enrollments?${query}`, tokens: [stage.yardstick.adminToken] };
  const name = `listing among ${programmeSize}`;
  await against(stage, name, { ...load, requests: [ours] }, { ...load, requests: [theirs] }, 10);
}

/** Accounts a second that `users import` creates, with its plan. */
async function imported(stage: Peers, rows: number, tag: string, withPassword: boolean): Promise<number> {
  const file = path.join(stage.folder, `${tag}.csv`);
  await writePeople(file, rows, withPassword ? 'password' : undefined, tag);
  const env = {
    ...benchEnvironment(stage.serverUrl + database, stage.folder),
    PATH: process.env.PATH,
    BCRYPT_COST: '10',
  };
  const argv = [program, 'users', 'import', file, '--yes', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: stage.folder, env });
  const { import: done } = JSON.parse(stdout) as { import: { seconds: number; counts: { created: number } } };
  if (done.counts.created !== rows) throw new Error(`Not all of ${rows} accounts were created: ${stdout}`);
  return rows / done.seconds;
}

/** Users a second that Directus creates, fifty in a request. */
async function createdByDirectus({ url, adminToken }: Directus, rows: number, tag: string, withPassword: boolean) {
  const startedAt = performance.now();
  for (let at = 0; at < rows; at += 50) {
    const people = Array.from({ length: Math.min(50, rows - at) }, (_, index) => ({
      email: `${tag}.${at + index}@example.org`,
      first_name: 'Ada',
      last_name: 'King',
      ...(withPassword && { password: `secret of ${at + index}` }),
    }));
    const response = await fetch(`${url}/users`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${adminToken}` },
      body: JSON.stringify(people),
    });
    if (!response.ok) throw new Error(`Directus answered ${response.status}: ${await response.text()}`);
    await response.text();
  }
  return (rows * 1000) / (performance.now() - startedAt);
}

/** New accounts: an import of ours, requests with many users for Directus, which has no import that makes users. */
async function users(stage: Peers): Promise<void> {
  for (const [name, withPassword, rows] of [
    ['users with passwords', true, sized(500, 20)],
    ['users without passwords', false, sized(1000, 20)],
  ] as const) {
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      // Phones differ by the first letter and the length.
      const tag = `${withPassword ? 'p' : 'n'}${'x'.repeat(round)}`;
      ours.push(await imported(stage, rows, tag, withPassword));
      theirs.push(await createdByDirectus(stage.yardstick, rows, tag, withPassword));
    }
    const ratios = ours.map((rate, round) => rate / (theirs[round] ?? Number.NaN));
    const ratio = median(ratios);
    const said = `${whole(median(ours))}/s, ${ratio.toFixed(1)} times ${peer}'s ${whole(median(theirs))}/s (limit 1)`;
    verdict(`${name}, ${rows} rows`, said, ratio >= 1, { median: median(ours), unit: '/s', ratio, than: peer });
    figure(`${name}: ${peer}`, { median: median(theirs), unit: '/s' });
  }
}

async function run(): Promise<void> {
  const chosen = selected({ login, me, listing, users });
  const installed = await installDirectus();
  const server = await openBenchServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-bench-'));
  try {
    const beside = (_env: NodeJS.ProcessEnv, own: string) =>
      serveDirectus(installed, server.url, database, own, factoryPassword);
    const stage = await openStage(server, database, folder, courseProgramme, beside);
    try {
      for (const [, scenario] of chosen) await scenario({ ...stage, serverUrl: server.url });
    } finally {
      await stage.close();
      const sql = await createConnection({ uri: server.url });
      await sql.query(`DROP DATABASE IF EXISTS ${directusDatabase}`);
      await sql.end();
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (help)
  console.log(`npm run bench:peers -- [options]\nCases: login, me, listing, users; all by default.\n\n${optionsHelp}`);
else {
  await runSuite('peers', run);
  printJson();
}
