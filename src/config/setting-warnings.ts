import { editDistance } from '../edit-distance.js';
import { type ConfigSource, type SettingsFile, settingsFileOf } from './config.js';
import { type SettingName, settingNames } from './settings.js';

/** Name that looks like a setting but isn't one. Its value has no effect. */
interface UnknownSetting {
  name: string;
  origin: 'environment' | '.env';
  /** Setting that the user probably meant. */
  suggestion?: SettingName;
}

const lettersOf = (name: string) => name.toUpperCase().replace(/[^A-Z\d]/g, '');

const settings = settingNames.map((name) => [name, lettersOf(name)] as const);

/** Finds the setting with the most similar name, if at most `tolerated` letters differ. */
function nearest(name: string, tolerated: (length: number) => number): SettingName | undefined {
  const wanted = lettersOf(name);
  let found: SettingName | undefined;
  let least = tolerated(wanted.length) + 1;
  for (const [setting, letters] of settings) {
    // Each start of the program compares all environment variables, so this must be fast. The difference in length is a
    // lower bound of the distance.
    if (Math.abs(wanted.length - letters.length) >= least) continue;
    const difference = editDistance(wanted, letters, least - 1);
    if (difference < least) [found, least] = [setting, difference];
  }
  return found;
}

/** Tolerance for names that are meant for this program: a third of the letters. */
const looseTolerance = (length: number) => Math.max(1, Math.floor(length * 0.34));

/** Tolerance for names that may belong to another program. Short names are more often similar by chance. */
const strictTolerance = (length: number) => (length >= 8 ? 2 : length >= 6 ? 1 : 0);

const ownPrefix = /^COURSECTL_/i;

/** Length of the longest compared name. No setting is longer. */
const longestCompared = 64;

function unknownInEnvironment(name: string): UnknownSetting | undefined {
  if (name.length > longestCompared) return undefined;
  const isOwn = ownPrefix.test(name);
  const suggestion = nearest(name.replace(ownPrefix, ''), isOwn ? looseTolerance : strictTolerance);
  return isOwn || suggestion ? { name, origin: 'environment', ...(suggestion && { suggestion }) } : undefined;
}

const knownNames: ReadonlySet<string> = new Set(settingNames);

/**
 * Returns names in the `.env` file that are no settings. From the environment, it returns names that begin with
 * `COURSECTL_` or differ from a setting by a typing error.
 */
function unknownNames(source: ConfigSource, values: SettingsFile['values']): UnknownSetting[] {
  const inFile = Object.keys(values).filter((name) => !knownNames.has(name));
  const given = Object.entries(source.env ?? {}).flatMap(([name, value]) =>
    value && !knownNames.has(name) ? [name] : [],
  );
  return [
    ...inFile.map((name): UnknownSetting => {
      const suggestion = nearest(name.slice(0, longestCompared).replace(ownPrefix, ''), looseTolerance);
      return { name, origin: '.env', ...(suggestion && { suggestion }) };
    }),
    ...given.flatMap((name) => unknownInEnvironment(name) ?? []),
  ];
}

function unknownNameText({ name, origin, suggestion }: UnknownSetting): string {
  const where = origin === '.env' ? 'In .env, ' : 'In the environment, ';
  return `${where}${name} is no setting of coursectl.${suggestion === undefined ? '' : ` Did you mean ${suggestion}?`}`;
}

/**
 * Returns a sentence for each text that was probably meant as a setting but has no effect.
 * @throws AppError `CONFIG_INVALID` if the `.env` file can't be read
 */
export function settingWarnings(source: ConfigSource): string[] {
  const { values, unreadLines } = settingsFileOf(source);
  return [
    ...unreadLines.map((line) => `In .env, line ${line} has no effect: a setting is written NAME=value.`),
    ...unknownNames(source, values).map(unknownNameText),
  ];
}
