import { parseDatabaseUrl } from './database-url.js';
import { defaultTls, mailLanguages, parseSmtpUrl } from './mail-settings.js';
import {
  anyText,
  domains,
  extensions,
  flag,
  hostName,
  integer,
  issuer,
  lifetime,
  mailAddress,
  matching,
  oneOf,
  origins,
  proxies,
  publicUrl,
  type Rule,
  timeZone,
  webAddress,
} from './rules.js';

/** Given settings as text. The environment takes precedence over the `.env` file. */
export type GivenSettings = Readonly<Partial<Record<string, string>>>;

/** Declaration of a setting, which is an environment variable. */
interface Setting {
  rule: Rule<unknown>;
  /** Default as text. Without a default, the setting may be absent. */
  default?: string | ((given: GivenSettings) => string);
  /** Description of the default for documents, if the default isn't a fixed text. */
  defaultText?: string;
  secret?: true;
  path: string;
  /** Text that `coursectl config` shows without a value. */
  ifAbsent?: string;
  unit?: string;
  /** Texts that are shown instead of values. */
  displayTexts?: Readonly<Record<string, string>>;
  /** Setting that this one and others replace together. */
  insteadOf?: string;
  /** Description for .env.example and the manual page. */
  description: string;
}

const insteadOfDatabaseUrl = { insteadOf: 'DATABASE_URL' } as const;
const foundBySdk = { ifAbsent: '(found by the AWS SDK)' } as const;

