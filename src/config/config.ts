import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse as parseDotenv } from 'dotenv';
import { AppError, systemErrorCode } from '../errors.js';
import { userFolder } from '../installation.js';
import type { MysqlLocation, SqliteLocation } from './database-url.js';
import {
  crossChecks,
  type Environment,
  environmentSchema,
  type SettingName,
  settingNames,
  type TlsMode,
  type TrustProxy,
} from './settings.js';

/** The file's path is absolute. */
export type SqliteConfig = SqliteLocation;

/** A database on a MySQL or MariaDB server, and how it is connected to. */
export interface MysqlConfig extends MysqlLocation {
  tls: TlsMode;
  /** Path of a PEM file with the certificate authorities to trust; the system's when absent. */
  tlsCaFile?: string;
  poolMax: number;
  /** How long a request waits for a connection of the pool, in milliseconds. */
  poolAcquireMs: number;
}

/** The effective settings. Made once by {@link loadConfig}; frozen. */
export interface Config {
  environment: Environment['NODE_ENV'];
  /** Absolute path of the folder for the embedded database, the development secret and files. */
  dataDir: string;
  database: SqliteConfig | MysqlConfig;
  http: {
    host: string;
    port: number;
    /** How many requests are worked on at once; a few more wait, the rest are turned away. */
    maxInFlight: number;
    /** How many connections there may be from one address, unless it is a trusted proxy's. */
    connectionsPerAddress: number;
    /** A body or upload that is slower for 5 s is ended, in bytes a second. */
    minBodyRate: number;
    /** How long a service that was told to stop goes on taking requests, so that its balancer can notice. */
    drainDelayMs: number;
    allowedOrigins: readonly string[];
    trustProxy: TrustProxy;
    /** Whoever reads the figures at /metrics must send it; open when absent. */
    metricsToken?: string;
  };
  auth: {
    /** Absent outside production: one is generated and kept in {@link Config.dataDir}. */
    jwtSecret?: string;
    jwtSecretPrevious?: string;
    tokenLifetimeSeconds: number;
    /** How many sessions an account may have; one more ends the oldest. */
    maxSessions: number;
    bcryptCost: number;
    /** In characters. */
    passwordMinLength: number;
    /** Whether common passwords, and the account's own data as one, are refused. */
    passwordBlocklist: boolean;
    /** How long a generated initial password works, in days. */
    initialPasswordDays: number;
  };
  /** How many rows are committed together, and how large a file to be imported, and what is in it, may be. */
  imports: {
    batchRows: number;
    /** How many imports the service runs at once, over all instances on a database. */
    concurrency: number;
    fieldBytes: number;
    recordBytes: number;
    columns: number;
    uploadBytes: number;
    uploadRows: number;
  };
  courses: {
    /** How many courses a trainer may make; the super admin may give them more. */
    ofTrainer: number;
  };
  files: {
    storage: LocalStorageConfig | S3Config;
    imageBytes: number;
    /** Pictures with more pixels are refused. */
    imagePixels: number;
    materialBytes: number;
    /** File name extensions that course materials may have; any when there are none. */
    materialTypes: readonly string[];
    /** What the materials of a course may have altogether. */
    courseQuotaBytes: number;
    /** How many materials a course may have: also empty ones have a row and an object. */
    courseFiles: number;
  };
  logLevel: string;
}

/** Files in a folder. */
export interface LocalStorageConfig {
  kind: 'local';
  /** Absolute path. */
  folder: string;
}

/** Files in a bucket of an S3 server. */
export interface S3Config {
  kind: 's3';
  /** Of another server than Amazon's. */
  endpoint?: string;
  region: string;
  bucket: string;
  /** Put before every key, with a slash between them; `''` for none. */
  prefix: string;
  /** Without this pair the SDK looks where it always does: its variables, profiles, the machine's role. */
  accessKeyId?: string;
  secretAccessKey?: string;
  /** The bucket in the path of the URL, not in the host name. */
  forcePathStyle: boolean;
}

