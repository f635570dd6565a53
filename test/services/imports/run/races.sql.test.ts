import { expect } from 'chai';
import { registerUser } from '../../../../src/services/accounts/create-user.js';
import { operator } from '../../../../src/services/core.js';
import { until } from '../../../support/until.js';
import { emailsOf, people, useImporting, withoutProgress } from '../support/importing.js';
import { expectAllAccounts, expectWholeLedger } from '../support/running.js';

describe('Two parallel imports', () => {
  const importing = useImporting();
  const models = () => importing.context.database.models;

  it('of the same file run one after the other, and the second finds all rows done', async () => {
    const file = importing.write('people.csv', people(120));
    // Starting a thread takes longer than the import, so both runs use an existing thread.
    await Promise.all([importing.run(file, '--dry-run'), importing.run(file, '--dry-run')]);
    const runs = await Promise.all([importing.run(file, '--yes'), importing.run(file, '--yes')]);
    expect(runs.map(({ exitCode }) => exitCode)).to.deep.equal([0, 0]);
    const waits = 'Another run of this file is active, or was just interrupted: waiting for it.\n';
    expect(runs.map(({ stderr }) => withoutProgress(stderr)).sort()).to.deep.equal(['', waits]);
    const imports = await models().Import.findAll({ order: ['id'] });
    expect(imports.map(({ createdCount, skippedCount }) => [createdCount, skippedCount])).to.deep.equal([
      [120, 0],
      [0, 120],
    ]);
    for (const { id } of imports) await expectWholeLedger(importing, id, 120);
    await expectAllAccounts(importing, emailsOf(120), `${importing.folder}/people.credentials.csv`);
    expect(importing.files()).to.deep.equal(['people.credentials.csv', 'people.csv']);
  });

  it('of overlapping files create one account for each person during registrations, and never fail', async () => {
    const files = [importing.write('one.csv', people(300)), importing.write('other.csv', people(300, 'p', 201))];
    const candidates = [101, 251, 481].flatMap((first) => emailsOf(10, 'p', first));
    const register = async (email: string) => {
      const person = { firstName: 'Given', lastName: 'Registered', role: 'trainee', password: 'a password' };
      try {
        await registerUser(importing.context, operator, { ...person, email, phone: `+1 112 ${email.slice(1, 6)}` });
        return [email];
      } catch (error) {
        expect(error).to.include({ code: 'EMAIL_TAKEN' });
        return [];
      }
    };
    /** Spreads the registrations over the duration of the imports. */
    const registerAll = async () => {
      const registrations: string[][] = [];
      for (const [index, email] of candidates.entries()) {
        await until(async () => ((await models().Import.sum('rowsDone')) ?? 0) >= index * 16, 'the imports advance');
        registrations.push(await register(email));
      }
      return registrations;
    };
    const [results, registered] = await Promise.all([
      Promise.all(files.map((file) => importing.json(file))),
      registerAll(),
    ]);
    for (const result of results) {
      expect(result).to.include({ exitCode: 0, status: 'completed' });
      expect(result.counts).to.include({ rows: 300, rejected: 0 });
      await expectWholeLedger(importing, result.id, 300);
    }
    expect(await models().User.count()).to.equal(500);
    const here = registered.flat();
    expect(await models().User.destroy({ where: { lastName: 'Registered' } })).to.equal(here.length);
    const imported = emailsOf(500).filter((email) => !here.includes(email));
    await expectAllAccounts(importing, imported, ...results.map(({ credentialsFile }) => credentialsFile));
  });
});
