import { expect } from 'chai';
import { mailSettings } from '../../../support/environment.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { type Dialogue, keys } from '../../../support/terminal.js';
import { people, useImporting } from '../support/importing.js';
import { importFirstBatch } from '../support/running.js';

describe('coursectl users import at a terminal', () => {
  const importing = useImporting();
  const commandLine = useCommandLine(() => importing.env);
  const question = 'Import these rows?';

  async function converse(dialogue: Dialogue, ...flags: string[]) {
    const file = importing.write('people.csv', `${people(110)}A,B,nobody,\n`);
    return commandLine.atTerminal(['users', 'import', file, ...flags], dialogue);
  }

  it('shows the plan, asks, and shows a progress bar that it removes at the end', async () => {
    const { exitCode, stdout, terminal } = await converse([
      ['111 rows (CSV, comma, UTF-8)', ''],
      ['110 accounts to create (110 trainees), 110 of them with a generated password', ''],
      ['1 row to reject', ''],
      ['line 112  rejected  NAME_INVALID', ''],
      [question, keys.enter],
      ['of 111 rows', ''],
    ]);
    expect(exitCode).to.equal(3);
    expect(stdout).to.match(/^Done: 111 rows in/);
    expect(terminal.screen()).to.match(/Reading: \d+ rows/);
    expect(terminal.screen()).to.match(/Importing .*\d+% \| \d+ of 111 rows \| \d+ rows\/s \| \S+ left/);
    expect(terminal.isRaw()).to.equal(false);
    expect(await importing.context.database.models.User.count()).to.equal(110);
  });

  it('shows the remaining time in a line of 60 characters', async () => {
    const file = importing.write('people.csv', people(110));
    const { terminal } = await commandLine.atTerminal(['users', 'import', file, '--yes'], [], { columns: 60 });
    const lines = terminal.screen().match(/Importing \S+ [^I]*? left/g) ?? [];
    expect(lines).not.to.deep.equal([]);
    for (const line of lines) expect(line.length, line).to.be.at.most(60);
  });

  it('says that it resumes an import, on a line without the progress bar', async () => {
    const file = importing.write('people.csv', people(110));
    await importFirstBatch(importing.context, file);
    const { terminal, exitCode } = await commandLine.atTerminal(
      ['users', 'import', file],
      [
        ['interrupted and will be resumed: 50 rows done, 60 left', ''],
        [question, keys.enter],
      ],
    );
    expect(exitCode).to.equal(0);
    const sentence = 'An import of this file was interrupted and is resumed: 50 rows done, 60 left.\n';
    const before = terminal.written().split(sentence)[0] ?? '';
    // The line must be cleared, with the cursor at its beginning.
    expect(before.slice(-20)).to.satisfy((text: string) => text.endsWith('\u001b[1G\u001b[2K'));
  });

  for (const [answer, typed, code] of [
    ['no', `n${keys.enter}`, 1],
    ['Ctrl-C', keys.ctrlC, 130],
  ] as const) {
    it(`imports nothing if the answer is ${answer}`, async () => {
      const before = await importing.contents();
      const { exitCode, stdout, terminal } = await converse([[question, typed]]);
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: code, stdout: '' });
      expect(terminal.isRaw()).to.equal(false);
      expect(terminal.screen()).to.match(/Nothing was imported\.\n$/);
      expect(await importing.contents()).to.equal(before);
      expect(importing.files()).to.deep.equal(['people.csv']);
    });
  }

  it('asks nothing with --yes, and draws nothing with --quiet', async () => {
    const { exitCode, terminal } = await converse([], '--yes', '--quiet');
    expect(exitCode).to.equal(3);
    expect(terminal.written()).to.equal('');
  });
});

describe('coursectl users import --invite at a terminal', () => {
  const importing = useImporting(mailSettings);
  const commandLine = useCommandLine(() => importing.env);

  it('asks with the number of mails that will be sent', async () => {
    const file = importing.write('people.csv', people(3));
    const question = 'Import these rows, and mail 3 invitations?';
    const { exitCode, stdout } = await commandLine.atTerminal(
      ['users', 'import', file, '--invite'],
      [[question, keys.enter]],
    );
    expect(exitCode).to.equal(0);
    expect(stdout).to.include('send them with: coursectl mail send');
  });
});