/** Where settings are read from. */
export interface ConfigSource {
  /** Environment variables; `process.env` when absent. */
  env?: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths and the `.env` file belong to; the working directory when absent. */
  cwd?: string;
  /** Where the program lies; known by itself when absent. */
  packageFolder?: string;
}

interface RawSettings {
  values: Partial<Record<SettingName, string>>;
  origins: Partial<Record<SettingName, 'environment' | '.env'>>;
}

/** The file that settings are read from, besides the environment: in a program for all projects, that of this user. */
export function envFile({ env = process.env, cwd = process.cwd(), ...source }: ConfigSource): string {
  return path.join(userFolder({ env, cwd, ...source }) ?? cwd, '.env');
}

/**
 * The settings as given: the environment first, then the `.env` file. An empty value counts as none.
 * @throws AppError `CONFIG_INVALID` when there is a `.env` that can't be read
 */
export function readSettings(source: ConfigSource): RawSettings {
  const { env = process.env } = source;
  const settingsFile = envFile(source);
  let file: Record<string, string> = {};
  try {
    file = parseDotenv(readFileSync(settingsFile));
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') {
      throw new AppError(
        'CONFIG_INVALID',
        `The file ${path.relative(source.cwd ?? process.cwd(), settingsFile)} can't be read (${systemErrorCode(error)}). Make it readable, or remove it.`,
        { cause: error },
      );
    }
  }
  const raw: RawSettings = { values: {}, origins: {} };
  for (const name of settingNames) {
    const [value, origin] = env[name] ? ([env[name], 'environment'] as const) : ([file[name], '.env'] as const);
    if (!value) continue;
    raw.values[name] = value;
    raw.origins[name] = origin;
  }
  return raw;
}

function databaseConfig(
  settings: Environment,
  baseOf: (name: SettingName) => string,
  dataDir: string,
): SqliteConfig | MysqlConfig {
  const url = settings.DATABASE_URL;
  if (url?.dialect === 'sqlite') return { dialect: 'sqlite', file: path.resolve(baseOf('DATABASE_URL'), url.file) };
  if (!url && settings.DB_NAME === undefined)
    return { dialect: 'sqlite', file: path.join(dataDir, 'coursectl.sqlite') };
  const server = url ?? {
    dialect: 'mysql' as const,
    host: settings.DB_HOST ?? '127.0.0.1',
    port: settings.DB_PORT ?? 3306,
    name: settings.DB_NAME ?? '',
    user: settings.DB_USER ?? '',
    password: settings.DB_PASSWORD ?? '',
  };
  return {
    ...server,
    tls: settings.DB_TLS,
    ...(settings.DB_TLS_CA_FILE !== undefined && {
      tlsCaFile: path.resolve(baseOf('DB_TLS_CA_FILE'), settings.DB_TLS_CA_FILE),
    }),
    poolMax: settings.DB_POOL_MAX,
    poolAcquireMs: settings.DB_POOL_ACQUIRE_MS,
  };
}

