import { settingNames, settings } from '../../src/config/settings.js';
import { expectDerived } from '../support/derived.js';

/** The table in docs/OPERATIONS.md. */
function table(): string {
  const rows = settingNames.map((name) => {
    const { default: text, defaultText, description } = settings[name];
    const shown = defaultText ?? (typeof text === 'string' && text !== '' ? `\`${text}\`` : '');
    return `| \`${name}\` | ${shown} | ${description} |`;
  });
  return ['| Setting | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

/** A comment of lines that fit on a screen. */
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
    // To give one of the settings that replace another is to use them.
    const value = typeof text === 'string' && insteadOf === undefined ? text : '';
    return [...comment(description), `${name}=${value}`, ''];
  });
  return [
    '# Copy to .env and keep what you need. The environment takes precedence; an empty value counts as not set.',
    '# "coursectl config" shows the effective settings; docs/OPERATIONS.md explains them.',
    '',
    ...entries.flat(),
  ].join('\n');
}

describe('src/config/settings.ts', () => {
  it('derives the table in docs/OPERATIONS.md', () => {
    expectDerived('docs/OPERATIONS.md', `${table()}\n`, /^\| Setting \|.*\n(\|.*\n)+/m);
  });

  it('derives .env.example', () => {
    expectDerived('.env.example', envExample());
  });
});
