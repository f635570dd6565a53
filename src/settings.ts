import { isIP } from 'node:net';
import Joi from 'joi';
import ms from 'ms';

/** The environment variables that the program reads, and what each may be. Reading them is config.ts's. */

export interface SqliteLocation {
  dialect: 'sqlite';
  /** Path of the database file. */
  file: string;
}

export interface MysqlLocation {
  dialect: 'mysql';
  host: string;
  port: number;
  name: string;
  user: string;
  password: string;
}

/** `required`: encrypted, the server's certificate verified; `no-verify`: encrypted only. */
export type TlsMode = 'off' | 'required' | 'no-verify';

/** Express's `trust proxy`: a number of hops, or the proxies' addresses. */
export type TrustProxy = false | number | readonly string[];

/** Every environment variable the program reads, in the order in which `coursectl config` shows them. */
export const settingNames = [
  'NODE_ENV',
  'DATA_DIR',
  'DATABASE_URL',
  'DB_HOST',
  'DB_PORT',
  'DB_NAME',
  'DB_USER',
  'DB_PASSWORD',
  'DB_TLS',
  'DB_TLS_CA_FILE',
  'DB_POOL_MAX',
  'DB_POOL_ACQUIRE_MS',
  'HOST',
  'PORT',
  'MAX_REQUESTS_IN_FLIGHT',
  'DRAIN_DELAY_MS',
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'JWT_EXPIRES_IN',
  'ALLOWED_ORIGINS',
  'BCRYPT_COST',
  'PASSWORD_MIN_LENGTH',
  'PASSWORD_BLOCKLIST',
  'INITIAL_PASSWORD_DAYS',
  'IMPORT_BATCH_ROWS',
  'IMPORT_CONCURRENCY',
  'IMPORT_FIELD_MAX_BYTES',
  'IMPORT_RECORD_MAX_BYTES',
  'IMPORT_MAX_COLUMNS',
  'IMPORT_UPLOAD_MAX_BYTES',
  'IMPORT_UPLOAD_MAX_ROWS',
  'FILE_STORAGE',
  'FILE_IMAGE_MAX_BYTES',
  'FILE_IMAGE_MAX_PIXELS',
  'FILE_MATERIAL_MAX_BYTES',
  'FILE_MATERIAL_TYPES',
  'FILE_COURSE_QUOTA_BYTES',
  'S3_ENDPOINT',
  'S3_REGION',
  'S3_BUCKET',
  'S3_PREFIX',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'S3_FORCE_PATH_STYLE',
  'METRICS_TOKEN',
  'TRUST_PROXY',
  'LOG_LEVEL',
] as const;

export type SettingName = (typeof settingNames)[number];

/** A custom Joi rule from a function that gives the parsed value, or throws the sentence "must be ...". */
const parsed = <T>(parse: (text: string) => T) =>
  Joi.string().custom((text: string, helpers) => {
    try {
      return parse(text);
    } catch (error) {
      return helpers.message({ custom: `{#label} ${(error as Error).message}` });
    }
  });

function integer(minimum: number, maximum: number) {
  const mustBe = `{#label} must be a whole number from ${minimum} to ${maximum}`;
  return Joi.number().integer().min(minimum).max(maximum).messages({ '*': mustBe });
}

function parseLifetime(text: string): number {
  const milliseconds = /^\d+$/.test(text)
    ? Number(text) * 1000
    : /^\d+(\.\d+)?\s?[a-z]+$/i.test(text)
      ? ms(text as ms.StringValue)
      : undefined;
  const seconds = Math.floor((milliseconds ?? Number.NaN) / 1000);
  if (!(seconds >= 1 && seconds <= 366 * 86_400))
    throw new Error('must be a time from 1s to 366d, such as 7d, 12h or 3600 (seconds)');
  return seconds;
}

function parseOrigins(text: string): string[] {
  return commaSeparated(text).map((entry) => {
    const url = URL.canParse(entry) ? new URL(entry) : undefined;
    if (!url || url.origin === 'null' || url.origin !== entry.replace(/\/$/, '').toLowerCase()) {
      throw new Error(
        'must be a comma-separated list of origins, such as https://app.example.org,http://localhost:5173',
      );
    }
    return url.origin;
  });
}

function parseTrustProxy(text: string): false | number | string[] {
  if (text === 'false' || text === '0') return false;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const entries = commaSeparated(text);
  const valid = entries.every((entry) => {
    const [address = '', bits, ...rest] = entry.split('/');
    const family = isIP(address);
    if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return true;
    return (
      family !== 0 &&
      rest.length === 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (family === 4 ? 32 : 128)))
    );
  });
  if (!valid || entries.length === 0)
    throw new Error('must be a number of proxy hops or a list of addresses or CIDR ranges, such as 1 or 10.0.0.0/8');
  return entries;
}

