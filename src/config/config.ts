import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parse as parseDotenv } from 'dotenv';
import { AppError, isAppError, systemErrorCode } from '../errors.js';
import { userFolder } from '../installation.js';
import { crossChecks, type SettingProblem } from './cross-checks.js';
import type { MysqlLocation, SqliteLocation } from './database-url.js';
import { type Section, type SettingName, type SettingValues, settingNames, settings } from './settings.js';

/** The file's path is absolute. */
export type SqliteConfig = SqliteLocation;

/** A database on a MySQL or MariaDB server, and how to connect to it. The path of the CA file is absolute. */
export interface MysqlConfig extends MysqlLocation, Omit<Section<'database'>, keyof MysqlLocation> {}

/** The effective settings, as `settings.ts` describes them. Made once by {@link loadConfig}; frozen. */
export interface Config {
  environment: SettingValues['NODE_ENV'];
  /** Absolute path. */
  dataDir: string;
  database: SqliteConfig | MysqlConfig;
  http: Section<'http'>;
  auth: Section<'auth'>;
  imports: Section<'imports'>;
  courses: Section<'courses'>;
  retention: Section<'retention'>;
  search: Section<'search'>;
  /** The path of the logo is absolute. */
  programme: Section<'programme'>;
  mail: Section<'mail'>;
  files: Section<'files'> & { storage: LocalStorageConfig | S3Config };
  logLevel: SettingValues['LOG_LEVEL'];
  logFormat: SettingValues['LOG_FORMAT'];
}

/** Files in a folder. */
export interface LocalStorageConfig {
  kind: 'local';
  /** Absolute path. */
  folder: string;
}

/** Files in a bucket of an S3 server. */
export interface S3Config extends Omit<Section<'files.storage'>, 'kind' | 'bucket'> {
  kind: 's3';
  bucket: string;
}

/** Where settings are read from. */
export interface ConfigSource {
  /** Environment variables; `process.env` when absent. */
  env?: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths and the `.env` file belong to; the working directory when absent. */
  cwd?: string;
  /** Where the program is installed; found by itself when absent. */
  packageFolder?: string;
}

interface RawSettings {
  values: Partial<Record<SettingName, string>>;
  origins: Partial<Record<SettingName, 'environment' | '.env'>>;
}

/** The `.env` file that settings are read from: of a global installation, the one in this user's folder. */
export function envFile({ env = process.env, cwd = process.cwd(), ...source }: ConfigSource): string {
  return path.join(userFolder({ env, cwd, ...source }) ?? cwd, '.env');
}

/** What the `.env` file has. */
export interface SettingsFile {
  /** Values by name. */
  values: Readonly<Record<string, string>>;
  /** The numbers of the lines that are neither settings nor comments, from 1. */
  unreadLines: readonly number[];
}

