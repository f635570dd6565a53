import { isIP } from 'node:net';
import Joi from 'joi';
import ms from 'ms';
import { type MysqlLocation, parseDatabaseUrl, type SqliteLocation } from './database-url.js';

/** The environment variables that the program reads, and what they may be. Reading them is config.ts's. */

/** `required`: encrypted, the server's certificate verified; `no-verify`: encrypted only. */
export type TlsMode = 'off' | 'required' | 'no-verify';

/** Express's `trust proxy`: a number of hops, or the proxies' addresses. */
export type TrustProxy = false | number | readonly string[];

/** A custom Joi rule from a function that gives the parsed value, or throws the sentence "must be ...". */
const parsed = <T>(parse: (text: string) => T) =>
  Joi.string().custom((text: string, helpers) => {
    try {
      return parse(text);
    } catch (error) {
      // Parsers throw nothing but sentences.
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

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** The rule of each, in the order in which `coursectl config` shows them. */
const rules: Record<SettingName, Joi.Schema> = {
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
  MAX_REQUESTS_IN_FLIGHT: integer(1, 10_000).default(20),
  MAX_CONNECTIONS_PER_ADDRESS: integer(10, 5000).default(2000),
  MIN_BODY_RATE: integer(1, 1_000_000).default(500),
  DRAIN_DELAY_MS: integer(0, 20_000).default(0),
  JWT_SECRET: Joi.string(),
  JWT_SECRET_PREVIOUS: Joi.string(),
  JWT_EXPIRES_IN: parsed(parseLifetime).default(7 * 86_400),
  MAX_SESSIONS: integer(1, 10_000).default(50),
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
  MAX_COURSES_PER_TRAINER: integer(1, 1_000_000).default(500),
  FILE_STORAGE: Joi.valid('local', 's3').default('local').messages({ '*': '{#label} must be local or s3' }),
  FILE_IMAGE_MAX_BYTES: integer(1024, 104_857_600).default(10_485_760),
  FILE_IMAGE_MAX_PIXELS: integer(10_000, 268_000_000).default(25_000_000),
  FILE_MATERIAL_MAX_BYTES: integer(1024, 5_000_000_000).default(104_857_600),
  FILE_MATERIAL_TYPES: parsed(parseExtensions).default([]),
  FILE_COURSE_QUOTA_BYTES: integer(1024, 1_000_000_000_000_000).default(1_073_741_824),
  FILE_COURSE_MAX_FILES: integer(1, 1_000_000).default(1000),
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
};

// Object.keys gives any text: the type of `rules` says that these are the names.
export const settingNames = Object.keys(rules) as readonly SettingName[];

/** What a validated environment is made by: all variables together, given ones as their text. */
export const environmentSchema = Joi.object(rules);

/** The validated environment, a property a variable. */
export interface Environment {
  NODE_ENV: 'development' | 'production' | 'test';
  DATA_DIR: string;
  DATABASE_URL?: SqliteLocation | MysqlLocation;
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
  MAX_CONNECTIONS_PER_ADDRESS: number;
  MIN_BODY_RATE: number;
  DRAIN_DELAY_MS: number;
  JWT_SECRET?: string;
  JWT_SECRET_PREVIOUS?: string;
  JWT_EXPIRES_IN: number;
  MAX_SESSIONS: number;
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
  MAX_COURSES_PER_TRAINER: number;
  FILE_STORAGE: 'local' | 's3';
  FILE_IMAGE_MAX_BYTES: number;
  FILE_IMAGE_MAX_PIXELS: number;
  FILE_MATERIAL_MAX_BYTES: number;
  FILE_MATERIAL_TYPES: string[];
  FILE_COURSE_QUOTA_BYTES: number;
  FILE_COURSE_MAX_FILES: number;
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

/** Every environment variable that the program reads. */
export type SettingName = keyof Environment;

/** Shortest secret accepted in production, in bytes: HS256's key length (RFC 7518, section 3.2). */
const minimumSecretBytes = 32;
const placeholderSecret = /^(.)\1*$|change.?me|your.?(jwt.?)?secret|secret.?key|example|placeholder/i;

/** What is wrong with a signing secret, or `undefined` when it is fit for production. */
export function secretWeakness(secret: string): string | undefined {
  if (Buffer.byteLength(secret) < minimumSecretBytes) return `is shorter than ${minimumSecretBytes} bytes`;
  if (placeholderSecret.test(secret)) return 'looks like a placeholder';
  return undefined;
}

const howToMakeASecret = 'make one with: openssl rand -base64 48';

/** Rules that involve more than one setting; each gives a sentence that starts with the setting's name. */
export function crossChecks(settings: Environment): string[] {
  const problems: string[] = [];
  const separate = (['DB_HOST', 'DB_PORT', 'DB_NAME', 'DB_USER', 'DB_PASSWORD'] as const).filter(
    (name) => settings[name] !== undefined,
  );
  if (settings.DATABASE_URL && separate.length > 0) {
    problems.push(`DATABASE_URL must not be combined with ${separate.join(', ')}: set one or the other`);
  } else if (separate.length > 0) {
    for (const name of ['DB_NAME', 'DB_USER'] as const) {
      if (settings[name] === undefined) problems.push(`${name} must be set when ${separate[0]} is`);
    }
  }
  if (settings.FILE_STORAGE === 's3' && settings.S3_BUCKET === undefined)
    problems.push('S3_BUCKET must be set when FILE_STORAGE is s3');
  const keys = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
  const [given, ...both] = keys.filter((name) => settings[name] !== undefined);
  const missing = keys.find((name) => name !== given);
  if (given && both.length === 0) problems.push(`${missing} must be set when ${given} is`);
  if (settings.NODE_ENV === 'production') {
    if (settings.JWT_SECRET === undefined) problems.push(`JWT_SECRET must be set in production; ${howToMakeASecret}`);
    for (const name of ['JWT_SECRET', 'JWT_SECRET_PREVIOUS'] as const) {
      const weakness = settings[name] === undefined ? undefined : secretWeakness(settings[name]);
      if (weakness) problems.push(`${name} ${weakness}; ${howToMakeASecret}`);
    }
  }
  return problems;
}
