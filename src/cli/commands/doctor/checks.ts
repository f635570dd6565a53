import { type Config, envFile } from '../../../config/config.js';
import { secretWeakness } from '../../../config/cross-checks.js';
import { databaseUrlForDisplay } from '../../../config/database-url.js';
import { settingWarnings } from '../../../config/setting-warnings.js';
import { isAppError } from '../../../errors.js';
import { phoneState } from '../../../services/accounts/rekey-phones.js';
import { setupStatus } from '../../../services/accounts/setup.js';
import { lockedAddresses } from '../../../services/auth/throttle-locks.js';
import { untrustedProxies } from '../../../services/auth/untrusted-proxy.js';
import type { Context } from '../../../services/context.js';
import { timeZoneOf, today } from '../../../services/dates.js';
import { isMailSetUp } from '../../../services/mail/outbox.js';
import { mailTrouble } from '../../../services/mail/queries.js';
import { isSenderRunning, transportOf } from '../../../services/mail/sender.js';
import { assertNoUnfinishedRestore } from '../../../services/maintenance/backup/database-file.js';
import { clockSkewMs } from '../../../services/maintenance/clock.js';
import { demoGuests } from '../../../services/maintenance/demo.js';
import { growthOf } from '../../../services/maintenance/retention.js';
import type { Result, Run } from '../../core/command/run.js';
import { counted, type Io } from '../../core/output/output.js';
import { runningService } from '../../core/running-service.js';
import { startChecks } from '../serve/start-checks.js';
import { databaseFile, type Finding, failed, isMissing, ok, settingsFile, warning, writeAccess } from './files.js';
import { type Check, report } from './report.js';
import { signIn, signInAddresses } from './sign-in.js';

/** Accepted difference to the clock of the database. A larger one disturbs tokens and leases. */
const tolerableSkewMs = 5000;

/** Runs one check. An AppError becomes a finding; its message contains the remedy. */
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
    return failed(
      'JWT_SECRET is not set',
      'Generate one with: openssl rand -base64 48. Set it in the environment or in .env.',
    );
  // The previous secret can only be removed, not replaced.
  const secrets = [
    ['JWT_SECRET', auth.jwtSecret, 'Generate one with: openssl rand -base64 48'],
    ['JWT_SECRET_PREVIOUS', auth.jwtSecretPrevious, 'Remove it. This ends the sessions that it has signed.'],
  ] as const;
  for (const [name, secret, remedy] of secrets) {
    const weakness = secret === undefined ? undefined : secretWeakness(secret);
    // Production refuses such a configuration.
    if (weakness !== undefined)
      return { status: production ? 'failed' : 'warning', detail: `${name} ${weakness}`, remedy };
  }
  if (auth.jwtSecret === undefined) return ok('generated, kept in DATA_DIR (development)');
  return ok(`JWT_SECRET is set${auth.jwtSecretPrevious === undefined ? '' : ', JWT_SECRET_PREVIOUS too (rotation)'}`);
}

/**
 * Checks whether session cookies are `Secure`. The service itself speaks plain HTTP, and learns about HTTPS only from a
 * trusted proxy.
 */
function sessionCookies({ http }: Config, production: boolean): Finding {
  if (http.trustProxy !== false) return ok('Secure in requests that came to the proxy by HTTPS');
  const detail = 'Secure for loopback hosts only: without TRUST_PROXY all requests count as plain HTTP';
  if (!production) return ok(detail);
  return warning(
    detail,
    'Run a proxy with TLS in front that sets X-Forwarded-Proto, and set TRUST_PROXY to its address.',
  );
}

function metrics({ http }: Config): Finding {
  if (http.metricsToken !== undefined) return ok('/metrics asks for METRICS_TOKEN');
  return warning(
    'everybody who can reach the service can read /metrics',
    'Set METRICS_TOKEN, or let the proxy refuse /metrics.',
  );
}

/** Checks the time zone, which decides when courses end. */
function programmeDay(context: Context, production: boolean): Finding {
  const detail = `${timeZoneOf(context)}, today is ${today(context)}`;
  return production && context.config.programme.timeZone === undefined
    ? warning(
        `TIME_ZONE is not set: days begin and end in the machine's zone, ${detail}`,
        'Set TIME_ZONE, such as Europe/Berlin: containers have UTC.',
      )
    : ok(detail);
}

const mailSettings = ['SMTP_URL', 'MAIL_FROM', 'PUBLIC_URL'] as const;

async function mailServer(context: Context): Promise<Finding> {
  const { server, from, publicUrl } = context.config.mail;
  if (!server) {
    const values = [undefined, from, publicUrl];
    return ok(`off: without ${mailSettings.filter((_, index) => values[index] === undefined).join(', ')}`);
  }
  const transport = transportOf(context);
  await transport.verify().finally(() => transport.close());
  return ok(`${server.host}:${server.port} can be used${server.user === undefined ? ', without a user' : ''}`);
}