/** All settings, in the order of `coursectl config`. */
const declarations = {
  NODE_ENV: {
    rule: oneOf('development', 'production', 'test'),
    default: 'development',
    path: 'environment',
    description:
      '`development`, `production` or `test`; production refuses a missing or weak `JWT_SECRET` and the demo seeder',
  },
  DATA_DIR: {
    rule: anyText,
    default: 'data',
    defaultText: '`data`; for a global installation see docs/OPERATIONS.md',
    path: 'dataDir',
    description:
      'folder of the embedded database, the development secret, uploads, and with `FILE_STORAGE=local` the files',
  },
  DATABASE_URL: {
    rule: (text) => parseDatabaseUrl(text),
    defaultText: 'SQLite in `DATA_DIR`',
    path: 'database',
    description: '`sqlite:<file>`, `mysql://<user>:<password>@<host>:<port>/<database>` or `mariadb://...`',
  },
  DB_HOST: {
    ...insteadOfDatabaseUrl,
    // Allows more than the standard for host names, because names of Docker Compose have underscores.
    rule: matching(/^[\w.:-]+$/, 'must be a host name or an address'),
    default: '127.0.0.1',
    path: 'database.host',
    description: 'instead of `DATABASE_URL`: the MySQL or MariaDB server',
  },
  DB_PORT: {
    ...insteadOfDatabaseUrl,
    rule: integer(1, 65535),
    default: '3306',
    path: 'database.port',
    description: 'instead of `DATABASE_URL`: the port',
  },
  DB_NAME: {
    ...insteadOfDatabaseUrl,
    rule: matching(/^.{0,64}$/s, 'must have at most 64 characters'),
    path: 'database.name',
    description: 'instead of `DATABASE_URL`: the database',
  },
  DB_USER: {
    ...insteadOfDatabaseUrl,
    rule: anyText,
    path: 'database.user',
    description: 'instead of `DATABASE_URL`: the user',
  },
  DB_PASSWORD: {
    ...insteadOfDatabaseUrl,
    rule: anyText,
    default: '',
    secret: true,
    path: 'database.password',
    description: 'instead of `DATABASE_URL`: the password',
  },
  DB_TLS: {
    rule: oneOf('off', 'required', 'no-verify'),
    default: 'off',
    path: 'database.tls',
    description:
      'TLS to the database server: `off`, `required` (checks the certificate and its host name) or `no-verify` (encrypted only)',
  },
  DB_TLS_CA_FILE: {
    rule: anyText,
    defaultText: "the system's",
    path: 'database.tlsCaFile',
    ifAbsent: "(the system's authorities)",
    description: 'PEM file with the certificate authorities to trust; needs `DB_TLS=required`',
  },
  DB_POOL_MAX: {
    rule: integer(1, 500),
    default: '10',
    path: 'database.poolMax',
    description: 'maximum number of database connections of a process',
  },
  DB_POOL_ACQUIRE_MS: {
    rule: integer(100, 60_000),
    default: '3000',
    path: 'database.poolAcquireMs',
    description: 'how long a request waits for a database connection before it is answered 503, in milliseconds',
  },
  HOST: { rule: hostName, default: '127.0.0.1', path: 'http.host', description: 'address that `serve` listens on' },
  PORT: { rule: integer(0, 65535), default: '3000', path: 'http.port', description: 'port that `serve` listens on' },
  MAX_REQUESTS_IN_FLIGHT: {
    rule: integer(1, 10_000),
    default: '20',
    path: 'http.maxInFlight',
    description: 'how many requests run at the same time, about twice `DB_POOL_MAX`; others wait, or are answered 503',
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    rule: integer(10, 5000),
    default: '2000',
    path: 'http.connectionsPerAddress',
    description:
      'maximum number of connections from one address (IPv6: its /56), except from a trusted proxy; one more closes the connection that was idle longest',
  },
  MIN_BODY_RATE: {
    rule: integer(1, 1_000_000),
    default: '500',
    path: 'http.minBodyRate',
    description: 'minimum speed of a body or upload in bytes per second; one that is slower for 5 s is aborted',
  },
  DRAIN_DELAY_MS: {
    rule: integer(0, 20_000),
    default: '0',
    path: 'http.drainDelayMs',
    description:
      'how long `serve` still accepts requests after SIGTERM, so that a load balancer notices that it stops; in milliseconds, at most 20000',
  },
  JWT_SECRET: {
    rule: anyText,
    defaultText: 'generated in development',
    secret: true,
    path: 'auth.jwtSecret',
    ifAbsent: '(generated, kept in DATA_DIR)',
    description: 'signs tokens; at least 32 bytes in production: `openssl rand -base64 48`',
  },
  JWT_SECRET_PREVIOUS: {
    rule: anyText,
    secret: true,
    path: 'auth.jwtSecretPrevious',
    description: 'the previous `JWT_SECRET`, whose tokens are still accepted during a rotation',
  },
  JWT_EXPIRES_IN: {
    rule: lifetime,
    default: '7d',
    path: 'auth.tokenLifetimeSeconds',
    unit: 's',
    description: 'how long a login lasts: `7d`, `12h`, or seconds',
  },
  MAX_SESSIONS: {
    rule: integer(1, 10_000),
    default: '50',
    path: 'auth.maxSessions',
    description: 'maximum number of sessions of an account; one more ends the oldest',
  },
  ALLOWED_ORIGINS: {
    rule: origins,
    default: '',
    path: 'http.allowedOrigins',
    description: 'origins of web clients, separated by commas: `https://app.example.org,http://localhost:5173`',
  },
  BCRYPT_COST: {
    // The test suite hashes thousands of passwords, so tests may use a low cost.
    rule: (text, given) => integer(given.NODE_ENV === 'test' ? 4 : 10, 15)(text, given),
    default: '12',
    path: 'auth.bcryptCost',
    description: '10 to 15; each step doubles the work of a login',
  },
  PASSWORD_MIN_LENGTH: {
    rule: integer(6, 64),
    default: '6',
    path: 'auth.passwordMinLength',
    description: 'minimum length of a new password, 6 to 64 characters',
  },
  PASSWORD_BLOCKLIST: {
    rule: flag('on', 'off'),
    default: (given) => (given.NODE_ENV === 'production' ? 'on' : 'off'),
    defaultText: '`on` in production',
    path: 'auth.passwordBlocklist',
    displayTexts: { true: 'on', false: 'off' },
    description:
      "`on` refuses the 3,000 most common passwords, and the account's own email, phone and name as a password",
  },
  PASSWORD_LOGIN: {
    rule: flag('on', 'off'),
    default: 'on',
    path: 'auth.passwordLogin',
    displayTexts: { true: 'on', false: 'off' },
    description:
      "`off`: everybody except the super admin signs in with the organisation's account only; needs `OIDC_ISSUER`",
  },
  INITIAL_PASSWORD_DAYS: {
    rule: integer(1, 366),
    default: '30',
    path: 'auth.initialPasswordDays',
    description:
      'how long an initial password works, in days: a generated password, or one registered with `requiresPasswordChange`',
  },
  OIDC_ISSUER: {
    rule: issuer,
    path: 'oidc.issuer',
    ifAbsent: '(none)',
    description:
      "issuer of the organisation's sign-in (OpenID Connect): `https://login.example.org/realms/staff`; needs `OIDC_CLIENT_ID`, `OIDC_CLIENT_SECRET`, `OIDC_NAME` and `PUBLIC_URL`; see docs/SINGLE-SIGN-ON.md",
  },
  OIDC_CLIENT_ID: {
    rule: anyText,
    path: 'oidc.clientId',
    ifAbsent: '(none)',
    description: 'id of this service at the issuer',
  },
  OIDC_CLIENT_SECRET: {
    rule: anyText,
    secret: true,
    path: 'oidc.clientSecret',
    ifAbsent: '(none)',
    description: 'secret of this service at the issuer',
  },
  OIDC_NAME: {
    rule: matching(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,60}$/u, 'must be 1 to 60 characters of text'),
    path: 'oidc.name',
    ifAbsent: '(none)',
    description: "name of the organisation's account, on the button of the sign-in page and in invitations",
  },
  OIDC_DOMAINS: {
    rule: domains,
    default: '',
    path: 'oidc.domains',
    ifAbsent: '(none)',
    description:
      'domains of emails, separated by commas: verified emails of the issuer in these domains find accounts, or create them; none: people link their account themselves',
  },
  OIDC_EMAIL_VERIFIED: {
    rule: oneOf('claim', 'trusted'),
    default: 'claim',
    path: 'oidc.emailVerified',
    description:
      '`claim`: an email counts as verified if the issuer says so; `trusted`: unless the issuer denies it, for issuers of one organisation',
  },
  OIDC_CREATE: {
    rule: oneOf('off', 'trainee'),
    default: 'off',
    path: 'oidc.create',
    description:
      '`trainee`: creates accounts at the first sign-in of people with a verified email in `OIDC_DOMAINS`; `off`: only existing accounts sign in',
  },
  IMPORT_BATCH_ROWS: {
    rule: integer(1, 10_000),
    default: '2000',
    path: 'imports.batchRows',
    description: 'how many rows of an import are committed together',
  },
  IMPORT_CONCURRENCY: {
    rule: integer(1, 16),
    default: '1',
    path: 'imports.concurrency',
    description: 'how many imports over HTTP run at the same time, over all instances on a database; others wait',
  },
  IMPORT_FIELD_MAX_BYTES: {
    rule: integer(256, 16_777_216),
    default: '65536',
    path: 'imports.fieldBytes',
    description: 'maximum size of a field of an import file',
  },
  IMPORT_RECORD_MAX_BYTES: {
    rule: integer(1024, 67_108_864),
    default: '1048576',
    path: 'imports.recordBytes',
    description: 'maximum size of a row of an import file',
  },
  IMPORT_MAX_COLUMNS: {
    rule: integer(4, 16_384),
    default: '256',
    path: 'imports.columns',
    description: 'maximum number of columns of an import file',
  },
  IMPORT_UPLOAD_MAX_BYTES: {
    rule: integer(1024, 1_073_741_824),
    default: '52428800',
    path: 'imports.uploadBytes',
    description: 'maximum size of a file that is uploaded for an import',
  },
  IMPORT_UPLOAD_MAX_ROWS: {
    rule: integer(1, 10_000_000),
    default: '200000',
    path: 'imports.uploadRows',
    description: 'maximum number of rows of a file that is uploaded for an import',
  },
  IMPORT_PLAN_HOURS: {
    rule: integer(1, 8760),
    default: '24',
    path: 'imports.planHours',
    description: 'how long a planned import can be applied, in hours; then it expires and its file is removed',
  },
  IMPORT_MAX_PLANS: {
    rule: integer(1, 1000),
    default: '20',
    path: 'imports.plansPerAccount',
    description:
      'maximum number of planned imports of an account that are not applied yet; their files take disk space',
  },
  TRAINER_INVITES_PER_DAY: {
    rule: integer(0, 1_000_000),
    default: '200',
    path: 'imports.trainerInvites',
    description:
      'maximum number of new people whom a trainer may invite within 24 hours with imports; 0: trainers import only existing trainees',
  },
  AUDIT_RETENTION_DAYS: {
    rule: integer(1, 36_500),
    defaultText: 'for ever',
    path: 'retention.auditDays',
    ifAbsent: '(for ever)',
    unit: 'days',
    description:
      'how long the database keeps entries of the audit log, in days; older ones are exported to `DATA_DIR/retention`, then deleted',
  },
  IMPORT_RETENTION_DAYS: {
    rule: integer(1, 36_500),
    defaultText: 'for ever',
    path: 'retention.importDays',
    ifAbsent: '(for ever)',
    unit: 'days',
    description:
      'how long an import that has ended can be undone, in days; then its rows are exported to `DATA_DIR/retention` and deleted',
  },
  TIME_ZONE: {
    rule: timeZone,
    path: 'programme.timeZone',
    ifAbsent: "(the machine's)",
    description: "time zone in which the programme's days begin and end, such as `Europe/Berlin`",
  },
  PUBLIC_URL: {
    rule: publicUrl,
    path: 'mail.publicUrl',
    ifAbsent: '(none)',
    description:
      'address that people open, for links in mails and calendars: `https://courses.example.org`, without a path',
  },
  SMTP_URL: {
    rule: (text) => parseSmtpUrl(text),
    defaultText: 'no mail',
    secret: true,
    path: 'mail.server',
    ifAbsent: '(no mail)',
    description:
      'the mail server: `smtp://<user>:<password>@<host>:587`, or `smtps://...` for TLS from the beginning; user and password percent-encoded; needs `MAIL_FROM` and `PUBLIC_URL`',
  },
  SMTP_TLS: {
    rule: oneOf('required', 'opportunistic'),
    default: ({ SMTP_URL }) => defaultTls(SMTP_URL),
    defaultText: '`required`; to a server on this machine `opportunistic`',
    path: 'mail.tls',
    description:
      '`required`: mail is sent encrypted, to a server with a trusted certificate; `opportunistic`: encrypted if the server offers it, without a check of its certificate; passwords are never sent unencrypted',
  },
  MAIL_FROM: {
    rule: mailAddress,
    path: 'mail.from',
    description: 'sender of mails: `Training <training@example.org>`, or the address alone',
  },
  MAIL_REPLY_TO: { rule: mailAddress, path: 'mail.replyTo', description: 'address for replies to mails' },
  PROGRAMME_NAME: {
    rule: matching(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,100}$/u, 'must be 1 to 100 characters of text'),
    default: 'coursectl',
    path: 'programme.name',
    description: 'the name of the programme in the console, its tab, mails, certificates and calendars',
  },
  PROGRAMME_LOGO: {
    rule: anyText,
    path: 'programme.logo',
    ifAbsent: '(none)',
    description: 'SVG, PNG or WebP file of at most 1 MB: logo and icon of the console, and on certificates',
  },
  MAIL_LANGUAGE: {
    rule: oneOf(...mailLanguages),
    default: 'en',
    path: 'mail.language',
    description: 'language of mails to people who have chosen none: `en` or `de`',
  },
  MAIL_PER_MINUTE: {
    rule: integer(1, 10_000),
    default: '60',
    path: 'mail.perMinute',
    description:
      'maximum number of invitations and news per minute; mails about forgotten passwords and security are sent at once',
  },
  INVITE_DAYS: {
    rule: integer(1, 366),
    default: '14',
    path: 'mail.inviteDays',
    description: 'how long the link of an invitation works, in days',
  },
  RESET_MINUTES: {
    rule: integer(5, 1440),
    default: '60',
    path: 'mail.resetMinutes',
    description: 'how long the link for a forgotten password works, in minutes',
  },
  MAIL_RETENTION_DAYS: {
    rule: integer(1, 36_500),
    default: '30',
    path: 'mail.retentionDays',
    unit: 'days',
    description: 'how long sent, failed and withdrawn mails are listed, in days',
  },
  SEARCH_SCAN_ROWS: {
    rule: integer(0, 100_000_000),
    default: '50000',
    path: 'search.scannedRows',
    description:
      'maximum number of accounts or courses that a search reads to find text anywhere in them; among more, an index finds only the beginnings of words',
  },
  MAX_COURSES_PER_TRAINER: {
    rule: integer(1, 1_000_000),
    default: '500',
    path: 'courses.ofTrainer',
    description: 'how many courses a trainer may create; the super admin may assign more',
  },
  FILE_STORAGE: {
    rule: oneOf('local', 's3'),
    default: 'local',
    path: 'files.storage.kind',
    description:
      'where images and course materials are stored: `local` is `DATA_DIR/files`; instances on several machines need `s3`',
  },
  FILE_IMAGE_MAX_BYTES: {
    rule: integer(1024, 104_857_600),
    default: '10485760',
    path: 'files.imageBytes',
    description: 'maximum size of an uploaded image',
  },
  FILE_IMAGE_MAX_PIXELS: {
    rule: integer(10_000, 268_000_000),
    default: '25000000',
    path: 'files.imagePixels',
    description:
      'maximum number of pixels of an image; the process that decodes it may use 6 bytes for each, and 110 MiB besides',
  },
  FILE_MATERIAL_MAX_BYTES: {
    rule: integer(1024, 5_000_000_000),
    default: '104857600',
    path: 'files.materialBytes',
    description: 'maximum size of a course material',
  },
  FILE_MATERIAL_TYPES: {
    rule: extensions,
    default: '',
    defaultText: 'any',
    path: 'files.materialTypes',
    ifAbsent: '(any)',
    description: 'allowed file name extensions of materials, such as `pdf,docx,mp4`',
  },
  FILE_COURSE_QUOTA_BYTES: {
    rule: integer(1024, 1_000_000_000_000_000),
    default: '1073741824',
    path: 'files.courseQuotaBytes',
    description: 'maximum size of all materials of a course together',
  },
  FILE_COURSE_MAX_FILES: {
    rule: integer(1, 1_000_000),
    default: '1000',
    path: 'files.courseFiles',
    description: 'maximum number of materials of a course',
  },
  S3_ENDPOINT: {
    rule: webAddress,
    defaultText: "Amazon's",
    path: 'files.storage.endpoint',
    ifAbsent: "(Amazon's)",
    description: 'for `FILE_STORAGE=s3`: the S3 server',
  },
  S3_REGION: {
    rule: anyText,
    default: 'us-east-1',
    path: 'files.storage.region',
    description: 'for `FILE_STORAGE=s3`: the region',
  },
  S3_BUCKET: {
    rule: matching(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket'),
    path: 'files.storage.bucket',
    description: 'for `FILE_STORAGE=s3`: the bucket, which must exist',
  },
  S3_PREFIX: {
    rule: matching(/^[\w./-]{0,100}$/, 'must be a path of letters, digits, dots, dashes and slashes'),
    default: '',
    path: 'files.storage.prefix',
    description: 'prefix of the keys of files; lets several installations share a bucket',
  },
  S3_ACCESS_KEY_ID: {
    ...foundBySdk,
    rule: anyText,
    defaultText: 'found by the AWS SDK',
    path: 'files.storage.accessKeyId',
    description: 'for `FILE_STORAGE=s3`: the access key',
  },
  S3_SECRET_ACCESS_KEY: {
    ...foundBySdk,
    rule: anyText,
    defaultText: 'found by the AWS SDK',
    secret: true,
    path: 'files.storage.secretAccessKey',
    description: 'for `FILE_STORAGE=s3`: the secret of the access key',
  },
  S3_FORCE_PATH_STYLE: {
    rule: flag('true', 'false'),
    // Only Amazon gives each bucket its own host name.
    default: (given) => String(given.S3_ENDPOINT !== undefined),
    defaultText: '`true` with `S3_ENDPOINT`',
    path: 'files.storage.forcePathStyle',
    description: '`true`: the bucket is in the path of URLs, not in their host name',
  },
  CONSOLE: {
    rule: flag('on', 'off'),
    default: 'on',
    path: 'http.webConsole',
    displayTexts: { true: 'on', false: 'off' },
    description: '`off` serves the API alone, without the web console',
  },
  METRICS_TOKEN: {
    rule: matching(/^[\w.~+/=-]{16,200}$/, 'must be 16 to 200 characters: letters, digits and - . _ ~ + / ='),
    secret: true,
    path: 'http.metricsToken',
    description: 'Bearer token that `/metrics` requires; without it `/metrics` is public',
  },
  TRUST_PROXY: {
    rule: proxies,
    default: 'false',
    path: 'http.trustProxy',
    description:
      "number of proxies in front, or their addresses and ranges (`1`, `10.0.0.0/8`); determines the client's address",
  },
  LOG_LEVEL: {
    rule: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    path: 'logLevel',
    description:
      'level of the logs of `serve`, on standard error: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`',
  },
  LOG_FORMAT: {
    rule: oneOf('auto', 'pretty', 'json'),
    default: 'auto',
    path: 'logFormat',
    description:
      'format of the logs: `json` lines, `pretty` lines for people, or `auto`: `pretty` on a terminal, otherwise `json`',
  },
} as const satisfies Record<string, Setting>;

