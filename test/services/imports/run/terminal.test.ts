import { expect } from 'chai';
import { useCommandLine } from '../../../support/run-cli.js';
import { type Dialogue, keys } from '../../../support/terminal.js';
import { people, useImporting } from '../support/importing.js';

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
      ['110 accounts to create, 110 of them with a generated password', ''],
      ['1 row to reject', ''],
      ['line 112  rejected  INVALID', ''],
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

  for (const columns of [60, 80, 100]) {
    it(`keeps the remaining time in a line of ${columns} characters`, async () => {
      const file = importing.write('people.csv', people(110));
      const { terminal } = await commandLine.atTerminal(['users', 'import', file, '--yes'], [], { columns });
      const lines = terminal.screen().match(/Importing \S+ [^I]*? left/g) ?? [];
      expect(lines).not.to.deep.equal([]);
      for (const line of lines) expect(line.length, line).to.be.at.most(columns);
    });
  }

  for (const [answer, typed] of [
    ['no', `n${keys.enter}`],
    ['Ctrl-C', keys.ctrlC],
    ['Ctrl-D', keys.ctrlD],
  ] as const) {
    it(`imports nothing when the answer is ${answer}`, async () => {
      const before = await importing.contents();
      const { exitCode, stdout, terminal } = await converse([[question, typed]]);
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 130, stdout: '' });
      expect(terminal.isRaw()).to.equal(false);
      expect(terminal.screen()).to.match(/\nerror: Nothing was imported\.\n$/);
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
