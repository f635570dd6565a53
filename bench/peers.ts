/**
 * `npm run bench:peers`: the same work against Directus on the same database server. Cases (`--only`): login, me (the own
 * profile). Directus isn't a dependency: it is installed into the user's cache (peers/install.ts). It is asked as its
 * administrator, whose requests it answers without checks of permissions.
 * The tests look at the options of this program only: an installation takes minutes and needs the registry.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createConnection } from 'mysql2/promise';
import { factoryPassword } from '../test/support/factories.js';
import { printJson, runSuite } from './figures.js';
import { help, optionsHelp, selected } from './options.js';
import { type Directus, directusDatabase, serveDirectus } from './peers/directus.js';
import { installDirectus } from './peers/install.js';
import { closedLoop, compared, type Sent } from './requests/rounds.js';
import { courseProgramme, openStage, type ProgrammeData, type Stage } from './requests/stages.js';
import { openBenchServer } from './server.js';

const database = 'coursectl_bench_peers';
const peer = 'Directus';

type Peers = Stage<ProgrammeData, Directus>;

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

async function run(): Promise<void> {
  const chosen = selected({ login, me });
  const installed = await installDirectus();
  const server = await openBenchServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-bench-'));
  try {
    const beside = (_env: NodeJS.ProcessEnv, own: string) =>
      serveDirectus(installed, server.url, database, own, factoryPassword);
    const stage = await openStage(server, database, folder, courseProgramme, beside);
    try {
      for (const [, scenario] of chosen) await scenario(stage);
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

if (help) console.log(`npm run bench:peers -- [options]\nCases: login, me; all by default.\n\n${optionsHelp}`);
else {
  await runSuite('peers', run);
  printJson();
}
