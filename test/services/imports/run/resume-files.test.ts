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
import { emailsOf, hashedPeople, people, recordsOf, useImporting } from '../support/importing.js';
import { batchRows, expectAllAccounts, expectWholeLedger, importFile, importFirstBatch } from '../support/running.js';
import { runToEnd, submitInterrupted } from '../support/submitting.js';

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

  /** Finishes the import, and finds everything as it should be. */
  async function expectToFinish(...credentialsFiles: string[]) {
    const result = await importFile(importing.context, file);
    expect(result.status).to.equal('completed');
    expect(result.counts).to.include({ rows: count, created: count });
    await expectWholeLedger(importing, result.id, count);
    await expectAllAccounts(importing, emails, ...credentialsFiles);
    return result;
  }

  it('lose what a crash left after the committed rows', async () => {
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

  /** What may have become of the account in the last line of the credentials file, in the first and in later batches. */
  const lives: Record<string, (email: string) => Promise<unknown>> = {
    'got another email': (email) =>
      importing.context.database.models.User.update({ email: 'other@example.org' }, { where: { email } }),
    'was deleted': (email) => importing.context.database.models.User.destroy({ where: { email } }),
  };
  for (const [what, change] of Object.entries(lives)) {
    const last = emails[batchRows - 1] ?? '';

    it(`are resumed when the account of their last line ${what}`, async () => {
      await importFirstBatch(importing.context, file);
      await change(last);
      const result = await importFile(importing.context, file);
      expect(result).to.include({ status: 'completed', credentialsFile: credentials() });
      expect(recordsOf(credentials()).map(({ email }) => email)).to.deep.equal(emails);
    });

    it(`are resumed by the service when the account of their last line ${what}`, async () => {
      const { id } = await submitInterrupted(importing, people(count));
      await change(last);
      const record = await runToEnd(importing, id);
      expect(record).to.include({ status: 'completed', errorCode: null, createdCount: count });
      expect(recordsOf(record.credentialsFile).map(({ email }) => email)).to.deep.equal(emails);
    });
  }

  it('are resumed when the account of their last line was updated by the import and edited since', async () => {
    await importFile(importing.context, importing.write('first.csv', hashedPeople(count)));
    const changed = people(count).replaceAll('Family', 'Changed');
    file = importing.write('people.csv', changed);
    const options = { onExisting: 'update', resetPasswords: true };
    await importFirstBatch(importing.context, file, {}, options);
    const email = emails[batchRows - 1] ?? '';
    await importing.context.database.models.User.update({ email: 'other@example.org' }, { where: { email } });
    const result = await importFile(importing.context, file, {}, options);
    expect(result).to.include({ status: 'completed', credentialsFile: credentials() });
  });

  describe('are refused when replaced by others', () => {
    /** The import refuses, and is resumed when its own file is back. */
    async function expectRefusalOf(replace: (own: string) => unknown) {
      await importFirstBatch(importing.context, file);
      const own = inFolder('kept');
      copyFileSync(credentials(), own);
      await replace(own);
      const [stranger, before] = [readFileSync(credentials()), await importing.contents()];
      const { exitCode, stderr } = await importing.run(file, '--yes');
      expect(exitCode).to.equal(1);
      expect(stderr).to.equal(
        `error: The file ${credentials()} is not the one that this import wrote. Put that back, or move this one away and resume the import in a new one.\n`,
      );
      expect(readFileSync(credentials()).equals(stranger)).to.equal(true);
      expect(await importing.contents()).to.equal(before);
      renameSync(own, credentials());
      await expectToFinish(credentials());
    }

    it('that are something else', () =>
      expectRefusalOf(() => writeFileSync(credentials(), 'name,amount\n'.repeat(10_000))));

    it('that are empty', () => expectRefusalOf(() => truncateSync(credentials())));

    it('that lack committed rows', () =>
      expectRefusalOf(() => truncateSync(credentials(), statSync(credentials()).size - 1)));

    it('that another import wrote, though it looks the same', async () => {
      await expectRefusalOf(async () => {
        await importFile(importing.context, importing.write('others.csv', people(count, 'q')));
        renameSync(inFolder('others.credentials.csv'), credentials());
        await importing.context.database.models.User.destroy({
          where: { lastName: 'Family', email: emailsOf(count, 'q') },
        });
      });
    });

    it('that cannot be read', async () => {
      await importFirstBatch(importing.context, file);
      renameSync(credentials(), inFolder('kept'));
      mkdirSync(credentials());
      const { code } = await failureOf(() => importFile(importing.context, file));
      expect(code).to.equal('FILE_UNUSABLE');
      rmSync(credentials(), { recursive: true });
      await expectToFinish(inFolder('kept'), credentials());
    });
  });

  it('are followed by new ones when they are gone because the passwords were handed out', async () => {
    await importFirstBatch(importing.context, file);
    renameSync(credentials(), inFolder('handed out'));
    const { credentialsFile } = await expectToFinish(inFolder('handed out'), credentials());
    expect(credentialsFile).to.equal(credentials());
    expect(recordsOf(credentials())).to.have.length(count - batchRows);
  });

  it('are followed by new ones when they are moved away during the run', async () => {
    const moved = await failureOf(() =>
      importFile(importing.context, file, { onProgress: () => renameSync(credentials(), inFolder('moved')) }),
    );
    expect(moved.code).to.equal('FILE_UNUSABLE');
    expect(moved.message).to.match(/was moved or removed while the import wrote it/);
    expect(await importing.context.database.models.User.count()).to.equal(batchRows);
    // The lines of the batch that was not committed belong to no account.
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

  describe('of which nothing was committed', () => {
    const breakOffAtOnce = (options = {}) =>
      importFile(importing.context, file, { signal: AbortSignal.abort(), ...options });

    it('are created again', async () => {
      const { credentialsFile, rejectsFile } = await breakOffAtOnce();
      expect({ credentialsFile, rejectsFile, files: importing.files() }).to.deep.equal({
        credentialsFile: null,
        rejectsFile: null,
        files: ['people.csv'],
      });
      for (const leftover of ['', header.slice(0, 9), header]) {
        await importing.context.database.models.Import.update({ status: 'interrupted' }, { where: {} });
        writeFileSync(credentials(), leftover);
        await breakOffAtOnce();
        expect(importing.files()).to.deep.equal(['people.csv']);
      }
      writeFileSync(credentials(), header);
      expect((await expectToFinish(credentials())).credentialsFile).to.equal(credentials());
    });

    it('are created again at the paths of the options', async () => {
      const credentialsFile = inFolder('secret.csv');
      await breakOffAtOnce({ credentialsFile });
      writeFileSync(credentialsFile, header);
      const again = await importFile(importing.context, file, { credentialsFile });
      expect(again.credentialsFile).to.equal(credentialsFile);
      await expectAllAccounts(importing, emails, credentialsFile);
    });

    it("don't overwrite what others have put there meanwhile", async () => {
      await breakOffAtOnce();
      writeFileSync(credentials(), `${header}${uncommitted}`);
      const { credentialsFile } = await expectToFinish(inFolder('people.credentials-2.csv'));
      expect(credentialsFile).to.equal(inFolder('people.credentials-2.csv'));
      expect(readFileSync(credentials(), 'utf8')).to.equal(`${header}${uncommitted}`);
    });

    it('can get other paths when they could not be created', async () => {
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
