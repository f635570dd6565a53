import { expect } from 'chai';
import fc from 'fast-check';
import { printable, printableLine } from '../../../../src/cli/core/output/printable.js';
import { people, useImporting } from '../../../services/imports/support/importing.js';
import { buildCourse, signIn } from '../../../support/factories.js';
import { runCli } from '../../../support/run-cli.js';

/** Clears the screen, sets the window's title, colours and reorders text, and breaks lines. */
const evil = '\u001b[2J\u001b]0;x\u0007\u009b31m\u202e\u2066\u2028\r';
const raw = /[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

describe('Text on a terminal', () => {
  it('shows control characters as escapes', () => {
    expect(printable('a\u001b[31mb\u009bc\u202ed\re\n\tf')).to.equal('a\\u001b[31mb\\u009bc\\u202ed\\u000de\n\tf');
    expect(printableLine('a\nb\tc')).to.equal('a\\u000ab\\u0009c');
    for (const text of ['Zoë 李小龙 🦊 שלום میرزاخانی\u200cها', "O'Hara"]) expect(printable(text)).to.equal(text);
  });

  it('keeps its meaning as JSON', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.dictionary(text, text), (value) => {
        const json = printable(JSON.stringify(value, null, 2));
        expect(JSON.parse(json)).to.deep.equal(JSON.parse(JSON.stringify(value)));
        expect(json).not.to.match(raw);
      }),
    );
  });
});

describe('The output of commands', () => {
  const importing = useImporting();
  const run = (...argv: string[]) => runCli(argv, { env: importing.env, cwd: importing.folder });

  it('has no escape sequence of an imported file, in plan and report', async () => {
    const rows = `A${evil},King,"${evil}\n  line 9  create  nobody@example.org",1\nAda,King,ada@example.org,+1 555\n`;
    const file = importing.write(
      'people.csv',
      `first${evil.replaceAll('\r', '')}name,${people(0).split(',').slice(1).join(',').trim()},x${evil}\n${rows}`,
    );
    for (const flags of [['--dry-run'], ['--dry-run', '--json'], ['--yes'], ['--map', `${evil}=phone`, '--yes']]) {
      const { stdout, stderr } = await run('users', 'import', file, ...flags);
      expect(stdout + stderr, flags.join(' ')).not.to.match(raw);
      expect(stdout.split('\n').filter((line) => line.includes('line 9'))).to.have.length.below(2);
      expect(stdout).not.to.match(/^ {2}line 9/m);
    }
  });

  it('has no escape sequence of old database rows', async () => {
    const { user } = await signIn(importing.context, { role: 'trainer', lastName: `King${evil}` });
    const course = await buildCourse(importing.context, user, { title: `Knots${evil}`, description: `Rope\n${evil}` });
    for (const argv of [
      ['users', 'list'],
      ['courses', 'show', course.id],
      ['courses', 'list', '--json'],
      ['courses', 'show', `${evil}`],
      ['audit', 'list'],
      ['users', `${evil}`],
      ['users', 'list', '--limit', evil],
      ['users', 'list', `--${evil}`],
    ]) {
      const { stdout, stderr } = await run(...argv);
      expect(stdout + stderr, argv.join(' ')).to.have.length.above(0);
      expect(stdout + stderr, argv.join(' ')).not.to.match(raw);
    }
  });

  it('is unchanged for a pipe, and escaped for a terminal', async () => {
    await signIn(importing.context, { firstName: `Ada${evil}` });
    expect((await run('users', 'export')).stdout).to.include('\u001b[2J');
    const { stdout: shown } = await runCli(['users', 'export'], {
      env: importing.env,
      cwd: importing.folder,
      screen: { columns: 80, rows: 24 },
    });
    expect(shown).to.include('Ada\\u001b[2J').and.not.to.match(raw);
  });
});
