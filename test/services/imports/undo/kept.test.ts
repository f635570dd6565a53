import { expect } from 'chai';
import { countKept, keptAccounts } from '../../../../src/services/imports/run/ledger.js';
import type { KeptAccount } from '../../../../src/services/imports/undo/undo.js';
import { buildUser } from '../../../support/factories.js';
import { runCli } from '../../../support/run-cli.js';
import { people, useImporting } from '../support/importing.js';

describe('The accounts that undoing an import kept', () => {
  const importing = useImporting();
  const models = () => importing.context.database.models;
  const imports = (...args: string[]) => runCli(['imports', ...args], { env: importing.env, cwd: importing.folder });

  /** Has every statement told. Sequelize reads its own options at each; its types keep them to itself. */
  const tell = (logging: false | ((sql: string) => void)) => {
    (importing.context.database.sequelize as unknown as { options: { logging: unknown } }).options.logging = logging;
  };

  it('are read in pieces, however many they are', async () => {
    const { id } = await importing.json(importing.write('people.csv', people(1)));
    const { email, id: userId } = await buildUser(importing.context);
    // Their number counts, not what they are.
    const kept = { importId: id, outcome: 'updated', userId, undoOutcome: 'kept', undoCode: 'EDITED' } as const;
    const none = { code: null, otherCodes: null, reason: null, undoJson: null };
    const lines = Array.from({ length: 2001 }, (_, index) => index + 3);
    for (let at = 0; at < lines.length; at += 500)
      await models().ImportRow.bulkCreate(lines.slice(at, at + 500).map((line) => ({ ...none, ...kept, line })));
    const statements: string[] = [];
    tell((sql) => void statements.push(sql));
    const pieces: KeptAccount[][] = [];
    for await (const piece of keptAccounts(importing.context, id)) pieces.push(piece);
    expect(await countKept(importing.context, id)).to.equal(lines.length);
    tell(false);
    expect(pieces.map(({ length }) => length)).to.deep.equal([1000, 1000, 1]);
    expect(pieces.flat()).to.deep.equal(lines.map((line) => ({ line, userId, email, code: 'EDITED' })));
    for (const statement of statements) expect(statement.split(userId).length - 1).to.be.at.most(1000);

    const { stdout } = await imports('show', id);
    expect(stdout.split('\n').slice(-23)).to.deep.equal([
      'Kept: 2001 accounts',
      ...lines.slice(0, 20).map((line) => `  line ${line}  ${email}  was edited since`),
      '  and 1981 more (--json has all)',
      '',
    ]);
    const shown = JSON.parse((await imports('show', id, '--json')).stdout) as { kept: object[] };
    expect(shown.kept).to.deep.equal(pieces.flat());
  });
});
