import { type ConfigSource, loadConfig, type MysqlConfig, readSettings, type S3Config } from './config.js';
import { databaseUrlForDisplay } from './database-url.js';
import { type SettingName, settingNames } from './settings.js';

/** A setting as `coursectl config` shows it. */
export interface ShownSetting {
  name: SettingName;
  value: string;
  origin: 'environment' | '.env' | 'default';
}

/**
 * The effective settings for people to read: secrets and the password in a URL are hidden, never shown in part.
 * @throws AppError `CONFIG_INVALID`, as {@link loadConfig} does
 */
export function describeSettings(source: ConfigSource = {}): ShownSetting[] {
  const config = loadConfig(source);
  const { values, origins } = readSettings(source);
  const { database } = config;
  // Where a setting that isn't given comes from: the URL and the separate settings each stand for the other.
  const standIn = (name: SettingName) => {
    if (/^DB_(HOST|PORT|NAME|USER|PASSWORD)$/.test(name) && values.DATABASE_URL !== undefined)
      return origins.DATABASE_URL;
    return name === 'DATABASE_URL' ? origins.DB_NAME : undefined;
  };
  const mysql = (show: (settings: MysqlConfig) => string | number) =>
    database.dialect === 'mysql' ? String(show(database)) : '(not used with SQLite)';
  const { storage } = config.files;
  const s3 = (show: (settings: S3Config) => string) => (storage.kind === 's3' ? show(storage) : '(not used)');
  const effective: Record<SettingName, string> = {
    NODE_ENV: config.environment,
    DATA_DIR: config.dataDir,
    DATABASE_URL: databaseUrlForDisplay(database),
    DB_HOST: mysql((settings) => settings.host),
    DB_PORT: mysql((settings) => settings.port),
    DB_NAME: mysql((settings) => settings.name),
    DB_USER: mysql((settings) => settings.user),
    DB_PASSWORD: mysql((settings) => (settings.password === '' ? '(none)' : '(hidden)')),
    DB_TLS: mysql((settings) => settings.tls),
    DB_TLS_CA_FILE: mysql((settings) => settings.tlsCaFile ?? "(the system's authorities)"),
    DB_POOL_MAX: mysql((settings) => settings.poolMax),
    DB_POOL_ACQUIRE_MS: mysql((settings) => settings.poolAcquireMs),
    HOST: config.http.host,
    PORT: String(config.http.port),
    MAX_REQUESTS_IN_FLIGHT: String(config.http.maxInFlight),
    MAX_CONNECTIONS_PER_ADDRESS: String(config.http.connectionsPerAddress),
    MIN_BODY_RATE: String(config.http.minBodyRate),
    DRAIN_DELAY_MS: String(config.http.drainDelayMs),
    JWT_SECRET: config.auth.jwtSecret === undefined ? '(generated, kept in DATA_DIR)' : '(hidden)',
    JWT_SECRET_PREVIOUS: config.auth.jwtSecretPrevious === undefined ? '(none)' : '(hidden)',
    JWT_EXPIRES_IN: `${config.auth.tokenLifetimeSeconds}s`,
    MAX_SESSIONS: String(config.auth.maxSessions),
    ALLOWED_ORIGINS: config.http.allowedOrigins.join(',') || '(none)',
    BCRYPT_COST: String(config.auth.bcryptCost),
    PASSWORD_MIN_LENGTH: String(config.auth.passwordMinLength),
    PASSWORD_BLOCKLIST: config.auth.passwordBlocklist ? 'on' : 'off',
    INITIAL_PASSWORD_DAYS: String(config.auth.initialPasswordDays),
    IMPORT_BATCH_ROWS: String(config.imports.batchRows),
    IMPORT_CONCURRENCY: String(config.imports.concurrency),
    IMPORT_FIELD_MAX_BYTES: String(config.imports.fieldBytes),
    IMPORT_RECORD_MAX_BYTES: String(config.imports.recordBytes),
    IMPORT_MAX_COLUMNS: String(config.imports.columns),
    IMPORT_UPLOAD_MAX_BYTES: String(config.imports.uploadBytes),
    IMPORT_UPLOAD_MAX_ROWS: String(config.imports.uploadRows),
    MAX_COURSES_PER_TRAINER: String(config.courses.ofTrainer),
    FILE_STORAGE: config.files.storage.kind,
    FILE_IMAGE_MAX_BYTES: String(config.files.imageBytes),
    FILE_IMAGE_MAX_PIXELS: String(config.files.imagePixels),
    FILE_MATERIAL_MAX_BYTES: String(config.files.materialBytes),
    FILE_MATERIAL_TYPES: config.files.materialTypes.join(',') || '(any)',
    FILE_COURSE_QUOTA_BYTES: String(config.files.courseQuotaBytes),
    FILE_COURSE_MAX_FILES: String(config.files.courseFiles),
    S3_ENDPOINT: s3((settings) => settings.endpoint ?? "(Amazon's)"),
    S3_REGION: s3((settings) => settings.region),
    S3_BUCKET: s3((settings) => settings.bucket),
    S3_PREFIX: s3((settings) => settings.prefix || '(none)'),
    S3_ACCESS_KEY_ID: s3((settings) => settings.accessKeyId ?? '(found by the AWS SDK)'),
    S3_SECRET_ACCESS_KEY: s3((settings) =>
      settings.secretAccessKey === undefined ? '(found by the AWS SDK)' : '(hidden)',
    ),
    S3_FORCE_PATH_STYLE: s3((settings) => String(settings.forcePathStyle)),
    METRICS_TOKEN: config.http.metricsToken === undefined ? '(none)' : '(hidden)',
    TRUST_PROXY: String(config.http.trustProxy),
    LOG_LEVEL: config.logLevel,
  };
  return settingNames.map((name) => ({
    name,
    value: effective[name],
    origin: origins[name] ?? standIn(name) ?? 'default',
  }));
}
