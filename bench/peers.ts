/**
 * `npm run bench:peers`: compares the service with Directus on the same database server. Cases (`--only`): login, me (the
 * own profile), listing (a page of one trainer's enrollments, newest first, with their count), creating (accounts with a
 * password). Directus isn't a dependency: it is installed into the user's cache (peers/install.ts). Requests to Directus
 * are its administrator's, which it answers without permission checks. Its listing contains bare rows; the service's
 * listing also contains the trainees and the courses. The tests only check the options of this program: an installation
 * takes minutes and needs the registry.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createConnection } from 'mysql2/promise';
import { factoryPassword } from '../test/support/factories.js';
import { printJson, runSuite } from './figures.js';
import { help, optionsHelp, selected } from './options.js';
import { type Directus, directusDatabase, directusEnrollments, serveDirectus } from './peers/directus.js';
import { installDirectus } from './peers/install.js';
import { closedLoop, compare, type RoundLoad } from './requests/rounds.js';
import { courseProgramme, openStage, type ProgrammeData, type Stage } from './requests/stages.js';
import { openBenchServer } from './server.js';

const database = 'coursectl_bench_peers';
const peer = 'Directus';

type Peers = Stage<ProgrammeData, Directus>;

/**
 * Compares both in rounds with equivalent requests.
 * @param ours load of the service, created for each round
 * @param goal minimum ratio to Directus' rate; without a goal nothing is judged
 */
function compareWithPeer(
  stage: Peers,
  name: string,
  ours: () => RoundLoad,
  theirs: () => RoundLoad,
  goal?: number,
): Promise<void> {
  const sent = (candidate: unknown) => (candidate === stage.service ? ours() : theirs());
  return compare(name, stage, stage.folder, sent, goal === undefined ? { than: peer } : { goal, than: peer });
}

async function login(stage: Peers): Promise<void> {
  const load = closedLoop(20);
  const signIn = (path: string, bodies: readonly object[]): RoundLoad => ({
    ...load,
    requests: [{ method: 'POST', path, tokens: [], bodies }],
  });
  const password = factoryPassword;
  const ours = stage.data.emails.map((identifier) => ({ identifier, password }));
  const theirs = stage.yardstick.emails.map((email) => ({ email, password }));
  await compareWithPeer(
    stage,
    'login',
    () => signIn('/api/auth/login', ours),
    () => signIn('/auth/login', theirs),
    4,
  );
}

async function me(stage: Peers): Promise<void> {
  const load = closedLoop(50);
  const theirs = { path: '/users/me', tokens: [stage.yardstick.adminToken] };
  await compareWithPeer(
    stage,
    'me',
    () => ({ ...load, requests: [stage.data.me] }),
    () => ({ ...load, requests: [theirs] }),
    8,
  );
}

async function listing(stage: Peers): Promise<void> {
  const load = closedLoop(20);
  const { typicalTrainer, listing: request } = stage.data;
  const query = `filter[trainer_id][_eq]=${typicalTrainer}&sort=-enrolled_at&limit=20&meta=filter_count`;
  const theirs = { path: `/items/${directusEnrollments}?${query}`, tokens: [stage.yardstick.adminToken] };
  await compareWithPeer(
    stage,
    'listing',
    () => ({ ...load, requests: [request] }),
    () => ({ ...load, requests: [theirs] }),
    10,
  );
}

/** Number of created accounts, which makes each unique. */
let created = 0;

async function creating(stage: Peers): Promise<void> {
  const load = closedLoop(20, 200);
  const request = (path: string, token: string, account: (number: number) => object): RoundLoad => {
    const from = created;
    created += load.count ?? 0;
    const bodies = Array.from({ length: created - from }, (_, index) => account(from + index));
    return { ...load, requests: [{ method: 'POST', path, tokens: [token], bodies }] };
  };
  const password = factoryPassword;
  const email = (number: number) => `created${number}@example.org`;
  await compareWithPeer(
    stage,
    'creating',
    () =>
      request('/api/auth/register', stage.data.adminToken, (number) => ({
        firstName: 'Tia',
        lastName: `Created ${number}`,
        email: email(number),
        phone: `+99 ${1_000_000 + number}`,
        role: 'trainee',
        password,
      })),
    () =>
      request('/users', stage.yardstick.adminToken, (number) => ({
        first_name: 'Tia',
        last_name: `Created ${number}`,
        email: email(number),
        password,
      })),
  );
}

const cases = { login, me, listing, creating };

async function run(): Promise<void> {
  const chosen = selected(cases);
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

if (help)
  console.log(
    `npm run bench:peers -- [options]\nCases: ${Object.keys(cases).join(', ')}; all by default.\n\n${optionsHelp}`,
  );
else {
  await runSuite('peers', run);
  printJson();
}
