import { writeFileSync } from 'node:fs';
import path from 'node:path';
import request from 'supertest';
import type { User } from '../../src/db/models/user.js';
import { type RunningServer, startServer } from '../../src/http/server/server.js';
import type { Context } from '../../src/services/context.js';
import { operator } from '../../src/services/core.js';
import { planImport } from '../../src/services/imports/plan/plan.js';
import { applyImport } from '../../src/services/imports/queue/apply.js';
import { testEnvironment } from '../support/environment.js';
import { buildCourse, buildUser, factoryPassword, signIn, tokenFor } from '../support/factories.js';
import { emptyDatabase } from '../support/harness.js';
import { type CliResult, runCli } from '../support/run-cli.js';
import { until } from '../support/until.js';
import type { Verdict } from './report.js';
import { openStage } from './stage.js';

/** The victim: a trainer who will be imported. Everybody knows these data. */
const victim = { firstName: 'Bob', lastName: 'Trainer', email: 'bob@corp.test', phone: '+44 20 7946 0001' };
const victimRow = `Bob,Trainer,${victim.email},${victim.phone},trainer,`;
const traineeRow = (course: string) => `Bob,Trainee,${victim.email},${victim.phone},,${course}`;
const attackerEmail = 'mallory@example.org';
/** The attacker's own row, which frees the phone. */
const ownRow = `Mal,Lory,${attackerEmail},+44 5,,`;
const csvOf = (rows: readonly string[]) => `${['firstName,lastName,email,phone,role,course', ...rows].join('\n')}\n`;
const update = ['--on-existing', 'update'];
/** Id of a deleted account. */
const gone = '0198c1f0-1111-7222-8333-444455556666';

interface Service {
  context: Context;
  server: RunningServer;
  /** Environment of commands. */
  env: Record<string, string>;
  folder: string;
}

type Codes = (string | null)[];

/** Setting of an attack: an attacker who is a trainee, and a super admin who works as usual. */
interface Scene {
  service: Service;
  attacker: User;
  token: string;
  /** Token of the super admin. */
  adminToken: string;
  /** Course `Knots` of another trainer. */
  courseId: string;
  /**
   * Sets the attacker's phone in the profile.
   * @returns whether the service accepted it; a refused spelling is no attack
   */
  claimPhone(phone: string | number): Promise<boolean>;
  cli(...argv: string[]): Promise<CliResult>;
  /** Imports rows at the terminal with flags, or over HTTP with fields. */
  importRows(rows: readonly string[], options: readonly string[] | object): Promise<{ id: string; codes: Codes }>;
}

let files = 0;

/** Empties the database, and creates the attacker, the super admin and a course. */
async function setScene(service: Service): Promise<Scene> {
  const { context, server, env, folder } = service;
  const { models } = context.database;
  await emptyDatabase(context);
  const { token: adminToken } = await signIn(context, { role: 'super_admin' });
  const { user: attacker, token } = await signIn(context, { email: attackerEmail, firstName: 'Mal', lastName: 'Lory' });
  const trainer = await buildUser(context, { role: 'trainer' });
  const { id: courseId } = await buildCourse(context, trainer, { title: 'Knots' });
  const cli = (...argv: string[]) => runCli(argv, { env, cwd: folder });

  async function importHere(csv: string, flags: readonly string[]): Promise<string> {
    files += 1;
    const file = path.join(folder, `people${files}.csv`);
    writeFileSync(file, csv);
    const { stdout, stderr } = await cli('users', 'import', file, '--yes', '--json', ...flags);
    const printed = JSON.parse(stdout) as { import?: { id: string } };
    if (!printed.import) throw new Error(`The import failed: ${stdout}${stderr}`);
    return printed.import.id;
  }

  async function importThere(csv: string, fields: object): Promise<string> {
    const call = request(server.url).post('/api/imports').set('Authorization', `Bearer ${adminToken}`);
    const { body } = await call
      .attach('file', Buffer.from(csv), 'people.csv')
      .field({ ...fields })
      .expect(202);
    const { id } = body.import as { id: string };
    await until(async () => (await models.Import.count({ where: { id, status: 'completed' } })) === 1);
    return id;
  }

  return {
    service,
    attacker,
    token,
    adminToken,
    courseId,
    cli,
    async claimPhone(phone) {
      const call = request(server.url).put('/api/auth/profile').set('Authorization', `Bearer ${token}`);
      const { status } = await call.send({ phone });
      if (status !== 200 && status !== 400) throw new Error(`The profile answers ${status} for the phone ${phone}.`);
      return status === 200;
    },
    async importRows(rows, options) {
      const csv = csvOf(rows);
      const id = Array.isArray(options) ? await importHere(csv, options) : await importThere(csv, options);
      const ledger = await models.ImportRow.findAll({ where: { importId: id }, order: ['line'], raw: true });
      return { id, codes: ledger.map(({ code }) => code) };
    },
  };
}