async function mails(context: Context): Promise<Finding> {
  const trouble = await mailTrouble(context);
  const isSent = (await isSenderRunning(context)) ? 'sent by the service' : 'no service runs that sends them';
  if (trouble === null) return ok(isSent);
  const { pausedBy, refused, refusedBy, addressUnknown } = trouble;
  if (pausedBy !== null)
    return warning(
      `no mail is sent: ${pausedBy}`,
      'The service tries again by itself; restart it after a change of the settings.',
    );
  if (refused > 0)
    return warning(
      `${counted(refused, 'mail')} failed in the last three days, the last one because: ${refusedBy}`,
      'Run: coursectl mail list --state failed. Send them again with: coursectl mail retry --state failed',
    );
  return warning(
    `${counted(addressUnknown, 'mail')} failed in the last three days: the address doesn't exist`,
    'Run: coursectl mail list --state failed --address-unknown. Correct addresses with: coursectl users edit <email> --email <correct email>',
  );
}

async function demoProgramme(context: Context): Promise<Finding> {
  const emails = await demoGuests(context);
  if (emails.length === 0) return ok('not loaded');
  return failed(
    `loaded: its accounts, such as ${emails[0]}, have a public password`,
    'Remove it: coursectl seed demo --remove. If somebody has worked with it, use a new database for real people.',
  );
}

async function fileStorage({ storage, config: { files } }: Context): Promise<Finding> {
  // Doesn't create the folder: the check of the data folder shows whether it can be created.
  if (files.storage.kind === 'local' && (await isMissing(files.storage.folder)))
    return ok(`${storage.location}, created with the first file`);
  await storage.check();
  return ok(`${storage.location} stores and returns files`);
}

async function schemaState({ schema }: Context): Promise<Finding> {
  const { executed, pending, unknown } = await schema.status();
  if (unknown.length > 0) return failed(`newer than this program: ${unknown.join(', ')}`, 'Update coursectl.');
  if (pending.length > 0) return failed(`${counted(pending.length, 'migration')} pending`, 'Run: coursectl migrate up');
  return ok(`up to date (${counted(executed.length, 'migration')})`);
}

async function clock(context: Context): Promise<Finding> {
  const skew = Math.round(await clockSkewMs(context));
  if (Math.abs(skew) <= tolerableSkewMs)
    return ok(`${new Date().toISOString()}, within ${tolerableSkewMs / 1000} s of the database`);
  return warning(
    `${skew} ms different from the clock of the database`,
    'Synchronise the clocks of both machines (NTP).',
  );
}

async function superAdmin(context: Context): Promise<Finding> {
  const { setupRequired } = await setupStatus(context);
  return setupRequired ? warning('none yet', 'Run: coursectl setup') : ok('exists');
}

/** Checks whether the keys of phones match the chosen country. */
async function phones(context: Context): Promise<Finding> {
  const { country, misfits, accounts } = await phoneState(context);
  const chosen = country === null ? 'no country' : `country ${country}`;
  if (misfits === 0) return ok(chosen);
  return warning(
    `${chosen}; ${misfits} of the latest ${counted(accounts, 'account')} have keys of another country: they can't sign in by phone`,
    `Run: coursectl users rekey-phones --country ${country ?? 'none'}`,
  );
}

/** Maximum number of listed addresses; further locked addresses are counted. */
const namedAddresses = 5;

async function lockedOut(context: Context): Promise<Finding> {
  const locked = await lockedAddresses(context);
  if (locked.length === 0) return ok('none');
  const named = locked
    .slice(0, namedAddresses)
    .map(({ address, lockedUntil }) => `${address} until ${lockedUntil.toISOString()}`);
  const more = locked.length > named.length ? [`${locked.length - named.length} more`] : [];
  return warning(
    `${[...named, ...more].join(', ')}: too many wrong passwords`,
    'Run: coursectl users unlock --address <address>',
  );
}

async function trustedProxy(context: Context): Promise<Finding> {
  const met = await untrustedProxies(context);
  if (met.length === 0) return ok('no X-Forwarded-For from outside TRUST_PROXY in the last day');
  return warning(
    `X-Forwarded-For came from ${met.slice(0, namedAddresses).join(', ')}, which TRUST_PROXY does not name`,
    'If that is your proxy, set TRUST_PROXY to its address: until then all its clients count as one.',
  );
}

const megabyte = 1_000_000;

const sizeText = (bytes: number) =>
  bytes < megabyte ? 'under 1 MB' : `${Math.round(bytes / megabyte).toLocaleString('en')} MB`;

const dayOf = (moment: Date) => moment.toISOString().slice(0, 10);

