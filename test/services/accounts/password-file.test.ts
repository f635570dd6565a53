import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { PasswordFile } from '../../../src/services/accounts/password-file.js';
import { buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { rowsOfWorkbook } from '../../support/workbooks.js';
import { recordsOf } from '../imports/support/importing.js';

describe('A file of generated passwords', () => {
  const harness = useHarness();
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());
  const at = (name: string) => path.join(folder.path, name);

  it('stores only the last password if the transaction of an account is repeated', async () => {
    const [ada, ben] = [await buildUser(harness.context), await buildUser(harness.context)];
    const file = await PasswordFile.create(at('passwords.csv'));
    await file.save(ada, 'first');
    await file.save(ada, 'second');
    await file.save(ben, 'third');
    await file.close();
    expect(recordsOf(file.path).map(({ password }) => password)).to.deep.equal(['second', 'third']);
  });

  it('is CSV until it is closed, then becomes a workbook if its name ends in .xlsx', async () => {
    const ada = await buildUser(harness.context, { firstName: '=1+1', phone: '0151 1234567' });
    const file = await PasswordFile.create(at('passwords.xlsx'));
    await file.save(ada, '-kiwi');
    expect(recordsOf(at('passwords.csv')).map(({ password }) => password)).to.deep.equal(['-kiwi']);
    await file.close();
    expect(readdirSync(folder.path)).to.deep.equal(['passwords.xlsx']);
    expect(statSync(file.path).mode & 0o777).to.equal(0o600);
    expect(await rowsOfWorkbook(file.path)).to.deep.equal([
      ['firstName', 'lastName', 'email', 'phone', 'password'],
      ['=1+1', ada.lastName, ada.email, '0151 1234567', '-kiwi'],
    ]);
  });

  it('overwrites no other file, and leaves no file if there are no passwords', async () => {
    const refusal = (name: string) => PasswordFile.create(at(name)).catch(({ message }: Error) => message);
    await (await PasswordFile.create(at('none.xlsx'))).close();
    expect(readdirSync(folder.path)).to.deep.equal([]);
    writeFileSync(at('a.xlsx'), '');
    writeFileSync(at('b.csv'), '');
    const taken = 'exists already and is never overwritten. Name another one.';
    expect(await refusal('a.xlsx')).to.equal(`The file ${at('a.xlsx')} ${taken}`);
    expect(await refusal('b.xlsx')).to.equal(`The file ${at('b.csv')} ${taken}`);
    expect(readdirSync(folder.path)).to.have.members(['a.xlsx', 'b.csv']);
  });

  it('stays CSV, with an error message, if the workbook cannot be written', async () => {
    const file = await PasswordFile.create(at('passwords.xlsx'));
    await file.save(await buildUser(harness.context), 'kiwi');
    writeFileSync(at('passwords.xlsx'), 'precious');
    const message = await file.close().catch((error: Error) => error.message);
    expect(message).to.include(`take the passwords from ${at('passwords.csv')}.`);
    expect(recordsOf(at('passwords.csv')).map(({ password }) => password)).to.deep.equal(['kiwi']);
    expect(statSync(at('passwords.xlsx')).size).to.equal('precious'.length);
  });
});