function storageConfig(settings: Environment, dataDir: string): LocalStorageConfig | S3Config {
  if (settings.FILE_STORAGE === 'local') return { kind: 'local', folder: path.join(dataDir, 'files') };
  const { S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  return {
    kind: 's3',
    ...(endpoint !== undefined && { endpoint }),
    region: settings.S3_REGION,
    bucket: settings.S3_BUCKET ?? '',
    prefix: settings.S3_PREFIX,
    ...(accessKeyId !== undefined && { accessKeyId }),
    ...(secretAccessKey !== undefined && { secretAccessKey }),
    // Other servers than Amazon's seldom have a host name for each bucket.
    forcePathStyle: settings.S3_FORCE_PATH_STYLE ?? endpoint !== undefined,
  };
}

/**
 * Reads, checks and freezes the settings from the environment and the `.env` file.
 * @throws AppError `CONFIG_INVALID`, one detail a wrong setting, each saying what the setting should be
 */
export function loadConfig(source: ConfigSource = {}): Config {
  const { env = process.env, cwd = process.cwd() } = source;
  const { values, origins } = readSettings(source);
  /** What a setting is relative to: the file that it stands in, or the folder that its user stands in. */
  const baseOf = (name: SettingName) => (origins[name] === '.env' ? path.dirname(envFile(source)) : cwd);
  const { value, error } = environmentSchema.validate(values, {
    abortEarly: false,
    errors: { wrap: { label: false } },
  });
  // Used only when there is no error, and then the schema has made it; rules across settings bear with wrong ones.
  const settings = value as Environment;
  const problemBySetting = new Map<string, string>();
  for (const message of [...(error?.details ?? []).map((detail) => detail.message), ...crossChecks(settings)]) {
    const name = message.split(' ')[0] ?? '';
    if (!problemBySetting.has(name)) problemBySetting.set(name, `${message}.`);
  }
  if (problemBySetting.size > 0) {
    const problems = [...problemBySetting].map(([path, message]) => ({ path, message }));
    throw new AppError(
      'CONFIG_INVALID',
      `The configuration is not valid: ${problems.map((problem) => problem.message).join(' ')}`,
      { details: problems },
    );
  }
  const ownFolder = values.DATA_DIR === undefined ? userFolder({ ...source, env, cwd }) : undefined;
  const dataDir = ownFolder ?? path.resolve(baseOf('DATA_DIR'), settings.DATA_DIR);
  return Object.freeze({
    environment: settings.NODE_ENV,
    dataDir,
    database: Object.freeze(databaseConfig(settings, baseOf, dataDir)),
    http: Object.freeze({
      host: settings.HOST,
      port: settings.PORT,
      maxInFlight: settings.MAX_REQUESTS_IN_FLIGHT,
      connectionsPerAddress: settings.MAX_CONNECTIONS_PER_ADDRESS,
      minBodyRate: settings.MIN_BODY_RATE,
      drainDelayMs: settings.DRAIN_DELAY_MS,
      allowedOrigins: Object.freeze(settings.ALLOWED_ORIGINS),
      trustProxy: settings.TRUST_PROXY,
      ...(settings.METRICS_TOKEN !== undefined && { metricsToken: settings.METRICS_TOKEN }),
    }),
    auth: Object.freeze({
      ...(settings.JWT_SECRET !== undefined && { jwtSecret: settings.JWT_SECRET }),
      ...(settings.JWT_SECRET_PREVIOUS !== undefined && { jwtSecretPrevious: settings.JWT_SECRET_PREVIOUS }),
      tokenLifetimeSeconds: settings.JWT_EXPIRES_IN,
      maxSessions: settings.MAX_SESSIONS,
      bcryptCost: settings.BCRYPT_COST,
      passwordMinLength: settings.PASSWORD_MIN_LENGTH,
      passwordBlocklist: (settings.PASSWORD_BLOCKLIST ?? (settings.NODE_ENV === 'production' ? 'on' : 'off')) === 'on',
      initialPasswordDays: settings.INITIAL_PASSWORD_DAYS,
    }),
    imports: Object.freeze({
      batchRows: settings.IMPORT_BATCH_ROWS,
      concurrency: settings.IMPORT_CONCURRENCY,
      fieldBytes: settings.IMPORT_FIELD_MAX_BYTES,
      recordBytes: settings.IMPORT_RECORD_MAX_BYTES,
      columns: settings.IMPORT_MAX_COLUMNS,
      uploadBytes: settings.IMPORT_UPLOAD_MAX_BYTES,
      uploadRows: settings.IMPORT_UPLOAD_MAX_ROWS,
    }),
    courses: Object.freeze({ ofTrainer: settings.MAX_COURSES_PER_TRAINER }),
    files: Object.freeze({
      storage: Object.freeze(storageConfig(settings, dataDir)),
      imageBytes: settings.FILE_IMAGE_MAX_BYTES,
      imagePixels: settings.FILE_IMAGE_MAX_PIXELS,
      materialBytes: settings.FILE_MATERIAL_MAX_BYTES,
      materialTypes: Object.freeze(settings.FILE_MATERIAL_TYPES),
      courseQuotaBytes: settings.FILE_COURSE_QUOTA_BYTES,
      courseFiles: settings.FILE_COURSE_MAX_FILES,
    }),
    logLevel: settings.LOG_LEVEL,
  });
}
