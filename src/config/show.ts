import { type Config, type ConfigSource, loadConfig, readSettings } from './config.js';
import { databaseUrlForDisplay } from './database-url.js';
import { isMailAddress, mailAddressText } from './mail-settings.js';
import { type SettingName, settingNames, settings } from './settings.js';

export interface ShownSetting {
  name: SettingName;
  value: string;
  /** `DATABASE_URL` or `DB_NAME` if that setting determines the value. */
  origin: 'environment' | '.env' | 'default' | 'DATABASE_URL' | 'DB_NAME';
}

function valueAt(config: Config, path: string): unknown {
  let value: unknown = config;
  // All values on the path except the last are objects.
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
  // The text of an empty list is empty.
  const text = value === undefined ? '' : isMailAddress(value) ? mailAddressText(value) : String(value);
  if (text === '') return ifAbsent;
  return secret ? '(hidden)' : (displayTexts[text] ?? `${text}${unit}`);
}

/**
 * Returns the effective settings as text. Secrets and the password in a URL are hidden completely.
 * @throws the errors of {@link loadConfig}
 */
export function describeSettings(source: ConfigSource = {}): ShownSetting[] {
  const config = loadConfig(source);
  const { values, origins } = readSettings(source);
  /**
   * Returns the setting that determines a setting that isn't given: DATABASE_URL and the DB_* settings replace each other.
   */
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