type Declarations = typeof declarations;

export type SettingName = keyof Declarations;

/** Settings with a default, which are never absent. */
type Defaulted = { [N in SettingName]: Declarations[N] extends { default: unknown } ? N : never }[SettingName];

export type SettingValues = { [N in Defaulted]: ReturnType<Declarations[N]['rule']> } & {
  [N in Exclude<SettingName, Defaulted>]?: ReturnType<Declarations[N]['rule']>;
};

/** Last part of a setting's path, if the path is directly below `Section`. */
type KeyIn<Section extends string, N extends SettingName> = Declarations[N]['path'] extends `${Section}.${infer Key}`
  ? Key extends `${string}.${string}`
    ? never
    : Key
  : never;

/** Values of the settings directly below a path of `Config`, by the last part of their path. */
export type Section<S extends string> = { [N in Defaulted as KeyIn<S, N>]: ReturnType<Declarations[N]['rule']> } & {
  [N in Exclude<SettingName, Defaulted> as KeyIn<S, N>]?: ReturnType<Declarations[N]['rule']>;
};

export const settings: Readonly<Record<SettingName, Setting>> = declarations;

// Object.keys returns strings; the type of `declarations` has the same names.
export const settingNames = Object.keys(declarations) as readonly SettingName[];

/** Returns the default of a setting for documents; empty without a default. */
export function documentedDefault(name: SettingName): string {
  const { default: given, defaultText } = settings[name];
  return defaultText ?? (typeof given === 'string' ? given : '');
}
