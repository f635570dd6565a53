import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { toUnusableError } from '../../../../src/services/imports/output/report-file.js';
import { failureOf } from '../../../db/support/failure.js';
import { people, recordsOf, useImporting } from '../support/importing.js';
import { importFile } from '../support/running.js';

describe('Parallel imports that write their files into one folder', () => {
  const importing = useImporting();
  // No 'e', because a phone such as +1 e 00001 looks like a number in scientific notation.
  const tags = ['a', 'b', 'c', 'd', 'f'];

  it('use different names', async () => {
    // As with standard input, all names derive from the same path.
    const beside = path.join(importing.folder, 'stdin.csv');
    const results = await Promise.all(
      tags.map((tag) => {
        const file = importing.write(`${tag}.csv`, `${people(20, tag)}Eve,Moe,${tag},1\n`);
        return importFile(importing.context, file, { beside });
      }),
    );
    expect(results.map(({ status }) => status)).to.deep.equal(tags.map(() => 'completed'));
    for (const [index, { credentialsFile, rejectsFile }] of results.entries()) {
      const tag = tags[index] ?? '';
      expect(recordsOf(credentialsFile).map(({ email }) => email?.[0])).to.deep.equal(Array(20).fill(tag));
      expect(recordsOf(rejectsFile).map(({ email }) => email)).to.deep.equal([tag]);
    }
    const names = (kind: string) => [
      `stdin.${kind}.csv`,
      ...[2, 3, 4, 5].map((number) => `stdin.${kind}-${number}.csv`),
    ];
    const written = readdirSync(importing.folder).filter((name) => name.startsWith('stdin.'));
    expect(written).to.have.members([...names('credentials'), ...names('rejected')]);
  });

  it('leave no empty report file, even if they fail', async () => {
    const file = importing.write('people.csv', people(3));
    await importFile(importing.context, file, { signal: AbortSignal.abort() });
    expect(importing.files()).to.deep.equal(['people.csv']);
    writeFileSync(file, `${people(3)}A,B,nobody,1\n`);
    const { code } = await failureOf(() =>
      importFile(importing.context, file, { rejectsFile: path.join(importing.folder, 'nowhere', 'r.csv') }),
    );
    expect(code).to.equal('USAGE');
    expect(importing.files()).to.deep.equal(['people.csv']);
  });

  it('never overwrite a file that another import created at the path of the options', async () => {
    const [one, other] = ['one', 'other'].map((tag) => importing.write(`${tag}.csv`, people(600, tag)));
    const credentialsFile = path.join(importing.folder, 'secret.csv');
    const racing = [one, other].map((file) => importFile(importing.context, file ?? '', { credentialsFile }));
    const ended = await Promise.allSettled(racing);
    expect(ended.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected']);
    const refused = ended.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(String(refused.reason)).to.include('exists already and is never overwritten. Name another one.');
    expect(recordsOf(credentialsFile)).to.have.length(600);
    // The refused import has written nothing.
    expect(await importing.context.database.models.User.count()).to.equal(600);
    expect(existsSync(path.join(importing.folder, 'one.rejected.csv'))).to.equal(false);
  });

  it("are refused before writing anything if a report file can't be created", async () => {
    const before = await importing.contents();
    // With its ending, the name is too long for every user. Permissions wouldn't stop root.
    const file = importing.write(`${'p'.repeat(246)}.csv`, people(3));
    const beside = file.replace(/csv$/, 'credentials.csv');
    const byDefault = await importing.run(file, '--yes');
    expect([byDefault.exitCode, byDefault.stderr]).to.deep.equal([
      2,
      `error: The file ${beside} can't be written (ENAMETOOLONG). Make its folder writable for this user, or name other files with --credentials <file> and --rejects <file>.\n`,
    ]);
    const named = await importing.run(file, '--yes', '--credentials', 'nowhere/c.csv', '--rejects', 'r.csv');
    expect([named.exitCode, named.stderr]).to.deep.equal([
      2,
      `error: The file ${importing.folder}/nowhere/c.csv can't be written (its folder does not exist). Make that folder, or name another file.\n`,
    ]);
    expect([await importing.contents(), importing.files()]).to.deep.equal([before, [path.basename(file)]]);
    expect(await importing.json(file, '--credentials', 'c.csv', '--rejects', 'r.csv')).to.include({ exitCode: 0 });
  });

  it("explain how to fix the fault if a report file can't be written", () => {
    const message = (code: string) => String(toUnusableError('c.csv', Object.assign(new Error(code), { code })));
    for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG'])
      expect(message(code)).to.include('(the disk is full). Free disk space, or');
    for (const code of ['EACCES', 'EROFS']) expect(message(code)).not.to.include('disk');
  });
});
