import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { settingNames, settings } from '../../src/config/settings.js';

const read = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');

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

describe('What the documents say about settings', () => {
  it('is the table in docs/OPERATIONS.md', () => {
    expect(read('docs/OPERATIONS.md'), `The table should be:\n\n${table()}\n`).to.include(`\n${table()}\n`);
  });

  it('is .env.example', () => {
    expect(read('.env.example'), `The file should be:\n\n${envExample()}\n`).to.equal(envExample());
  });
});
