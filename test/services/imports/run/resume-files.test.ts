import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { failureOf } from '../../../db/support/failure.js';
import { emailsOf, people, recordsOf, useImporting } from '../support/importing.js';
import { batchRows, expectAllAccounts, expectWholeLedger, importFile, importFirstBatch } from '../support/running.js';

const count = 60;
const emails = emailsOf(count);
const header = '\ufeffline,firstName,lastName,email,phone,password\n';
const uncommitted = '52,Given00051,Family,p00051@example.org,+1 112 00051,00000-00000-00000-00000\n';

describe('The report files of an interrupted import', () => {
  const importing = useImporting();
  const inFolder = (name: string) => path.join(importing.folder, name);
  const credentials = () => inFolder('people.credentials.csv');
  let file: string;
  beforeEach(() => {
    file = importing.write('people.csv', people(count));
  });

  /** Finishes the import, and checks its accounts and files. */
  async function expectToFinish(...credentialsFiles: string[]) {
    const result = await importFile(importing.context, file);
    expect(result.status).to.equal('completed');
    expect(result.counts).to.include({ rows: count, created: count });
    await expectWholeLedger(importing, result.id, count);
    await expectAllAccounts(importing, emails, ...credentialsFiles);
    return result;
  }

  it('lose rows that a crash left after the committed rows', async () => {
    file = importing.write('people.csv', `${people(count)}A,B,nobody,\n`.replace(/\n/, '\nA,B,nobody,\n'));
    const { rejectsFile } = await importFirstBatch(importing.context, file);
    appendFileSync(credentials(), `${uncommitted}503,cut off in the mid`);
    appendFileSync(rejectsFile ?? '', `A,B,nobody,,501,INVALID,`.repeat(10_000));
    const result = await importFile(importing.context, file);
    expect(result.counts).to.include({ created: count, rejected: 2 });
    await expectAllAccounts(importing, emails, credentials());
    expect(recordsOf(credentials()).map(({ line }) => Number(line))).to.deep.equal(emails.map((_, index) => index + 3));
    expect(recordsOf(rejectsFile).map(({ line }) => line)).to.deep.equal(['2', String(count + 3)]);
    expect(importing.files()).to.deep.equal(['people.credentials.csv', 'people.csv', 'people.rejected.csv']);
    expect(statSync(credentials()).mode & 0o777).to.equal(0o600);
  });

  describe('are refused if they were replaced', () => {
    /** Expects that the import refuses, and resumes once its own file is back. */
    async function expectRefusalOf(replace: (own: string) => unknown) {
      await importFirstBatch(importing.context, file);
      const own = inFolder('kept');
      copyFileSync(credentials(), own);
      await replace(own);
      const [stranger, before] = [readFileSync(credentials()), await importing.contents()];
      const { exitCode, stderr } = await importing.run(file, '--yes');
      expect(exitCode).to.equal(1);
      expect(stderr).to.equal(
        `error: The file ${credentials()} was not written by this import. Restore the original file, or move this file away, so that the resumed import writes a new one.\n`,
      );
      expect(readFileSync(credentials()).equals(stranger)).to.equal(true);
      expect(await importing.contents()).to.equal(before);
      renameSync(own, credentials());
      await expectToFinish(credentials());
    }

    it('by something else', () => expectRefusalOf(() => writeFileSync(credentials(), 'name,amount\n'.repeat(10_000))));

    it('by empty files', () => expectRefusalOf(() => truncateSync(credentials())));

    it('by files without the committed rows', () =>
      expectRefusalOf(() => truncateSync(credentials(), statSync(credentials()).size - 1)));

    it('by similar files of another import', async () => {
      await expectRefusalOf(async () => {
        await importFile(importing.context, importing.write('others.csv', people(count, 'q')));
        renameSync(inFolder('others.credentials.csv'), credentials());
        await importing.context.database.models.User.destroy({
          where: { lastName: 'Family', email: emailsOf(count, 'q') },
        });
      });
    });

    it('by unreadable files', async () => {
      await importFirstBatch(importing.context, file);
      renameSync(credentials(), inFolder('kept'));
      mkdirSync(credentials());
      const { code } = await failureOf(() => importFile(importing.context, file));
      expect(code).to.equal('FILE_UNUSABLE');
      rmSync(credentials(), { recursive: true });
      await expectToFinish(inFolder('kept'), credentials());
    });
  });

  it('are followed by new files if they were removed after the passwords were delivered', async () => {
    await importFirstBatch(importing.context, file);
    renameSync(credentials(), inFolder('handed out'));
    const { credentialsFile } = await expectToFinish(inFolder('handed out'), credentials());
    expect(credentialsFile).to.equal(credentials());
    expect(recordsOf(credentials())).to.have.length(count - batchRows);
  });

  it('are followed by new files if they were moved away during the run', async () => {
    const moved = await failureOf(() =>
      importFile(importing.context, file, { onProgress: () => renameSync(credentials(), inFolder('moved')) }),
    );
    expect(moved.code).to.equal('FILE_UNUSABLE');
    expect(moved.message).to.match(/was moved or removed while the import wrote it/);
    expect(await importing.context.database.models.User.count()).to.equal(batchRows);
    // The lines of the uncommitted batch have passwords without an account.
    truncateSync(
      inFolder('moved'),
      Buffer.byteLength(
        importing
          .read('moved')
          .split('\n')
          .slice(0, batchRows + 1)
          .join('\n'),
      ) + 1,
    );
    await expectToFinish(inFolder('moved'), credentials());
  });

  describe('without committed rows', () => {
    const breakOffAtOnce = (options = {}) =>
      importFile(importing.context, file, { signal: AbortSignal.abort(), ...options });

    it('are created by the resumed run', async () => {
      const { credentialsFile, rejectsFile } = await breakOffAtOnce();
      expect({ credentialsFile, rejectsFile, files: importing.files() }).to.deep.equal({
        credentialsFile: null,
        rejectsFile: null,
        files: ['people.csv'],
      });
      writeFileSync(credentials(), header.slice(0, 9));
      expect((await expectToFinish(credentials())).credentialsFile).to.equal(credentials());
    });

    it('are created by the resumed run at the paths of the options', async () => {
      const credentialsFile = inFolder('secret.csv');
      await breakOffAtOnce({ credentialsFile });
      writeFileSync(credentialsFile, header);
      const again = await importFile(importing.context, file, { credentialsFile });
      expect(again.credentialsFile).to.equal(credentialsFile);
      await expectAllAccounts(importing, emails, credentialsFile);
    });

    it("don't overwrite files that others created meanwhile", async () => {
      await breakOffAtOnce();
      writeFileSync(credentials(), `${header}${uncommitted}`);
      const { credentialsFile } = await expectToFinish(inFolder('people.credentials-2.csv'));
      expect(credentialsFile).to.equal(inFolder('people.credentials-2.csv'));
      expect(readFileSync(credentials(), 'utf8')).to.equal(`${header}${uncommitted}`);
    });

    it('can get other paths if they could not be created', async () => {
      const folder = inFolder('usb');
      mkdirSync(folder);
      await breakOffAtOnce({ credentialsFile: path.join(folder, 'secret.csv') });
      rmSync(folder, { recursive: true });
      writeFileSync(folder, '');
      const unusable = await failureOf(() =>
        importFile(importing.context, file, { credentialsFile: path.join(folder, 'secret.csv') }),
      );
      expect(unusable.code).to.equal('USAGE');
      const { credentialsFile } = await importFile(importing.context, file, {
        credentialsFile: inFolder('secret.csv'),
      });
      await expectAllAccounts(importing, emails, credentialsFile);
    });
  });
});