/** Reports approximate sizes of growing tables, and the retention of their rows. The status is always `ok`. */
async function growth(context: Context): Promise<Finding> {
  const { tables, oldestAudit, oldestLedger } = await growthOf(context);
  const sizes = tables.map(
    ({ name, rows, bytes }) => `${name} about ${rows.toLocaleString('en')} rows (${sizeText(bytes)})`,
  );
  const { auditDays, importDays } = context.config.retention;
  const oldest = [
    ...(oldestAudit === null ? [] : [`oldest audit entry of ${dayOf(oldestAudit)}`]),
    ...(oldestLedger === null ? [] : [`oldest import with rows of ${dayOf(oldestLedger)}`]),
  ];
  const retention = [
    auditDays === undefined
      ? 'AUDIT_RETENTION_DAYS is not set: audit entries stay'
      : `AUDIT_RETENTION_DAYS is ${auditDays}`,
    importDays === undefined
      ? 'IMPORT_RETENTION_DAYS is not set: rows of imports stay'
      : `IMPORT_RETENTION_DAYS is ${importDays}`,
  ];
  return ok([...sizes, ...oldest, ...retention].join('; '));
}

async function connected({ schema, config }: Context): Promise<Finding> {
  const { database } = config;
  const where = databaseUrlForDisplay(database);
  await assertNoUnfinishedRestore(config);
  // Connecting would create the file.
  if (database.dialect === 'sqlite' && (await isMissing(database.file)))
    return failed(`no database at ${where} yet`, 'Run: coursectl setup');
  return ok(`${await schema.serverVersion()} at ${where}`);
}

/** Checks that the database accepts writes, which every login needs. */
async function databaseWrites({ schema }: Context): Promise<Finding> {
  try {
    await schema.assertWritable();
    return ok('accepted');
  } catch (error) {
    // Only a warning: a running import or backup may have locked writes.
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
    if (problems.length === 0) return ok('suitable');
    return warning(problems.map(({ problem }) => problem).join('; '), problems.map(({ remedy }) => remedy).join(' '));
  });
  const state = await check('schema', () => schemaState(context));
  const checks = [connection, settings, state];
  const contents: (readonly [name: string, find: (context: Context) => Promise<Finding>])[] = [
    ['database writes', databaseWrites],
    ['super admin', superAdmin],
    ['growing tables', growth],
    ['phones', phones],
    ['locked addresses', lockedOut],
    ['proxy', trustedProxy],
    ...(isMailSetUp(context) ? [['mails', mails] as const] : []),
    ...(production ? [['demo programme', demoProgramme] as const] : []),
  ];
  if (state.status === 'ok') for (const [name, find] of contents) checks.push(await check(name, () => find(context)));
  const kind =
    hasher.implementation === 'native'
      ? 'native'
      : 'bcryptjs in worker threads (slower: no native build for this machine)';
  checks.push(await check('clock', () => clock(context)));
  checks.push({ name: 'password hashing', ...ok(`${kind}, cost ${config.auth.bcryptCost}`) });
  return checks;
}

function misspelt(io: Io): Finding {
  const warnings = settingWarnings(io);
  if (warnings.length === 0) return ok('none is misspelt');
  return failed(warnings.join(' '), 'Correct or remove them: they have no effect.');
}

async function checksOfStart(context: Context, production: boolean): Promise<Check[]> {
  const url = await runningService(context.config);
  const findings: Readonly<Record<string, () => Finding | Promise<Finding>>> = {
    'signing secret': () => signingSecret(context.config, production),
    'file storage': () => fileStorage(context),
  };
  const checks: Check[] = [];
  for (const [name, start] of Object.entries(startChecks)) {
    const find = async () => {
      // A running service occupies the port.
      if (name === 'address' && url !== undefined) return ok(`a coursectl service is running at ${url}`);
      const detail = await start(context);
      return findings[name]?.() ?? ok(detail);
    };
    checks.push(await check(name, find));
  }
  return checks;
}

/**
 * Checks everything that a service needs, and reports a remedy for each problem.
 * @param forProduction checks as if NODE_ENV were production
 */
export async function doctor(run: Run, forProduction: boolean): Promise<Result> {
  const settings = await check('settings', async () => misspelt(run.io));
  // Checks the settings of the current environment only. Settings that production refuses appear in the checks below, in
  // more detail.
  const configuration = await check('configuration', async () => ok(`valid (${(await run.config()).environment})`));
  const checks = [configuration, settings];
  if (configuration.status === 'ok') {
    const context = await run.context();
    const production = forProduction || context.config.environment === 'production';
    checks.push(await check('settings file', () => settingsFile(envFile(run.io))));
    checks.push(await check('session cookies', async () => sessionCookies(context.config, production)));
    if (production) checks.push(await check('metrics', async () => metrics(context.config)));
    checks.push(await check('data folder', () => writeAccess(context.config)));
    const { database } = context.config;
    if (database.dialect === 'sqlite') checks.push(await check('database file', () => databaseFile(database)));
    checks.push(...(await checksOfStart(context, production)));
    checks.push(await check('time zone', async () => programmeDay(context, production)));
    checks.push(await check('mail server', () => mailServer(context)));
    checks.push(await check('sign-in', () => signIn(context)));
    if (context.config.oidc.issuer !== undefined)
      checks.push(await check('sign-in addresses', async () => signInAddresses(context)));
    checks.push(...(await databaseChecks(context, production)));
  }
  return report(run, checks);
}