/** Returns the gains of the attacker; empty if the attack has failed. */
async function findTakeovers({ service, attacker, token }: Scene): Promise<string[]> {
  const { models } = service.context.database;
  const api = request(service.server.url);
  const found: string[] = [];
  const own = await models.User.findByPk(attacker.id);
  const isOwn = (user: { id: string; email: string; role: string }) =>
    user.id === attacker.id && user.email === attacker.email && user.role === 'trainee';
  if (own && !isOwn(own)) found.push(`the attacker's account is ${own.role} ${own.email}`);
  if (own && own.passwordHash !== attacker.passwordHash) found.push("the attacker's password was replaced");
  if (own && (await models.Enrollment.count({ where: { userId: own.id } })) > 0) found.push('the attacker is enrolled');
  const identifiers = [
    ...[victim.email, victim.email.toUpperCase(), victim.phone, victim.phone.replaceAll(' ', '-')],
    ...[attacker.email, own?.phone ?? '-'],
  ];
  for (const route of ['login', 'trainee-login'])
    for (const identifier of identifiers) {
      const { status, body } = await api.post(`/api/auth/${route}`).send({ identifier, password: factoryPassword });
      if (status === 200 && !isOwn(body.user)) found.push(`${identifier} signs in ${body.user.role}`);
      // Any other status is neither a refusal nor a sign-in: the attack wasn't tried.
      if (status !== 200 && status !== 401) found.push(`${identifier} is answered ${status}`);
    }
  for (const bearer of [token, ...(own ? [await tokenFor(service.context, own)] : [])]) {
    const { status, body } = await api.get('/api/auth/me').set('Authorization', `Bearer ${bearer}`);
    if (status === 200 && !isOwn(body.user)) found.push(`a session is ${body.user.role} ${body.user.email}`);
  }
  return found;
}

/** Imports while the attacker has the victim's phone: options, rows, and expected codes of the rows. */
const imports: readonly [name: string, options: readonly string[] | object, rows: string[], wanted: Codes][] = [
  ['terminal, update', update, [victimRow], ['ACCOUNTS_DIFFER']],
  ['HTTP, update', { onExisting: 'update' }, [victimRow], ['ACCOUNTS_DIFFER']],
  ['terminal, update with new passwords', [...update, '--reset-passwords'], [victimRow], ['ACCOUNTS_DIFFER']],
  ['terminal, skip, with the course of the row', [], [traineeRow('Knots')], ['ACCOUNTS_DIFFER']],
  ['HTTP, skip, with a course for all', { course: 'Knots' }, [traineeRow('')], ['ACCOUNTS_DIFFER']],
  ['terminal, fail', ['--on-existing', 'fail'], [victimRow], ['ACCOUNTS_DIFFER']],
  [
    'email of the row in capitals, with spaces',
    update,
    [victimRow.replace(victim.email, ` ${victim.email.toUpperCase()} `)],
    ['ACCOUNTS_DIFFER'],
  ],
  ["the attacker's own row comes after, and frees the phone", update, [victimRow, ownRow], ['ACCOUNTS_DIFFER', null]],
  ["the attacker's own row comes first, and frees the phone", update, [ownRow, victimRow], [null, 'ACCOUNTS_DIFFER']],
];

