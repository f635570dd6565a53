import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Config, loadConfig, type MysqlConfig, type S3Config } from '../../src/config/config.js';
import { settingNames } from '../../src/config/settings.js';
import { describeSettings } from '../../src/config/show.js';
import { failureOf } from '../db/support/failure.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Folder without a `.env`, so that only the environment counts. */
const folder = temporaryFolder();
after(() => folder.remove());

const load = (env: Record<string, string> = {}) => loadConfig({ env, cwd: folder.path });
const problemsWith = async (env: Record<string, string>) =>
  (await failureOf(() => load(env))).details.map(({ path, message }) => ({ path, message }));

const inFolder = (name: string) => path.join(folder.path, name);
const http = (key: keyof Config['http']) => (config: Config) => config.http[key];
const auth = (key: keyof Config['auth']) => (config: Config) => config.auth[key];
const imports = (key: keyof Config['imports']) => (config: Config) => config.imports[key];
const server = (key: keyof MysqlConfig) => (config: Config) => (config.database as MysqlConfig)[key];
const files = (key: keyof Config['files']) => (config: Config) => config.files[key];
const storage = (key: keyof S3Config) => (config: Config) => (config.files.storage as S3Config)[key];
const bucket = { S3_BUCKET: 'courses' };
const s3 = { ...bucket, FILE_STORAGE: 's3' };
const mysql = { DB_NAME: 'courses', DB_USER: 'app' };
const oidc = {
  OIDC_ISSUER: 'https://login.example.org',
  OIDC_CLIENT_ID: 'courses',
  OIDC_CLIENT_SECRET: 'secret',
  OIDC_NAME: 'Example Org',
  PUBLIC_URL: 'https://courses.example.org',
};
const without = (name: keyof typeof oidc) => {
  const { [name]: _, ...others } = oidc;
  return others;
};
const refused = 'refused without it';
const goodSecret = 'k9Rf2LmQ8zXw4VtB7nYc1HsD5gJp3TuA';

interface SettingCase {
  /** Other settings that the setting requires. */
  beside?: Record<string, string>;
  read(config: Config): unknown;
  unset: unknown;
  /** Expected value of each valid text. */
  valid: Readonly<Record<string, unknown>>;
  invalid?: readonly string[];
  mustBe?: string;
}

const number = (read: SettingCase['read'], unset: number | undefined, least: number, most: number): SettingCase => ({
  read,
  unset,
  valid: { [least]: least, [most]: most },
  invalid: [`${least - 1}`, `${most + 1}`, `${least}.5`, 'many', `${least}k`],
  mustBe: `must be a whole number from ${least} to ${most}.`,
});
const switched = (read: SettingCase['read'], unset: boolean): SettingCase => ({
  read,
  unset,
  valid: { on: true, off: false },
  invalid: ['true', 'ON'],
  mustBe: 'must be on or off.',
});
/** Returns the case of a setting that accepts any text. */
const text = (read: SettingCase['read'], beside: Record<string, string> = {}, unset?: string): SettingCase => ({
  beside,
  read,
  unset,
  valid: { ' a%b"c\\d ': ' a%b"c\\d ' },
});

const mailbox = (read: SettingCase['read']): SettingCase => ({
  read,
  unset: undefined,
  valid: {
    'me@example.org': { name: '', address: 'me@example.org' },
    'Skills, 2027 <me@example.org>': { name: 'Skills, 2027', address: 'me@example.org' },
  },
  invalid: ['me', 'me@', 'a@example.org, b@example.org', 'a@example.org,b', 'Me <a@example.org> x'],
  mustBe: 'must be an email address, such as training@example.org or Training <training@example.org>.',
});