/** Values in quotes may have several lines. */
const quotedValue = /(?<==[ \t]*)(?:"(?:\\"|[^"])*"|'(?:\\'|[^'])*'|`(?:\\`|[^`])*`)/g;

/** What dotenv takes for a setting, a comment, or nothing. */
const settingLine = /^\s*(?:$|#|(?:export\s+)?[\w.-]+(?:\s*=|:\s))/;

/** @throws AppError `CONFIG_INVALID` when it can't be read */
export function settingsFileOf(source: ConfigSource): SettingsFile {
  const settingsFile = envFile(source);
  const shown = path.relative(source.cwd ?? process.cwd(), settingsFile);
  let text: string;
  try {
    // The owner of the folder could put a pipe there: each command, and the Tab key, would wait for its end.
    if (!statSync(settingsFile).isFile())
      throw new AppError(
        'CONFIG_INVALID',
        `The file ${shown} can't be read (it isn't a regular file). Put one in its place, or remove it.`,
      );
    text = readFileSync(settingsFile, 'utf8');
  } catch (error) {
    if (isAppError(error)) throw error;
    if (systemErrorCode(error) === 'ENOENT') return { values: {}, unreadLines: [] };
    throw new AppError(
      'CONFIG_INVALID',
      `The file ${shown} can't be read (${systemErrorCode(error)}). Make it readable, or remove it.`,
      { cause: error },
    );
  }
  // Some editors and shells write UTF-16, in which no setting would be found.
  if (text.includes('\0')) throw new AppError('CONFIG_INVALID', `The file ${shown} is not in UTF-8. Save it as UTF-8.`);
  const lines = text
    .replace(/^\ufeff/, '')
    .replace(quotedValue, (value) => value.replace(/[^\n]+/g, '#'))
    .split('\n');
  return {
    values: parseDotenv(text),
    unreadLines: lines.flatMap((line, index) => (settingLine.test(line) ? [] : [index + 1])),
  };
}

/**
 * The settings as given: the environment first, then the `.env` file. An empty value counts as none.
 * @throws AppError `CONFIG_INVALID` when the `.env` file can't be read
 */
export function readSettings(source: ConfigSource): RawSettings {
  const { env = process.env } = source;
  const { values: file } = settingsFileOf(source);
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
  { DATABASE_URL: url, DB_NAME: name, DB_USER: user }: SettingValues,
  { tlsCaFile, ...server }: Section<'database'>,
  baseOf: (name: SettingName) => string,
  dataDir: string,
): SqliteConfig | MysqlConfig {
  if (url?.dialect === 'sqlite') return { dialect: 'sqlite', file: path.resolve(baseOf('DATABASE_URL'), url.file) };
  const inParts = name !== undefined && user !== undefined ? { dialect: 'mysql' as const, name, user } : undefined;
  const location = url ?? inParts;
  if (!location) return { dialect: 'sqlite', file: path.join(dataDir, 'coursectl.sqlite') };
  return {
    ...server,
    ...location,
    ...(tlsCaFile !== undefined && { tlsCaFile: path.resolve(baseOf('DB_TLS_CA_FILE'), tlsCaFile) }),
  };
}

function storageConfig(storage: Section<'files.storage'>, dataDir: string): LocalStorageConfig | S3Config {
  const { kind, bucket } = storage;
  // S3_BUCKET is set when FILE_STORAGE is s3.
  return kind === 'local' || bucket === undefined
    ? { kind: 'local', folder: path.join(dataDir, 'files') }
    : { ...storage, kind, bucket };
}

const programmeConfig = (
  { logo, ...programme }: Section<'programme'>,
  baseOf: (name: SettingName) => string,
): Section<'programme'> => ({
  ...programme,
  ...(logo !== undefined && { logo: path.resolve(baseOf('PROGRAMME_LOGO'), logo) }),
});

/** The values below one path of `Config`. */
function sectionOf<S extends string>(values: Partial<SettingValues>, section: S): Section<S> {
  const entries = settingNames.flatMap((name) => {
    const key = settings[name].path.slice(section.length + 1);
    const isDirectlyBelow = settings[name].path === `${section}.${key}` && !key.includes('.');
    return isDirectlyBelow && values[name] !== undefined ? [[key, Object.freeze(values[name])]] : [];
  });
  // The type follows from the same paths.
  return Object.fromEntries(entries) as Section<S>;
}

/** @throws AppError `CONFIG_INVALID`, one detail a wrong setting */
function checkedValues(given: RawSettings['values']): SettingValues {
  const values: Partial<Record<SettingName, unknown>> = {};
  const problems: SettingProblem[] = [];
  for (const name of settingNames) {
    const { rule, default: otherwise } = settings[name];
    const text = given[name] ?? (typeof otherwise === 'function' ? otherwise(given) : otherwise);
    if (text === undefined) continue;
    try {
      values[name] = rule(text, given);
    } catch (error) {
      // Rules throw nothing but sentences.
      problems.push({ name, problem: (error as Error).message });
    }
  }
  // Each value was made by the rule that gives its type; one is missing only where there is a problem.
  const checked = values as SettingValues;
  problems.push(...crossChecks(given, checked));
  if (problems.length === 0) return checked;
  const firstOfEach = new Map(problems.toReversed().map((problem) => [problem.name, problem]));
  const details = [...firstOfEach.values()]
    .toReversed()
    .map(({ name, problem }) => ({ path: name, code: 'INVALID' as const, message: `${name} ${problem}.` }));
  const message = `The configuration is not valid: ${details.map((detail) => detail.message).join(' ')}`;
  throw new AppError('CONFIG_INVALID', message, { details });
}

/**
 * Reads, checks and freezes the settings from the environment and the `.env` file.
 * @throws AppError `CONFIG_INVALID`, one detail a wrong setting, each saying what the setting should be
 */
export function loadConfig(source: ConfigSource = {}): Config {
  const { env = process.env, cwd = process.cwd() } = source;
  const { values: given, origins } = readSettings(source);
  /** The folder that relative paths in a setting belong to: that of the `.env` file, or the working directory. */
  const baseOf = (name: SettingName) => (origins[name] === '.env' ? path.dirname(envFile(source)) : cwd);
  const values = checkedValues(given);
  const installedFolder = given.DATA_DIR === undefined ? userFolder({ ...source, env, cwd }) : undefined;
  const dataDir = installedFolder ?? path.resolve(baseOf('DATA_DIR'), values.DATA_DIR);
  const database = databaseConfig(values, sectionOf(values, 'database'), baseOf, dataDir);
  return Object.freeze({
    environment: values.NODE_ENV,
    dataDir,
    database: Object.freeze(database),
    http: Object.freeze(sectionOf(values, 'http')),
    auth: Object.freeze(sectionOf(values, 'auth')),
    imports: Object.freeze(sectionOf(values, 'imports')),
    courses: Object.freeze(sectionOf(values, 'courses')),
    retention: Object.freeze(sectionOf(values, 'retention')),
    search: Object.freeze(sectionOf(values, 'search')),
    programme: Object.freeze(programmeConfig(sectionOf(values, 'programme'), baseOf)),
    mail: Object.freeze(sectionOf(values, 'mail')),
    files: Object.freeze({
      ...sectionOf(values, 'files'),
      storage: Object.freeze(storageConfig(sectionOf(values, 'files.storage'), dataDir)),
    }),
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT,
  });
}