/** Spellings of the phone in the attacker's profile and in the file. */
const spellings: readonly [name: string, phone: string | number, inFile?: string][] = [
  ['dashes and parentheses', '(+44)20-7946-0001'],
  ['a number', 442079460001, '442079460001'],
  ['full-width digits', '+４４ ２０ ７９４６ ０００１'],
  ['invisible marks', '+44\u200b 20\u00ad 7946\u2060 0001'],
  ['an apostrophe in the file', victim.phone, `'${victim.phone}`],
];

/** Commands that name the victim, who has no account yet, while the attacker's phone equals the name. */
const commands: readonly [reference: string, argv: (reference: string, courseId: string) => string[]][] = [
  [victim.email, (reference) => ['users', 'edit', reference, '--role', 'trainer']],
  [victim.email, (reference) => ['users', 'reset-password', reference]],
  [gone, (reference) => ['users', 'edit', reference, '--role', 'trainer']],
  [victim.email.replace('@', '＠'), (reference, courseId) => ['enrollments', 'assign', courseId, reference]],
];

/**
 * A way to take over an account.
 * @returns unexpected behaviour, even without a gain for the attacker
 */
type Attack = (scene: Scene) => Promise<string | undefined>;

const sameCodes = (found: Codes, wanted: Codes) =>
  JSON.stringify(found) === JSON.stringify(wanted) ? undefined : `codes ${JSON.stringify(found)}`;

const attacks: Readonly<Record<string, Attack>> = {
  ...Object.fromEntries(
    imports.map(([name, options, rows, wanted]): [string, Attack] => [
      name,
      async ({ claimPhone, importRows }) => {
        await claimPhone(victim.phone);
        return sameCodes((await importRows(rows, options)).codes, wanted);
      },
    ]),
  ),
  ...Object.fromEntries(
    spellings.map(([name, phone, inFile = victim.phone]): [string, Attack] => [
      `phone in another spelling: ${name}`,
      async ({ claimPhone, importRows }) => {
        if (!(await claimPhone(phone))) return undefined;
        const { codes } = await importRows([victimRow.replace(victim.phone, inFile)], update);
        // With another key it is another phone, and the victim gets their own account.
        return codes[0] === 'ACCOUNTS_DIFFER' || codes[0] === null ? undefined : `code ${codes[0]}`;
      },
    ]),
  ),
  ...Object.fromEntries(
    commands.map(([reference, argvOf], index): [string, Attack] => [
      `terminal: command ${index} for ${reference}, which is a phone`,
      async ({ claimPhone, cli, courseId }) => {
        if (!(await claimPhone(reference))) return undefined;
        const { exitCode, stdout } = await cli(...argvOf(reference, courseId));
        return exitCode === 1 && stdout === '' ? undefined : `exit ${exitCode}: ${stdout}`;
      },
    ]),
  ),
  async 'undo gives the phone back after the victim has an account with it'({ claimPhone, importRows, cli }) {
    await claimPhone(victim.phone);
    const { id } = await importRows([ownRow], update);
    const second = await importRows([victimRow], update);
    const { stdout } = await cli('imports', 'undo', id, '--yes', '--json');
    const kept = (JSON.parse(stdout) as { undo: { kept: { code: string }[] } }).undo.kept.map(({ code }) => code);
    return sameCodes(second.codes, [null]) ?? sameCodes(kept, ['KEY_TAKEN']);
  },
  async 'undo removes the victim, the attacker takes the phone, the import is repeated'(scene) {
    const { claimPhone, importRows, cli } = scene;
    const { id } = await importRows([victimRow], update);
    await cli('imports', 'undo', id, '--yes');
    await claimPhone(victim.phone);
    return sameCodes((await importRows([victimRow], update)).codes, ['ACCOUNTS_DIFFER']);
  },
  async 'the phone is taken between plan and application'({ service: { context, folder }, claimPhone }) {
    const file = path.join(folder, 'planned.csv');
    writeFileSync(file, csvOf([victimRow]));
    const { signal } = new AbortController();
    const plan = await planImport(context, { file, options: { onExisting: 'update' }, signal });
    await claimPhone(victim.phone);
    const options = { signal };
    const { counts } = await applyImport(context, operator, plan, options);
    return counts.rejected === 1 && counts.updated === 0 ? undefined : JSON.stringify(counts);
  },
  async 'HTTP: signing in by a phone that is the email of a trainer, active or not'({ service, claimPhone }) {
    await claimPhone(victim.email);
    const trainer = { email: victim.email, role: 'trainer', password: 'of the owner' } as const;
    const owner = await buildUser(service.context, trainer);
    for (const isActive of [true, false]) {
      await owner.update({ isActive });
      for (const route of ['login', 'trainee-login']) {
        const call = request(service.server.url).post(`/api/auth/${route}`);
        const { body } = await call.send({ identifier: victim.email, password: factoryPassword });
        if (body.token !== undefined) return `signed in by ${route}`;
      }
    }
    return undefined;
  },
  async 'HTTP: registration of a person whose phone is taken'({ service, adminToken, claimPhone }) {
    await claimPhone(victim.phone);
    const call = request(service.server.url).post('/api/auth/register').set('Authorization', `Bearer ${adminToken}`);
    const { status } = await call.send({ ...victim, password: 'a good password', role: 'trainer' });
    return status === 400 ? undefined : `status ${status}`;
  },
};