const settings: Readonly<Record<string, SettingCase>> = {
  NODE_ENV: {
    beside: { JWT_SECRET: goodSecret },
    read: (config) => config.environment,
    unset: 'development',
    valid: { development: 'development', production: 'production', test: 'test' },
    invalid: ['prod', 'Production'],
    mustBe: 'must be development, production or test.',
  },
  DATA_DIR: {
    read: (config) => config.dataDir,
    unset: inFolder('data'),
    valid: { files: inFolder('files'), '/var/lib/coursectl': '/var/lib/coursectl' },
  },
  DB_HOST: {
    beside: mysql,
    read: server('host'),
    unset: '127.0.0.1',
    valid: { 'db.example.org': 'db.example.org', localhost: 'localhost', '::1': '::1', course_db: 'course_db' },
    invalid: ['no host', 'http://db'],
    mustBe: 'must be a host name or an address.',
  },
  DB_PORT: { ...number(server('port'), 3306, 1, 65_535), beside: mysql },
  DB_PASSWORD: text(server('password'), mysql, ''),
  DB_TLS: {
    beside: { ...mysql, DB_HOST: 'db' },
    read: server('tls'),
    unset: 'off',
    valid: { off: 'off', required: 'required', 'no-verify': 'no-verify' },
    invalid: ['on', 'true'],
    mustBe: 'must be off, required or no-verify.',
  },
  DB_TLS_CA_FILE: {
    beside: { ...mysql, DB_HOST: 'db', DB_TLS: 'required' },
    read: server('tlsCaFile'),
    unset: undefined,
    valid: { 'ca.pem': inFolder('ca.pem'), '/etc/ca.pem': '/etc/ca.pem' },
  },
  DB_POOL_MAX: { ...number(server('poolMax'), 10, 1, 500), beside: mysql },
  DB_POOL_ACQUIRE_MS: { ...number(server('poolAcquireMs'), 3000, 100, 60_000), beside: mysql },
  HOST: {
    read: http('host'),
    unset: '127.0.0.1',
    valid: { '0.0.0.0': '0.0.0.0', '::': '::', localhost: 'localhost' },
    invalid: ['0.0.0.0:3000', 'a b'],
    mustBe: 'must be a host name or an address to listen on, such as 127.0.0.1 or 0.0.0.0.',
  },
  PORT: number(http('port'), 3000, 0, 65_535),
  MAX_REQUESTS_IN_FLIGHT: number(http('maxInFlight'), 20, 1, 10_000),
  MAX_CONNECTIONS_PER_ADDRESS: number(http('connectionsPerAddress'), 2000, 10, 5000),
  MIN_BODY_RATE: number(http('minBodyRate'), 500, 1, 1_000_000),
  DRAIN_DELAY_MS: number(http('drainDelayMs'), 0, 0, 20_000),
  JWT_SECRET: text(auth('jwtSecret')),
  JWT_SECRET_PREVIOUS: text(auth('jwtSecretPrevious')),
  MAX_SESSIONS: number(auth('maxSessions'), 50, 1, 10_000),
  JWT_EXPIRES_IN: {
    read: auth('tokenLifetimeSeconds'),
    unset: 7 * 86_400,
    valid: { '12h': 43_200, '3600': 3600, '90 minutes': 5400, '1.5h': 5400, '1s': 1, '366d': 31_622_400 },
    invalid: ['0', '999ms', '367d', '-1d', 'soon', '5 elephants', '7d 12h', `5${'d'.repeat(200)}`],
    mustBe: 'must be a time from 1s to 366d, such as 7d, 12h or 3600 (seconds).',
  },
  ALLOWED_ORIGINS: {
    read: http('allowedOrigins'),
    unset: [],
    valid: {
      'https://app.example.org, http://localhost:5173/': ['https://app.example.org', 'http://localhost:5173'],
      'https://App.Example.org,': ['https://app.example.org'],
    },
    invalid: ['*', 'app.example.org', 'https://example.org/app', 'null', 'https://user:pass@example.org'],
    mustBe: 'must be a comma-separated list of origins, such as https://app.example.org,http://localhost:5173.',
  },
  BCRYPT_COST: number(auth('bcryptCost'), 12, 10, 15),
  PASSWORD_MIN_LENGTH: number(auth('passwordMinLength'), 6, 6, 64),
  PASSWORD_BLOCKLIST: switched(auth('passwordBlocklist'), false),
  PASSWORD_LOGIN: { ...switched(auth('passwordLogin'), true), beside: oidc },
  OIDC_ISSUER: {
    beside: without('OIDC_ISSUER'),
    read: (config) => config.oidc.issuer,
    unset: refused,
    valid: {
      'https://login.example.org/realms/staff': 'https://login.example.org/realms/staff',
      'https://login.example.org/': 'https://login.example.org/',
      'http://localhost:8080': 'http://localhost:8080',
    },
    invalid: [
      'login.example.org',
      'http://login.example.org',
      'https://me@login.example.org',
      'https://login.example.org/?a=b',
      'https://login.example.org/.well-known/openid-configuration',
    ],
    mustBe:
      'must be the address of the issuer as its tokens give it, such as https://login.example.org/realms/staff: with https://, and without a user name, ?, # or /.well-known/openid-configuration; http:// only for localhost.',
  },
  OIDC_CLIENT_ID: text((config) => config.oidc.clientId, without('OIDC_CLIENT_ID'), refused),
  OIDC_CLIENT_SECRET: text((config) => config.oidc.clientSecret, without('OIDC_CLIENT_SECRET'), refused),
  OIDC_NAME: {
    beside: without('OIDC_NAME'),
    read: (config) => config.oidc.name,
    unset: refused,
    valid: { 'Example Org': 'Example Org' },
    invalid: ['a\nb', 'x'.repeat(61)],
    mustBe: 'must be 1 to 60 characters of text.',
  },
  OIDC_DOMAINS: {
    beside: oidc,
    read: (config) => config.oidc.domains,
    unset: [],
    valid: { 'Example.org, staff.example.org,': ['example.org', 'staff.example.org'] },
    invalid: ['example', '@example.org', '*.example.org', 'ada@example.org'],
    mustBe: 'must be a comma-separated list of domains of emails, such as example.org,staff.example.org.',
  },
  OIDC_EMAIL_VERIFIED: {
    beside: oidc,
    read: (config) => config.oidc.emailVerified,
    unset: 'claim',
    valid: { claim: 'claim', trusted: 'trusted' },
    invalid: ['true', 'always'],
    mustBe: 'must be claim or trusted.',
  },
  OIDC_CREATE: {
    beside: { ...oidc, OIDC_DOMAINS: 'example.org' },
    read: (config) => config.oidc.create,
    unset: 'off',
    valid: { off: 'off', trainee: 'trainee' },
    invalid: ['on', 'trainer'],
    mustBe: 'must be off or trainee.',
  },
  INITIAL_PASSWORD_DAYS: number(auth('initialPasswordDays'), 30, 1, 366),
  IMPORT_CONCURRENCY: number(imports('concurrency'), 1, 1, 16),
  IMPORT_BATCH_ROWS: number(imports('batchRows'), 2000, 1, 10_000),
  IMPORT_FIELD_MAX_BYTES: number(imports('fieldBytes'), 65_536, 256, 16_777_216),
  IMPORT_RECORD_MAX_BYTES: number(imports('recordBytes'), 1_048_576, 1024, 67_108_864),
  IMPORT_MAX_COLUMNS: number(imports('columns'), 256, 4, 16_384),
  IMPORT_UPLOAD_MAX_BYTES: number(imports('uploadBytes'), 52_428_800, 1024, 1_073_741_824),
  IMPORT_UPLOAD_MAX_ROWS: number(imports('uploadRows'), 200_000, 1, 10_000_000),
  IMPORT_PLAN_HOURS: number(imports('planHours'), 24, 1, 8760),
  IMPORT_MAX_PLANS: number(imports('plansPerAccount'), 20, 1, 1000),
  AUDIT_RETENTION_DAYS: number((config) => config.retention.auditDays, undefined, 1, 36_500),
  IMPORT_RETENTION_DAYS: number((config) => config.retention.importDays, undefined, 1, 36_500),
  TIME_ZONE: {
    read: (config) => config.programme.timeZone,
    unset: undefined,
    valid: { 'Europe/Berlin': 'Europe/Berlin', UTC: 'UTC' },
    invalid: ['Berlin', 'Europe/Nowhere', '../etc'],
    mustBe: 'must be the name of a time zone, such as Europe/Berlin or UTC.',
  },
  PUBLIC_URL: {
    read: (config) => config.mail.publicUrl,
    unset: undefined,
    valid: {
      'https://courses.example.org/': 'https://courses.example.org',
      'http://localhost:3000': 'http://localhost:3000',
      'http://127.0.0.1:3000': 'http://127.0.0.1:3000',
    },
    invalid: ['http://courses.example.org', 'https://courses.example.org/app', 'courses.example.org', 'https://'],
    mustBe:
      'must be the address that people open, with https:// and without a path, such as https://courses.example.org; http:// only for localhost.',
  },
  SMTP_URL: {
    beside: { MAIL_FROM: 'training@example.org', PUBLIC_URL: 'https://courses.example.org' },
    read: (config) => config.mail.server,
    unset: undefined,
    valid: {
      'smtp://mail.example.org': { secure: false, host: 'mail.example.org', port: 587 },
      'smtps://me%40example.org:p%2Fw@[::1]:2465': {
        ...{ secure: true, host: '::1', port: 2465 },
        ...{ user: 'me@example.org', password: 'p/w' },
      },
      'smtps://mail.example.org': { secure: true, host: 'mail.example.org', port: 465 },
    },
    invalid: ['mail.example.org', 'http://mail.example.org', 'smtp://', 'smtp://mail.example.org/?pool=true'],
    mustBe:
      'must be smtp://<user>:<password>@<host>:587 or smtps://<user>:<password>@<host>:465; in the user and the password, @ / : # ? % must be percent-encoded (%40 for @).',
  },
  SMTP_TLS: {
    read: (config) => config.mail.tls,
    unset: 'required',
    valid: { required: 'required', opportunistic: 'opportunistic' },
    invalid: ['off', 'none'],
    mustBe: 'must be required or opportunistic.',
  },
  MAIL_FROM: mailbox((config) => config.mail.from),
  MAIL_REPLY_TO: mailbox((config) => config.mail.replyTo),
  PROGRAMME_NAME: {
    read: (config) => config.programme.name,
    unset: 'coursectl',
    valid: { 'Skills, 2027': 'Skills, 2027' },
    invalid: ['a\nb', 'x'.repeat(101)],
    mustBe: 'must be 1 to 100 characters of text.',
  },
  PROGRAMME_LOGO: {
    read: (config) => config.programme.logo && path.basename(config.programme.logo),
    unset: undefined,
    valid: { 'branding/logo.svg': 'logo.svg' },
  },
  MAIL_LANGUAGE: {
    read: (config) => config.mail.language,
    unset: 'en',
    valid: { en: 'en', de: 'de' },
    invalid: ['fr', 'EN'],
    mustBe: 'must be en or de.',
  },
  MAIL_PER_MINUTE: number((config) => config.mail.perMinute, 60, 1, 10_000),
  INVITE_DAYS: number((config) => config.mail.inviteDays, 14, 1, 366),
  RESET_MINUTES: number((config) => config.mail.resetMinutes, 60, 5, 1440),
  MAIL_RETENTION_DAYS: number((config) => config.mail.retentionDays, 30, 1, 36_500),
  TRAINER_INVITES_PER_DAY: number((config) => config.imports.trainerInvites, 200, 0, 1_000_000),
  SEARCH_SCAN_ROWS: number((config) => config.search.scannedRows, 50_000, 0, 100_000_000),
  MAX_COURSES_PER_TRAINER: number((config) => config.courses.ofTrainer, 500, 1, 1_000_000),
  FILE_STORAGE: {
    beside: bucket,
    read: (config) => config.files.storage.kind,
    unset: 'local',
    valid: { local: 'local', s3: 's3' },
    invalid: ['disk', 'S3'],
    mustBe: 'must be local or s3.',
  },
  FILE_IMAGE_MAX_BYTES: number(files('imageBytes'), 10_485_760, 1024, 104_857_600),
  FILE_IMAGE_MAX_PIXELS: number(files('imagePixels'), 25_000_000, 10_000, 268_000_000),
  FILE_MATERIAL_MAX_BYTES: number(files('materialBytes'), 104_857_600, 1024, 5_000_000_000),
  FILE_MATERIAL_TYPES: {
    read: files('materialTypes'),
    unset: [],
    valid: { pdf: ['pdf'], '.PDF, docx,,mp4': ['pdf', 'docx', 'mp4'] },
    invalid: ['application/pdf', 'tar.gz', '*'],
    mustBe: 'must be a comma-separated list of file name extensions, such as pdf,docx,mp4.',
  },
  FILE_COURSE_QUOTA_BYTES: number(files('courseQuotaBytes'), 1_073_741_824, 1024, 1_000_000_000_000_000),
  FILE_COURSE_MAX_FILES: number(files('courseFiles'), 1000, 1, 1_000_000),
  S3_ENDPOINT: {
    beside: s3,
    read: storage('endpoint'),
    unset: undefined,
    valid: { 'https://s3.example.org': 'https://s3.example.org', 'http://127.0.0.1:9000': 'http://127.0.0.1:9000' },
    invalid: ['s3.example.org', 'ftp://s3.example.org', 'https://key:secret@s3.example.org'],
    mustBe: 'must be a URL without a user name, such as https://s3.example.org.',
  },
  S3_REGION: text(storage('region'), s3, 'us-east-1'),
  S3_BUCKET: {
    beside: { FILE_STORAGE: 's3' },
    read: storage('bucket'),
    unset: refused,
    valid: { 'course-files': 'course-files' },
    invalid: ['Course Files', 'a', '-files'],
    mustBe: 'must be the name of a bucket.',
  },
  S3_PREFIX: {
    beside: s3,
    read: storage('prefix'),
    unset: '',
    valid: { 'coursectl/files': 'coursectl/files' },
    invalid: ['a b', 'ä'],
    mustBe: 'must be a path of letters, digits, dots, dashes and slashes.',
  },
  S3_ACCESS_KEY_ID: text(storage('accessKeyId'), { ...s3, S3_SECRET_ACCESS_KEY: 'secret' }, refused),
  S3_SECRET_ACCESS_KEY: text(storage('secretAccessKey'), { ...s3, S3_ACCESS_KEY_ID: 'AKIA' }, refused),
  S3_FORCE_PATH_STYLE: {
    beside: s3,
    read: storage('forcePathStyle'),
    unset: false,
    valid: { true: true, false: false },
    invalid: ['yes', '1'],
    mustBe: 'must be true or false.',
  },
  CONSOLE: switched(http('webConsole'), true),
  METRICS_TOKEN: {
    read: http('metricsToken'),
    unset: undefined,
    valid: { 'a-token-of-16-letters': 'a-token-of-16-letters' },
    invalid: ['short', 'with a space in the middle'],
    mustBe: 'must be 16 to 200 characters: letters, digits and - . _ ~ + / =.',
  },
  TRUST_PROXY: {
    read: http('trustProxy'),
    unset: false,
    valid: {
      false: false,
      '0': false,
      '2': 2,
      '10.0.0.0/8, 2001:db8::/32': ['10.0.0.0/8', '2001:db8::/32'],
      'loopback,192.0.2.1': ['loopback', '192.0.2.1'],
    },
    invalid: ['true', '10.0.0.0/33', '::1/129', 'proxy.example.org', '10.0.0.0/8/8', ','],
    mustBe: 'must be a number of proxy hops or a list of addresses or CIDR ranges, such as 1 or 10.0.0.0/8.',
  },
  LOG_LEVEL: {
    read: (config) => config.logLevel,
    unset: 'info',
    valid: { silent: 'silent', trace: 'trace' },
    invalid: ['verbose', 'INFO'],
    mustBe: 'must be one of trace, debug, info, warn, error, fatal, silent.',
  },
  LOG_FORMAT: {
    read: (config) => config.logFormat,
    unset: 'auto',
    valid: { pretty: 'pretty', json: 'json', auto: 'auto' },
    invalid: ['text', 'JSON'],
    mustBe: 'must be auto, pretty or json.',
  },
};

