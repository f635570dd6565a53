import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parse as parseDotenv } from 'dotenv';
import { AppError, isAppError, systemErrorCode } from '../errors.js';
import { userFolder } from '../installation.js';
import { crossChecks, type SettingProblem } from './cross-checks.js';
import type { MysqlLocation, SqliteLocation } from './database-url.js';
import { type Section, type SettingName, type SettingValues, settingNames, settings } from './settings.js';

/** The path of the file is absolute. */
export type SqliteConfig = SqliteLocation;

/** Connection to a database on a MySQL or MariaDB server. The path of the CA file is absolute. */
export interface MysqlConfig extends MysqlLocation, Omit<Section<'database'>, keyof MysqlLocation> {}

/** Effective settings, which `settings.ts` describes. {@link loadConfig} freezes them. */
export interface Config {
  environment: SettingValues['NODE_ENV'];
  /** Absolute path. */
  dataDir: string;
  database: SqliteConfig | MysqlConfig;
  http: Section<'http'>;
  auth: Section<'auth'>;
  oidc: Section<'oidc'>;
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

export interface LocalStorageConfig {
  kind: 'local';
  /** Absolute path. */
  folder: string;
}

/** Storage of files in a bucket of an S3 server. */
export interface S3Config extends Omit<Section<'files.storage'>, 'kind' | 'bucket'> {
  kind: 's3';
  bucket: string;
}

export interface ConfigSource {
  /** Environment variables; by default `process.env`. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Base folder of relative paths and the `.env` file; by default the working directory. */
  cwd?: string;
  /** Folder of the installed program; found automatically by default. */
  packageFolder?: string;
}

interface RawSettings {
  values: Partial<Record<SettingName, string>>;
  origins: Partial<Record<SettingName, 'environment' | '.env'>>;
}

/** Returns the path of the `.env` file. A global installation has the file in this user's folder. */
export function envFile({ env = process.env, cwd = process.cwd(), ...source }: ConfigSource): string {
  return path.join(userFolder({ env, cwd, ...source }) ?? cwd, '.env');
}

export interface SettingsFile {
  values: Readonly<Record<string, string>>;
  /** Numbers, from 1, of lines that are neither settings nor comments. */
  unreadLines: readonly number[];
}

/** Matches quoted values, which may have several lines. */
const quotedValue = /(?<==[ \t]*)(?:"(?:\\"|[^"])*"|'(?:\\'|[^'])*'|`(?:\\`|[^`])*`)/g;

/** Matches lines that dotenv reads as a setting, a comment, or an empty line. */
const settingLine = /^\s*(?:$|#|(?:export\s+)?[\w.-]+(?:\s*=|:\s))/;

/** Reads the `.env` file. A missing file has no values. @throws AppError `CONFIG_INVALID` if the file can't be read */
export function settingsFileOf(source: ConfigSource): SettingsFile {
  const settingsFile = envFile(source);
  const shown = path.relative(source.cwd ?? process.cwd(), settingsFile);
  let text: string;
  try {
    // The path could be a pipe. Then every command, and completion with the Tab key, would wait for the end of the pipe.
    if (!statSync(settingsFile).isFile())
      throw new AppError(
        'CONFIG_INVALID',
        `The file ${shown} can't be read (it isn't a regular file). Replace it with a regular file, or remove it.`,
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
  // Some editors and shells write UTF-16, in which dotenv finds no setting.
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
 * Reads the settings as text. The environment takes precedence over the `.env` file. An empty value counts as absent.
 * @throws AppError `CONFIG_INVALID` if the `.env` file can't be read
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
  // crossChecks() makes sure that S3_BUCKET is set if FILE_STORAGE is s3.
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

/** Returns the values directly below one path of `Config`. */
function sectionOf<S extends string>(values: Partial<SettingValues>, section: S): Section<S> {
  const entries = settingNames.flatMap((name) => {
    const key = settings[name].path.slice(section.length + 1);
    const isDirectlyBelow = settings[name].path === `${section}.${key}` && !key.includes('.');
    return isDirectlyBelow && values[name] !== undefined ? [[key, Object.freeze(values[name])]] : [];
  });
  // The type is derived from the same paths.
  return Object.fromEntries(entries) as Section<S>;
}

/** @throws AppError `CONFIG_INVALID` with a detail for each wrong setting */
function checkedValues(given: RawSettings['values']): SettingValues {
  const values: Partial<Record<SettingName, unknown>> = {};
  const problems: SettingProblem[] = [];
  for (const name of settingNames) {
    const { rule, default: defaultValue } = settings[name];
    const text = given[name] ?? (typeof defaultValue === 'function' ? defaultValue(given) : defaultValue);
    if (text === undefined) continue;
    try {
      values[name] = rule(text, given);
    } catch (error) {
      // Rules throw only errors whose message is the predicate of a sentence.
      problems.push({ name, problem: (error as Error).message });
    }
  }
  // Each value comes from the rule that defines its type. A value is missing only if there is a problem.
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
 * @throws AppError `CONFIG_INVALID` with a detail for each wrong setting, which says what the setting must be
 */
export function loadConfig(source: ConfigSource = {}): Config {
  const { env = process.env, cwd = process.cwd() } = source;
  const { values: given, origins } = readSettings(source);
  /**
   * Returns the base folder of a relative path: the folder of the `.env` file for settings in this file, otherwise the
   * working directory.
   */
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
    oidc: Object.freeze(sectionOf(values, 'oidc')),
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