function parseExtensions(text: string): string[] {
  const extensions = commaSeparated(text).map((entry) => entry.replace(/^\./, '').toLowerCase());
  if (extensions.some((extension) => !/^[a-z0-9]{1,20}$/.test(extension)))
    throw new Error('must be a comma-separated list of file name extensions, such as pdf,docx,mp4');
  return extensions;
}

function commaSeparated(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('must have special characters percent-encoded: a % in a name or password is written %25');
  }
}

function parseDatabaseUrl(text: string): SqliteLocation | MysqlLocation {
  const sqlite = /^sqlite:(?:\/\/)?(.*)$/is.exec(text);
  if (sqlite) {
    const file = sqlite[1] ?? '';
    if (file === '' || file.endsWith('/') || file === ':memory:')
      throw new Error('must name a file after "sqlite:", such as sqlite:data/coursectl.sqlite');
    return { dialect: 'sqlite', file };
  }
  const mustBe = 'must be sqlite:<file> or mysql://<user>:<password>@<host>:<port>/<database> (mariadb:// is the same)';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    !url ||
    !['mysql:', 'mariadb:'].includes(url.protocol) ||
    url.hostname === '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new Error(mustBe);
  const name = percentDecoded(url.pathname.slice(1));
  if (name === '' || name.includes('/'))
    throw new Error('must end with the name of the database, such as mysql://user:password@host:3306/coursectl');
  return {
    dialect: 'mysql',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 3306 : Number(url.port),
    name,
    user: percentDecoded(url.username),
    password: percentDecoded(url.password),
  };
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export const environmentSchema = Joi.object({
  NODE_ENV: Joi.valid('development', 'production', 'test')
    .default('development')
    .messages({ '*': '{#label} must be development, production or test' }),
  DATA_DIR: Joi.string().default('data'),
  DATABASE_URL: parsed(parseDatabaseUrl),
  // Looser than a host name by the book: Compose and the like name hosts with underscores.
  DB_HOST: Joi.string()
    .pattern(/^[\w.:-]+$/)
    .messages({ '*': '{#label} must be a host name or an address' }),
  DB_PORT: integer(1, 65535),
  DB_NAME: Joi.string().max(64),
  DB_USER: Joi.string(),
  DB_PASSWORD: Joi.string(),
  DB_TLS: Joi.valid('off', 'required', 'no-verify')
    .default('off')
    .messages({ '*': '{#label} must be off, required or no-verify' }),
  DB_TLS_CA_FILE: Joi.string(),
  DB_POOL_MAX: integer(1, 500).default(10),
  DB_POOL_ACQUIRE_MS: integer(100, 60_000).default(3000),
  HOST: Joi.string()
    .hostname()
    .default('127.0.0.1')
    .messages({ '*': '{#label} must be a host name or an address to listen on, such as 127.0.0.1 or 0.0.0.0' }),
  PORT: integer(0, 65535).default(3000),
  MAX_REQUESTS_IN_FLIGHT: integer(1, 10_000).default(200),
  DRAIN_DELAY_MS: integer(0, 20_000).default(0),
  JWT_SECRET: Joi.string(),
  JWT_SECRET_PREVIOUS: Joi.string(),
  JWT_EXPIRES_IN: parsed(parseLifetime).default(7 * 86_400),
  ALLOWED_ORIGINS: parsed(parseOrigins).default([]),
  // The test suite hashes thousands of passwords: it alone may go below what reliability asks of a deployment.
  BCRYPT_COST: Joi.when('NODE_ENV', {
    is: 'test',
    // biome-ignore lint/suspicious/noThenProperty: Joi's own word for the branch; never awaited.
    then: integer(4, 15),
    otherwise: integer(10, 15),
  }).default(12),
  PASSWORD_MIN_LENGTH: integer(6, 64).default(6),
  PASSWORD_BLOCKLIST: Joi.valid('on', 'off').messages({ '*': '{#label} must be on or off' }),
  INITIAL_PASSWORD_DAYS: integer(1, 366).default(30),
  IMPORT_BATCH_ROWS: integer(1, 10_000).default(1000),
  IMPORT_CONCURRENCY: integer(1, 16).default(1),
  IMPORT_FIELD_MAX_BYTES: integer(256, 16_777_216).default(65_536),
  IMPORT_RECORD_MAX_BYTES: integer(1024, 67_108_864).default(1_048_576),
  IMPORT_MAX_COLUMNS: integer(4, 16_384).default(256),
  IMPORT_UPLOAD_MAX_BYTES: integer(1024, 1_073_741_824).default(52_428_800),
  IMPORT_UPLOAD_MAX_ROWS: integer(1, 10_000_000).default(200_000),
  FILE_STORAGE: Joi.valid('local', 's3').default('local').messages({ '*': '{#label} must be local or s3' }),
  FILE_IMAGE_MAX_BYTES: integer(1024, 104_857_600).default(10_485_760),
  FILE_IMAGE_MAX_PIXELS: integer(10_000, 268_000_000).default(40_000_000),
  FILE_MATERIAL_MAX_BYTES: integer(1024, 5_000_000_000).default(104_857_600),
  FILE_MATERIAL_TYPES: parsed(parseExtensions).default([]),
  FILE_COURSE_QUOTA_BYTES: integer(1024, 1_000_000_000_000_000).default(1_073_741_824),
  S3_ENDPOINT: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    // It is shown: secrets have settings of their own.
    .pattern(/^[^@]*$/)
    .messages({ '*': '{#label} must be a URL without a user name, such as https://s3.example.org' }),
  S3_REGION: Joi.string().default('us-east-1'),
  S3_BUCKET: Joi.string()
    .pattern(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
    .messages({ '*': '{#label} must be the name of a bucket' }),
  S3_PREFIX: Joi.string()
    .pattern(/^[\w./-]{0,100}$/)
    .default('')
    .messages({ '*': '{#label} must be a path of letters, digits, dots, dashes and slashes' }),
  S3_ACCESS_KEY_ID: Joi.string(),
  S3_SECRET_ACCESS_KEY: Joi.string(),
  S3_FORCE_PATH_STYLE: Joi.boolean().messages({ '*': '{#label} must be true or false' }),
  METRICS_TOKEN: Joi.string()
    .pattern(/^[\w.~+/=-]{16,200}$/)
    .messages({ '*': '{#label} must be 16 to 200 letters, digits and signs such as - . _ ~ + / =' }),
  TRUST_PROXY: parsed(parseTrustProxy).default(false),
  LOG_LEVEL: Joi.valid(...logLevels)
    .default('info')
    .messages({ '*': `{#label} must be one of ${logLevels.join(', ')}` }),
});

/** The validated environment, a property a variable. */
export interface Environment {
  NODE_ENV: 'development' | 'production' | 'test';
  DATA_DIR: string;
  DATABASE_URL?: ReturnType<typeof parseDatabaseUrl>;
  DB_HOST?: string;
  DB_PORT?: number;
  DB_NAME?: string;
  DB_USER?: string;
  DB_PASSWORD?: string;
  DB_TLS: TlsMode;
  DB_TLS_CA_FILE?: string;
  DB_POOL_MAX: number;
  DB_POOL_ACQUIRE_MS: number;
  HOST: string;
  PORT: number;
  MAX_REQUESTS_IN_FLIGHT: number;
  DRAIN_DELAY_MS: number;
  JWT_SECRET?: string;
  JWT_SECRET_PREVIOUS?: string;
  JWT_EXPIRES_IN: number;
  ALLOWED_ORIGINS: string[];
  BCRYPT_COST: number;
  PASSWORD_MIN_LENGTH: number;
  PASSWORD_BLOCKLIST?: 'on' | 'off';
  INITIAL_PASSWORD_DAYS: number;
  IMPORT_BATCH_ROWS: number;
  IMPORT_CONCURRENCY: number;
  IMPORT_FIELD_MAX_BYTES: number;
  IMPORT_RECORD_MAX_BYTES: number;
  IMPORT_MAX_COLUMNS: number;
  IMPORT_UPLOAD_MAX_BYTES: number;
  IMPORT_UPLOAD_MAX_ROWS: number;
  FILE_STORAGE: 'local' | 's3';
  FILE_IMAGE_MAX_BYTES: number;
  FILE_IMAGE_MAX_PIXELS: number;
  FILE_MATERIAL_MAX_BYTES: number;
  FILE_MATERIAL_TYPES: string[];
  FILE_COURSE_QUOTA_BYTES: number;
  S3_ENDPOINT?: string;
  S3_REGION: string;
  S3_BUCKET?: string;
  S3_PREFIX: string;
  S3_ACCESS_KEY_ID?: string;
  S3_SECRET_ACCESS_KEY?: string;
  S3_FORCE_PATH_STYLE?: boolean;
  METRICS_TOKEN?: string;
  TRUST_PROXY: TrustProxy;
  LOG_LEVEL: string;
}
