import { type Config, envFile } from '../../../config/config.js';
import { secretWeakness } from '../../../config/cross-checks.js';
import { databaseUrlForDisplay } from '../../../config/database-url.js';
import type { Context } from '../../../context.js';
import { isAppError } from '../../../errors.js';
import { phoneState } from '../../../services/accounts/rekey-phones.js';
import { setupStatus } from '../../../services/accounts/setup.js';
import { lockedAddresses } from '../../../services/auth/throttle-locks.js';
import { untrustedProxies } from '../../../services/auth/untrusted-proxy.js';
import { assertNoUnfinishedRestore } from '../../../services/maintenance/backup/places.js';
import { demoStaff } from '../../../services/maintenance/demo.js';
import { exitCodes } from '../../core/exit-codes.js';
import { wrapHanging } from '../../core/fit.js';
import { counted, withCommandLines } from '../../core/output.js';
import { printable } from '../../core/printable.js';
import type { Result, Run } from '../../core/run.js';
import { databaseFile, type Finding, isMissing, settingsFile, writeAccess } from './files.js';
import { growth } from './growth.js';

interface Check extends Finding {
  name: string;
}

/** How far the database's clock may be off before tokens and leases suffer, in milliseconds. */
const tolerableSkewMs = 5000;

/** Runs one check; a failure the program knows is a finding, with its own remedy in its message. */
async function check(name: string, find: () => Promise<Finding>): Promise<Check> {
  try {
    return { name, ...(await find()) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { name, status: 'failed', detail: error.message };
  }
}

function signingSecret({ auth }: Config, production: boolean): Finding {
  if (auth.jwtSecret === undefined && production)
    return {
      status: 'failed',
      detail: 'JWT_SECRET is not set',
      remedy: 'Generate one with: openssl rand -base64 48. Set it in the environment or in .env.',
    };
  // The previous secret can be left out, but not replaced.
  const secrets = [
    ['JWT_SECRET', auth.jwtSecret, 'Generate one with: openssl rand -base64 48'],
    ['JWT_SECRET_PREVIOUS', auth.jwtSecretPrevious, 'Remove it: that ends the sessions that it has signed.'],
  ] as const;
  for (const [name, secret, remedy] of secrets) {
    const weakness = secret === undefined ? undefined : secretWeakness(secret);
    // In production the configuration itself is refused.
    if (weakness !== undefined)
      return { status: production ? 'failed' : 'warning', detail: `${name} ${weakness}`, remedy };
  }
  if (auth.jwtSecret === undefined) return { status: 'ok', detail: 'generated, kept in DATA_DIR (development)' };
  return {
    status: 'ok',
    detail: `JWT_SECRET is set${auth.jwtSecretPrevious === undefined ? '' : ', JWT_SECRET_PREVIOUS too (rotation)'}`,
  };
}

/** Whether session cookies get `Secure`. The service speaks plain HTTP: only a proxy that it trusts tells it of HTTPS. */
function sessionCookies({ http }: Config, production: boolean): Finding {
  if (http.trustProxy !== false) return { status: 'ok', detail: 'Secure in requests that came to the proxy by HTTPS' };
  const detail = 'Secure for loopback hosts only: without TRUST_PROXY all requests count as plain HTTP';
  if (!production) return { status: 'ok', detail };
  return {
    status: 'warning',
    detail,
    remedy: 'Run a proxy with TLS in front that sets X-Forwarded-Proto, and set TRUST_PROXY to its address.',
  };
}

function metrics({ http }: Config): Finding {
  if (http.metricsToken !== undefined) return { status: 'ok', detail: '/metrics asks for METRICS_TOKEN' };
  return {
    status: 'warning',
    detail: 'everybody who can reach the service can read /metrics',
    remedy: 'Set METRICS_TOKEN, or let the proxy refuse /metrics.',
  };
}

async function demoProgramme(context: Context): Promise<Finding> {
  const emails = await demoStaff(context);
  if (emails.length === 0) return { status: 'ok', detail: 'not loaded' };
  return {
    status: 'failed',
    detail: `loaded: its accounts, such as ${emails[0]}, have a public password`,
    remedy:
      'Remove it: coursectl seed demo --remove. Where somebody has worked with it, use a new database for real people.',
  };
}

async function fileStorage({ storage, config: { files } }: Context): Promise<Finding> {
  // The check of the data folder says whether it can be created; this one doesn't create it.
  if (files.storage.kind === 'local' && (await isMissing(files.storage.folder)))
    return { status: 'ok', detail: `${storage.location}, created with the first file` };
  await storage.check();
  return { status: 'ok', detail: `${storage.location} stores and returns files` };
}

async function schemaState({ schema }: Context): Promise<Finding> {
  const { executed, pending, unknown } = await schema.status();
  if (unknown.length > 0)
    return { status: 'failed', detail: `newer than this program: ${unknown.join(', ')}`, remedy: 'Update coursectl.' };
  if (pending.length > 0)
    return {
      status: 'failed',
      detail: `${counted(pending.length, 'migration')} pending`,
      remedy: 'Run: coursectl migrate up',
    };
  return { status: 'ok', detail: `up to date (${counted(executed.length, 'migration')})` };
}

async function clock({ schema }: Context): Promise<Finding> {
  const skew = Math.round(await schema.clockSkewMs());
  if (Math.abs(skew) <= tolerableSkewMs)
    return { status: 'ok', detail: `${new Date().toISOString()}, within ${tolerableSkewMs / 1000} s of the database` };
  return {
    status: 'warning',
    detail: `${skew} ms different from the clock of the database`,
    remedy: 'Synchronise the clocks of both machines (NTP).',
  };
}

async function superAdmin(context: Context): Promise<Finding> {
  const { setupRequired } = await setupStatus(context);
  return setupRequired
    ? { status: 'warning', detail: 'none yet', remedy: 'Run: coursectl setup' }
    : { status: 'ok', detail: 'exists' };
}

const rekeyCommand = (country: string | null) => `coursectl users rekey-phones --country ${country ?? 'none'}`;

/** Whether the keys of phones fit their country. */
async function phones(context: Context): Promise<Finding> {
  const { country, interrupted, misfits, accounts } = await phoneState(context);
  const chosen = country === null ? 'no country' : `country ${country}`;
  if (interrupted)
    return {
      status: 'warning',
      detail: `${chosen}; the change to ${interrupted.country ?? 'none'} was interrupted`,
      remedy: `Finish it: ${rekeyCommand(interrupted.country)}. Or keep what counts: ${rekeyCommand(country)}`,
    };
  if (misfits === 0) return { status: 'ok', detail: chosen };
  return {
    status: 'warning',
    detail: `${chosen}; ${misfits} of the latest ${counted(accounts, 'account')} have keys of another one: they can't sign in by phone`,
    remedy: `Run: ${rekeyCommand(country)}`,
  };
}

/** So many are named; the rest is counted. */
const namedAddresses = 5;

async function lockedOut(context: Context): Promise<Finding> {
  const locked = await lockedAddresses(context);
  if (locked.length === 0) return { status: 'ok', detail: 'none' };
  const named = locked
    .slice(0, namedAddresses)
    .map(({ address, lockedUntil }) => `${address} until ${lockedUntil.toISOString()}`);
  const more = locked.length > named.length ? [`${locked.length - named.length} more`] : [];
  return {
    status: 'warning',
    detail: `${[...named, ...more].join(', ')}: too many wrong passwords`,
    remedy: 'Run: coursectl users unlock --address <address>',
  };
}

async function trustedProxy(context: Context): Promise<Finding> {
  const met = await untrustedProxies(context);
  if (met.length === 0) return { status: 'ok', detail: 'no X-Forwarded-For from outside TRUST_PROXY in the last day' };
  return {
    status: 'warning',
    detail: `X-Forwarded-For came from ${met.slice(0, namedAddresses).join(', ')}, which TRUST_PROXY does not name`,
    remedy: 'If that is your proxy, set TRUST_PROXY to its address: until then all its clients count as one.',
  };
}

async function connected({ schema, config }: Context): Promise<Finding> {
  const { database } = config;
  const where = databaseUrlForDisplay(database);
  await assertNoUnfinishedRestore(config);
  // Connecting would make the file.
  if (database.dialect === 'sqlite' && (await isMissing(database.file)))
    return { status: 'failed', detail: `no database at ${where} yet`, remedy: 'Run: coursectl setup' };
  return { status: 'ok', detail: `${await schema.serverVersion()} at ${where}` };
}

/** Whether the database accepts changes: without them nobody can sign in. */
async function databaseWrites({ schema }: Context): Promise<Finding> {
  try {
    await schema.assertWritable();
    return { status: 'ok', detail: 'accepted' };
  } catch (error) {
    // An import or a backup may write for that long.
    if (isAppError(error, 'OVERLOADED')) return { status: 'warning', detail: error.message };
    throw error;
  }
}

async function databaseChecks(context: Context, production: boolean): Promise<Check[]> {
  const { schema, config, hasher } = context;
  const connection = await check('connection', () => connected(context));
  if (connection.status === 'failed') return [connection];
  const settings = await check('server settings', async () => {
    const problems = await schema.serverProblems();
    return problems.length === 0
      ? { status: 'ok', detail: 'suitable' }
      : {
          status: 'warning',
          detail: problems.map(({ problem }) => problem).join('; '),
          remedy: problems.map(({ remedy }) => remedy).join(' '),
        };
  });
  const state = await check('schema', () => schemaState(context));
  const contents =
    state.status === 'ok'
      ? [
          await check('database writes', () => databaseWrites(context)),
          await check('super admin', () => superAdmin(context)),
          await check('growing tables', () => growth(context)),
          await check('phones', () => phones(context)),
          await check('locked addresses', () => lockedOut(context)),
          await check('proxy', () => trustedProxy(context)),
          ...(production ? [await check('demo programme', () => demoProgramme(context))] : []),
        ]
      : [];
  const hashing: Check = {
    name: 'password hashing',
    status: 'ok',
    detail:
      hasher.implementation === 'native'
        ? `native, cost ${config.auth.bcryptCost}`
        : `bcryptjs in worker threads (slower: no native build for this machine), cost ${config.auth.bcryptCost}`,
  };
  return [connection, settings, state, ...contents, await check('clock', () => clock(context)), hashing];
}

/**
 * Looks at everything that a service needs, and says of each what to do if it is wrong.
 * @param forProduction checks as if NODE_ENV were production
 */
export async function doctor(run: Run, forProduction: boolean): Promise<Result> {
  // Production refuses settings of which the checks below say more: those of this environment must be valid.
  const configuration = await check('configuration', async () => ({
    status: 'ok',
    detail: `valid (${(await run.config()).environment})`,
  }));
  const checks = [configuration];
  if (configuration.status === 'ok') {
    const context = await run.context();
    const production = forProduction || context.config.environment === 'production';
    checks.push(await check('settings file', () => settingsFile(envFile(run.io))));
    checks.push(await check('signing secret', async () => signingSecret(context.config, production)));
    checks.push(await check('session cookies', async () => sessionCookies(context.config, production)));
    if (production) checks.push(await check('metrics', async () => metrics(context.config)));
    checks.push(await check('data folder', () => writeAccess(context.config)));
    const { database } = context.config;
    if (database.dialect === 'sqlite') checks.push(await check('database file', () => databaseFile(database)));
    checks.push(await check('file storage', () => fileStorage(context)));
    checks.push(...(await databaseChecks(context, production)));
  }
  const healthy = checks.every(({ status }) => status !== 'failed');
  const marks = {
    ok: run.paint.green('ok     '),
    warning: run.paint.yellow('warning'),
    failed: run.paint.red('FAILED '),
  };
  const shown = checks.map(({ detail, remedy, ...one }) => ({
    ...one,
    detail: withCommandLines(run.io, detail),
    ...(remedy !== undefined && { remedy: withCommandLines(run.io, remedy) }),
  }));
  const lines = shown.flatMap(({ name, status, detail, remedy }) => {
    const text = printable(`${detail}${remedy === undefined ? '' : ` -> ${remedy}`}`);
    return wrapHanging(`${marks[status]}  ${name}: ${text}`, run.display.width);
  });
  return {
    json: { healthy, checks: shown },
    text: lines.join('\n'),
    painted: true,
    exitCode: healthy ? exitCodes.ok : exitCodes.failure,
  };
}
