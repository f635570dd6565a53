import { type Config, type ConfigSource, loadConfig, readSettings } from './config.js';
import { databaseUrlForDisplay } from './database-url.js';
import { isMailAddress, mailAddressText } from './mail-settings.js';
import { type SettingName, settingNames, settings } from './settings.js';

/** A setting as `coursectl config` shows it. */
export interface ShownSetting {
  name: SettingName;
  value: string;
  /** Another setting, where that one says it. */
  origin: 'environment' | '.env' | 'default' | 'DATABASE_URL' | 'DB_NAME';
}

/** What the configuration has at the path of a setting. */
function valueAt(config: Config, path: string): unknown {
  let value: unknown = config;
  // The path of a setting leads through objects only.
  for (const key of path.split('.')) value = (value as Readonly<Record<string, unknown>>)[key];
  return value;
}

function displayValue(name: SettingName, config: Config): string {
  const { path, secret, ifAbsent = '(none)', unit = '', displayTexts = {} } = settings[name];
  if (name === 'DATABASE_URL') return databaseUrlForDisplay(config.database);
  if (path.startsWith('database.') && config.database.dialect === 'sqlite') return '(not used with SQLite)';
  const { kind } = config.files.storage;
  if (path.startsWith('files.storage.') && name !== 'FILE_STORAGE' && kind === 'local') return '(not used)';
  const value = valueAt(config, path);
  // An empty list has an empty text.
  const text = value === undefined ? '' : isMailAddress(value) ? mailAddressText(value) : String(value);
  if (text === '') return ifAbsent;
  return secret ? '(hidden)' : (displayTexts[text] ?? `${text}${unit}`);
}

/**
 * The effective settings for people to read: secrets and the password in a URL are hidden, never shown in part.
 * @throws AppError `CONFIG_INVALID`, as {@link loadConfig} does
 */
export function describeSettings(source: ConfigSource = {}): ShownSetting[] {
  const config = loadConfig(source);
  const { values, origins } = readSettings(source);
  /** Where a setting that isn't given comes from: DATABASE_URL and the settings instead of it replace each other. */
  const replacement = (name: SettingName) => {
    if (settings[name].insteadOf === 'DATABASE_URL' && values.DATABASE_URL !== undefined) return 'DATABASE_URL';
    return name === 'DATABASE_URL' && values.DB_NAME !== undefined ? 'DB_NAME' : undefined;
  };
  return settingNames.map((name) => ({
    name,
    value: displayValue(name, config),
    origin: origins[name] ?? replacement(name) ?? 'default',
  }));
}
