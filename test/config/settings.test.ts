import { documentedDefault, settingNames, settings } from '../../src/config/settings.js';
import { expectDerived } from '../support/derived.js';

/** Formats a text as comment lines that fit on a screen. */
function comment(text: string): string[] {
  const lines = [''];
  for (const word of text.replaceAll('`', '').split(' ')) {
    if (`${lines.at(-1)} ${word}`.length > 110) lines.push('');
    lines.push(`${lines.pop()} ${word}`);
  }
  return lines.map((line) => `#${line}`);
}

function envExample(): string {
  const entries = settingNames.map((name) => {
    const { default: text, insteadOf, description } = settings[name];
    // Setting one of the DB_* settings replaces DATABASE_URL, so these have no value here.
    const value = typeof text === 'string' && insteadOf === undefined ? text : '';
    const shown = documentedDefault(name);
    const rest = shown === value || shown === '' ? '' : ` (default: ${shown})`;
    return [...comment(description + rest), `${name}=${value}`, ''];
  });
  return [
    '# Copy to .env and keep what you need. The environment takes precedence; an empty value counts as not set.',
    '# "coursectl config" shows the effective settings; docs/OPERATIONS.md says which of them production needs.',
    '',
    ...entries.flat(),
  ].join('\n');
}

describe('src/config/settings.ts', () => {
  it('derives .env.example', () => {
    expectDerived('.env.example', envExample());
  });
});
