import { expect } from 'chai';
import { buildUser } from '../../../support/factories.js';
import { runCli } from '../../../support/run-cli.js';
import { people, useImporting } from '../support/importing.js';
import { openedByExcel, savedAs } from '../support/spreadsheet.js';

describe('An export of accounts that is imported again', () => {
  const importing = useImporting();
  const users = async () => JSON.stringify(await importing.context.database.models.User.findAll({ order: ['id'] }));

  for (const flags of [[], ['--on-existing', 'update']])
    it(`changes nothing${flags.length > 0 ? `, with ${flags.join(' ')} too` : ''}`, async () => {
      await importing.json(importing.write('people.csv', people(20)));
      for (const given of [
        { firstName: '=SUM(A1)', lastName: '+Plus, "quoted"', email: '=formula@example.org', phone: '+44 (0) 20' },
        { firstName: '@home', lastName: "'quoted", phone: '-1', role: 'trainer', isActive: false } as const,
        { firstName: 'Zoë', lastName: '李小龙', phone: "'=1" },
        { firstName: 'Ann;=cmd|A0', lastName: `King;'=1,+2`, phone: '1;"=2"' },
      ])
        await buildUser(importing.context, given);
      const before = await users();
      const { stdout } = await runCli(['users', 'export'], { env: importing.env, cwd: importing.folder });
      const run = await importing.json(importing.write('export.csv', stdout), ...flags);
      expect(run).to.deep.include({ exitCode: 0, credentialsFile: null, rejectsFile: null });
      expect(run.counts).to.include({ rows: 24, skipped: 24, created: 0, updated: 0, rejected: 0 });
      expect(await users()).to.equal(before);
    });

  it('changes nothing after a spreadsheet has opened and saved it either', async () => {
    for (const [index, phone] of ['0301234567', '+493012345', '(030) 55', "'0301", '441234567890123', '1/2'].entries())
      await buildUser(importing.context, { firstName: 'Jürgen', lastName: 'Groß', email: `a${index}@x.org`, phone });
    const before = await users();
    const { stdout } = await runCli(['users', 'export'], { env: importing.env, cwd: importing.folder });
    for (const [name, save] of Object.entries(savedAs)) {
      const sheet = openedByExcel(importing.write('export.csv', stdout), ',');
      const saved = importing.write(`${name}.csv`, save(sheet));
      expect((await importing.json(saved, '--on-existing', 'update')).counts, name).to.include({ rows: 6, skipped: 6 });
      expect(await users()).to.equal(before);
    }
  });
});
