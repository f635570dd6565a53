import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { createEmptyDatabase, migrate, type TestDatabase } from '../../../support/database.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildUser } from '../../../support/factories.js';
import { useCommandLine } from '../../../support/run-cli.js';

interface Plan {
  counts: Record<string, number>;
  reasons: { code: string; message: string; rows: number[] }[];
}

describe('coursectl users rekey-phones', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createEmptyDatabase();
    await migrate(database);
  });
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: database.url }));
  afterEach(() => database.drop());
  const person = async (firstName: string, phone: string) =>
    buildUser(await cli.context(), { firstName, lastName: 'King', email: `${firstName.toLowerCase()}@x.org`, phone });
  const doctor = async () => {
    const { checks } = await cli.json<{ checks: { name: string }[] }>(['doctor']);
    return checks.find(({ name }) => name === 'phones');
  };

  it('reports the number of changed keys, which is 0 the second time', async () => {
    await person('Ada', '0151 1234567');
    await person('Ben', '+49 151 7654321');
    const argv = ['users', 'rekey-phones', '--country', 'de'];
    const first = await cli.run(argv);
    expect([first.exitCode, first.stdout]).to.deep.equal([
      0,
      'The country for phones is DE now. 1 account got another key.\n',
    ]);
    expect(await cli.json(argv)).to.deep.equal({ country: 'DE', changed: 0, conflicts: [], hasMoreConflicts: false });
    const { stdout } = await cli.run(['users', 'show', '0049 151 1234567']);
    expect(stdout).to.include('ada@x.org');
    const none = await cli.run(['users', 'rekey-phones', '--country', 'none']);
    expect(none.stdout).to.equal('Phones have no country now. 1 account got another key.\n');
  });

  it('lists accounts with conflicting phones, and fails', async () => {
    await person('Ada', '0151 1234567');
    await person('Ben', '+49 151 1234567');
    const { exitCode, stdout } = await cli.run(['users', 'rekey-phones', '--country', 'DE']);
    expect(exitCode).to.equal(1);
    expect(stdout).to.match(
      /^\+491511234567\n {2}Ada King <ada@x\.org>: 0151 1234567\n {2}Ben King <ben@x\.org>: \+49 151 1234567\n\n1 phone would belong to several accounts\. Nothing was changed\.\nChange the phone of all but one of them, then repeat the command: .*users edit <user> --phone <phone>\n$/,
    );
    expect(await doctor()).to.include({ status: 'ok', detail: 'no country' });
  });

  it('makes imports treat different spellings as one phone', async () => {
    await person('Eve', '0049 30 7654321');
    await cli.run(['users', 'rekey-phones', '--country', 'DE']);
    const file = path.join(cli.folder, 'people.csv');
    const people =
      'Ada,King,ada@x.org,0151 1234567\nBen,King,ben@x.org,+49 151 1234567\nEve,King,eve@y.org,030 7654321\n';
    writeFileSync(file, `firstName,lastName,email,phone\n${people}`);
    const { plan } = await cli.json<{ plan: Plan }>(['users', 'import', file, '--dry-run']);
    expect(plan.counts).to.include({ created: 1, rejected: 2 });
    expect(plan.reasons.map(({ code, rows }) => [code, rows])).to.have.deep.members([
      ['DUPLICATE_IN_FILE', [3]],
      ['ACCOUNTS_DIFFER', [4]],
    ]);
    await cli.run(['users', 'import', file, '--match', 'phone', '--on-existing', 'update', '--yes']);
    const { User } = (await cli.context()).database.models;
    const users = await User.findAll({ order: [['email', 'ASC']] });
    expect(users.map(({ email, phone, phoneKey }) => [email, phone, phoneKey])).to.deep.equal([
      ['ada@x.org', '0151 1234567', '+491511234567'],
      ['eve@y.org', '030 7654321', '+49307654321'],
    ]);
  });

  it('is advised by doctor if keys do not fit the country', async () => {
    const ada = await person('Ada', '0151 1234567');
    await cli.run(['users', 'rekey-phones', '--country', 'DE']);
    expect(await doctor()).to.include({ status: 'ok', detail: 'country DE' });
    await ada.reload();
    await ada.update({ phoneKey: '01511234567' });
    const misfit = await doctor();
    expect(misfit).to.include({ status: 'warning' });
    expect(misfit).to.have.property('detail').that.includes('1 of the latest 1 account');
    await cli.run(['users', 'rekey-phones', '--country', 'DE']);
    expect(await doctor()).to.include({ status: 'ok' });
  });
});