describe('loadConfig', () => {
  it('requires encryption except to a mail server on this machine, unless SMTP_TLS is set', () => {
    const tlsOf = (SMTP_URL: string, SMTP_TLS = '') =>
      load({ SMTP_URL, SMTP_TLS, MAIL_FROM: 'a@example.org', PUBLIC_URL: 'https://example.org' }).mail.tls;
    for (const host of ['localhost', '127.0.0.1:25', '[::1]:2525']) {
      expect(tlsOf(`smtp://${host}`), host).to.equal('opportunistic');
      expect(tlsOf(`smtp://${host}`, 'required'), host).to.equal('required');
    }
    for (const host of ['mail.example.org', '127.example.org', '10.0.0.1'])
      expect(tlsOf(`smtp://${host}`), host).to.equal('required');
  });

  it('uses the default of a setting that is absent or empty, or demands a value', async () => {
    for (const [name, { beside = {}, read, unset }] of Object.entries(settings))
      for (const given of [beside, { ...beside, [name]: '' }])
        if (unset === refused) expect(await problemsWith(given)).to.have.nested.property('[0].path', name);
        else expect(read(load(given)), name).to.deep.equal(unset);
  });

  it('accepts valid values', () => {
    for (const [name, { beside, read, valid }] of Object.entries(settings))
      for (const [given, value] of Object.entries(valid))
        expect(read(load({ ...beside, [name]: given })), `${name}=${given}`).to.deep.equal(value);
  });

  it('describes the rule of an invalid setting only once', async () => {
    for (const [name, { beside, invalid = [], mustBe }] of Object.entries(settings))
      for (const given of invalid) {
        const problems = await problemsWith({ ...beside, [name]: given });
        expect(problems, given).to.deep.equal([{ path: name, message: `${name} ${mustBe}` }]);
      }
  });

  it('turns the blocklist of passwords on in production by default', () => {
    const production = { NODE_ENV: 'production', JWT_SECRET: goodSecret };
    expect(load(production).auth.passwordBlocklist).to.equal(true);
    expect(load({ ...production, PASSWORD_BLOCKLIST: 'off' }).auth.passwordBlocklist).to.equal(false);
  });

  it('allows a low hashing cost only with NODE_ENV=test', () => {
    expect(load({ NODE_ENV: 'test', BCRYPT_COST: '4' }).auth.bcryptCost).to.equal(4);
  });

  it('refuses verified TLS to a server named by its address, because the driver would not check the host', async () => {
    for (const host of ['192.0.2.1', '[2001:db8::1]']) {
      const env = { DATABASE_URL: `mysql://app@${host}/courses`, DB_TLS: 'required' };
      const address = host.replaceAll(/[[\]]/g, '');
      const message = `DB_TLS must not be required for a server with an IP address (${address}): use the host name of its certificate, or set DB_TLS=no-verify to check no certificate.`;
      expect(await problemsWith(env)).to.deep.equal([{ path: 'DB_TLS', message }]);
      expect(load({ ...env, DB_TLS: 'no-verify' }).database).to.include({ tls: 'no-verify' });
    }
  });

  it('refuses authorities for a server that is not verified', async () => {
    const message =
      'DB_TLS_CA_FILE must not be set unless DB_TLS is required: set DB_TLS=required, or remove DB_TLS_CA_FILE.';
    for (const tls of [{}, { DB_TLS: 'off' }, { DB_TLS: 'no-verify' }]) {
      const problems = await problemsWith({ ...mysql, ...tls, DB_TLS_CA_FILE: 'ca.pem' });
      expect(problems).to.deep.equal([{ path: 'DB_TLS_CA_FILE', message }]);
    }
  });

  it('requires a sender and the public URL for mail', async () => {
    expect(await problemsWith({ SMTP_URL: 'smtp://mail.example.org' })).to.deep.equal([
      { path: 'MAIL_FROM', message: 'MAIL_FROM must be set when SMTP_URL is.' },
      { path: 'PUBLIC_URL', message: 'PUBLIC_URL must be set when SMTP_URL is.' },
    ]);
  });

  it("requires all settings of the organisation's sign-in together", async () => {
    const names = async (env: Record<string, string>) => (await problemsWith(env)).map(({ path: name }) => name);
    expect(await names({ OIDC_ISSUER: oidc.OIDC_ISSUER })).to.have.members([
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
      'OIDC_NAME',
      'PUBLIC_URL',
    ]);
    expect(await problemsWith({ OIDC_DOMAINS: 'example.org' })).to.deep.equal([
      { path: 'OIDC_ISSUER', message: 'OIDC_ISSUER must be set when OIDC_DOMAINS is.' },
    ]);
    expect(await names({ PASSWORD_LOGIN: 'off' })).to.deep.equal(['PASSWORD_LOGIN']);
    expect(await names({ ...oidc, OIDC_CREATE: 'trainee' })).to.deep.equal(['OIDC_DOMAINS']);
  });

  it('refuses issuers of several organisations, and trusts no emails of Google', async () => {
    const names = async (env: Record<string, string>) =>
      (await problemsWith({ ...oidc, ...env })).map(({ path: name }) => name);
    for (const tenant of ['common', 'organizations', 'consumers', '9188040d-6c67-4c5b-b112-36a304b66dad'])
      expect(await names({ OIDC_ISSUER: `https://login.microsoftonline.com/${tenant}/v2.0` })).to.deep.equal([
        'OIDC_ISSUER',
      ]);
    const google = { OIDC_ISSUER: 'https://accounts.google.com' };
    expect(await names({ ...google, OIDC_EMAIL_VERIFIED: 'trusted' })).to.deep.equal(['OIDC_EMAIL_VERIFIED']);
    expect(load({ ...oidc, ...google }).oidc.emailVerified).to.equal('claim');
  });

  it('reports all problems together, one per setting', async () => {
    const problems = await problemsWith({
      NODE_ENV: 'production',
      PORT: 'x',
      JWT_EXPIRES_IN: 'x',
      LOG_LEVEL: 'x',
      DB_HOST: 'db',
      DATABASE_URL: 'x',
    });
    const names = ['PORT', 'JWT_EXPIRES_IN', 'LOG_LEVEL', 'DATABASE_URL', 'JWT_SECRET'];
    expect(problems.map(({ path: name }) => name)).to.have.members(names);
    const { code, message } = await failureOf(() => load({ PORT: 'x', LOG_LEVEL: 'x' }));
    expect(code).to.equal('CONFIG_INVALID');
    expect(message).to.match(/^The configuration is not valid: PORT must be .*\. LOG_LEVEL must be .*\.$/);
  });

  it('converts any text of any setting to a value or a problem that does not repeat the text', () => {
    const names = describeSettings({ env: {}, cwd: folder.path }).map(({ name }) => name);
    const text = fc.oneof(
      fc.string({ minLength: 1, maxLength: 300, unit: 'binary' }),
      fc.string({ minLength: 1 }).map((word) => `mysql://user:${word}@host/name`),
    );
    fc.assert(
      fc.property(fc.constantFrom(...names), text, fc.uuid(), (name, start, secret) => {
        try {
          load({ [name]: start + secret });
        } catch (error) {
          const { code, message, details } = error as Awaited<ReturnType<typeof failureOf>>;
          expect(code).to.equal('CONFIG_INVALID');
          expect(message).not.to.include(secret);
          for (const problem of details) expect(problem.message).to.match(/^[A-Z0-9_]+ (must|length must) [^\n]+\.$/);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('is frozen', () => {
    const config = load({ ALLOWED_ORIGINS: 'https://example.org' });
    for (const part of [config, config.database, config.http, config.auth, config.http.allowedOrigins]) {
      expect(Object.isFrozen(part)).to.equal(true);
    }
  });
});

describe('Signing secrets in production', () => {
  it('must have 32 bytes and be no placeholders, including the previous secret', async () => {
    const make = 'make one with: openssl rand -base64 48.';
    const placeholders = ['a', 'change-me', 'CHANGEME', 'your_jwt_secret', 'my-secret-key', 'example', 'placeholder'];
    const refusals: [env: Record<string, string>, message: string][] = [
      [{}, `JWT_SECRET must be set in production; ${make}`],
      [{ JWT_SECRET: goodSecret.slice(1) }, `JWT_SECRET is shorter than 32 bytes; ${make}`],
      ...placeholders.map((word): [Record<string, string>, string] => [
        { JWT_SECRET: word.repeat(32) },
        `JWT_SECRET looks like a placeholder; ${make}`,
      ]),
      [
        { JWT_SECRET: goodSecret, JWT_SECRET_PREVIOUS: 'short' },
        'JWT_SECRET_PREVIOUS is shorter than 32 bytes; remove it, which ends the sessions that it has signed.',
      ],
    ];
    for (const [env, message] of refusals) {
      const problems = await problemsWith({ NODE_ENV: 'production', ...env });
      expect(problems.map((problem) => problem.message)).to.deep.equal([message]);
    }
    for (const secret of [goodSecret, 'ключ от всех дверей'])
      expect(load({ NODE_ENV: 'production', JWT_SECRET: secret }).auth.jwtSecret).to.equal(secret);
  });
});

describe('The .env file', () => {
  const home = temporaryFolder();
  after(() => home.remove());
  const file = path.join(home.path, '.env');

  it('provides values that the environment lacks or leaves empty', () => {
    writeFileSync(file, '# ports\nPORT=4000\nexport HOST="0.0.0.0"\nLOG_LEVEL=warn\nUNKNOWN=x\n');
    const config = loadConfig({ env: { PORT: '5000', HOST: '' }, cwd: home.path });
    expect(config.http).to.include({ port: 5000, host: '0.0.0.0' });
    expect(config.logLevel).to.equal('warn');
  });

  it('causes an error if it cannot be read, and never blocks if it is a pipe', async () => {
    const make: Record<string, (file: string) => void> = {
      folder: mkdirSync,
      pipe: (pipe) => execFileSync('mkfifo', [pipe]),
      endless: (link) => symlinkSync('/dev/zero', link),
    };
    for (const [kind, create] of Object.entries(make)) {
      const odd = path.join(home.path, kind);
      mkdirSync(odd);
      create(path.join(odd, '.env'));
      const { code, message } = await failureOf(() => loadConfig({ env: {}, cwd: odd }));
      expect(code).to.equal('CONFIG_INVALID');
      expect(message).to.equal(
        "The file .env can't be read (it isn't a regular file). Replace it with a regular file, or remove it.",
      );
    }
  });
});

describe('describeSettings', () => {
  const home = temporaryFolder();
  after(() => home.remove());
  const shown = (env: Record<string, string>, dotenv = '') => {
    writeFileSync(path.join(home.path, '.env'), dotenv);
    return describeSettings({ env, cwd: home.path });
  };
  const setting = (list: ReturnType<typeof shown>, name: string) => list.find((entry) => entry.name === name);

  it('shows every setting, and each has a case above', () => {
    const tested = [...Object.keys(settings), 'DATABASE_URL', 'DB_NAME', 'DB_USER'];
    const hint = 'Add the default and the values of a setting to `settings` in this file';
    expect(tested.sort(), hint).to.deep.equal([...settingNames].sort());

    const names = shown({}).map(({ name }) => name);
    expect(names).to.deep.equal([...settingNames]);
  });

  it('shows no secrets', () => {
    const secrets = ['p%40ss w0rd', 'p@ss%20w0rd', 'p@ss w0rd', 'p%40ss%20w0rd', 'signing-secret', 'older-secret'];
    const signing = { JWT_SECRET: 'signing-secret', JWT_SECRET_PREVIOUS: 'older-secret' };
    const outputs = [
      shown({ ...signing, DATABASE_URL: 'mysql://app:p%40ss%20w0rd@db/courses' }),
      shown({ ...signing, ...mysql, DB_PASSWORD: 'p@ss w0rd' }),
      shown({}, 'JWT_SECRET=signing-secret\nDATABASE_URL=mysql://app:p%40ss%20w0rd@db/courses\n'),
    ];
    for (const output of outputs) {
      const text = JSON.stringify(output);
      for (const secret of secrets) expect(text).not.to.include(secret);
      expect(setting(output, 'JWT_SECRET')?.value).to.equal('(hidden)');
      expect(setting(output, 'DB_PASSWORD')?.value).to.equal('(hidden)');
    }
  });

  it('shows effective values', () => {
    const list = shown({ DATABASE_URL: 'mysql://app:x@[::1]:3307/courses', JWT_EXPIRES_IN: '12h' });
    const values = Object.fromEntries(list.map(({ name, value }) => [name, value]));
    expect(values).to.include({
      DATABASE_URL: 'mysql://app@[::1]:3307/courses',
      DB_HOST: '::1',
      DB_PORT: '3307',
      DB_USER: 'app',
      JWT_EXPIRES_IN: '43200s',
      JWT_SECRET: '(generated, kept in DATA_DIR)',
      JWT_SECRET_PREVIOUS: '(none)',
      ALLOWED_ORIGINS: '(none)',
      TRUST_PROXY: 'false',
    });
    expect(setting(shown({}), 'DB_HOST')?.value).to.equal('(not used with SQLite)');
  });

  it('names the origin of each value, including settings that replace each other', () => {
    const originsOf = (list: ReturnType<typeof shown>, names: string) =>
      names.split(' ').map((name) => setting(list, name)?.origin);
    const list = shown({ PORT: '5000', HOST: '' }, 'PORT=4000\nHOST=0.0.0.0\n');
    expect(setting(list, 'HOST')).to.deep.equal({ name: 'HOST', value: '0.0.0.0', origin: '.env' });
    expect(originsOf(list, 'PORT LOG_LEVEL DATABASE_URL')).to.deep.equal(['environment', 'default', 'default']);
    const fromUrl = shown({}, 'DATABASE_URL=mysql://app@db/courses\n');
    expect(originsOf(fromUrl, 'DATABASE_URL DB_TLS')).to.deep.equal(['.env', 'default']);
    const parts = originsOf(fromUrl, 'DB_HOST DB_PORT DB_NAME DB_USER DB_PASSWORD');
    expect(parts).to.deep.equal(Array(5).fill('DATABASE_URL'));
    expect(originsOf(shown(mysql), 'DATABASE_URL DB_NAME DB_PORT')).to.deep.equal([
      'DB_NAME',
      'environment',
      'default',
    ]);
  });
});