/**
 * Checks that the test detects a takeover, with an import that the operator matches by phone. The sessions of the account
 * end, and the import can be undone.
 */
async function verifyDetection(service: Service): Promise<Verdict> {
  const giveAway = async () => {
    const scene = await setScene(service);
    await scene.claimPhone(victim.phone);
    const { id } = await scene.importRows([victimRow], [...update, '--match', 'phone']);
    return { scene, id };
  };
  const given = await giveAway();
  const userId = given.scene.attacker.id;
  const sessions = await service.context.database.models.Session.count({ where: { userId } });
  const signs = await findTakeovers(given.scene);
  // No login meanwhile: undo would keep the account.
  const again = await giveAway();
  await again.scene.cli('imports', 'undo', again.id, '--yes');
  const left = await findTakeovers(again.scene);
  return {
    promised:
      'the checks detect a takeover: with match phone the account is taken over, its sessions end, and undo reverts it',
    measured: `${signs.length} signs of a takeover, ${sessions} sessions, ${left.length} signs after undo`,
    kept: signs.length > 0 && sessions === 0 && left.length === 0,
  };
}

/** Tries to take over an account by its phone, which people set themselves. */
export async function run(): Promise<Verdict[]> {
  const stage = await openStage({ durable: false });
  const context = await stage.createContext(testEnvironment);
  const server = await startServer(context);
  try {
    const env = { ...testEnvironment, DATABASE_URL: stage.databaseUrl(), DATA_DIR: stage.folder };
    const service = { context, server, env, folder: stage.folder };
    const problems: string[] = [];
    for (const [name, play] of Object.entries(attacks)) {
      const scene = await setScene(service);
      const odd = await play(scene);
      const found = [...(odd === undefined ? [] : [odd]), ...(await findTakeovers(scene))];
      problems.push(...found.map((what) => `${name}: ${what}`));
    }
    const tried = Object.keys(attacks).length;
    return [
      {
        promised:
          'no account gets the name, email, role, enrollment or login of another by entering its phone in the profile',
        measured: `${tried} ways over HTTP and at the terminal${problems.map((problem) => `; ${problem}`).join('')}`,
        kept: problems.length === 0 && tried >= 20,
      },
      await verifyDetection(service),
    ];
  } finally {
    await server.close();
    await stage.close();
  }
}
