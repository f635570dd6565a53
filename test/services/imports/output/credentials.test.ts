import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { requeueImport } from '../../../../src/services/imports/commands.js';
import { type CredentialsClaim, claimCredentials } from '../../../../src/services/imports/queue/credentials.js';
import { isReadableHere } from '../../../../src/services/imports/store/spool.js';
import { failureOf } from '../../../db/support/failure.js';
import { people, recordsOf, useImporting } from '../support/importing.js';
import { batchRows } from '../support/running.js';
import { client, runToEnd, runUntil, submit, submitInterrupted } from '../support/submitting.js';

const count = 120;

describe('Fetching the passwords of an import', () => {
  const importing = useImporting();
  const models = () => importing.context.database.models;
  const claim = (id: string) => claimCredentials(importing.context, client, id);

  async function completed(rows = 3): Promise<{ id: string; file: string }> {
    const { id } = await submit(importing, people(rows));
    const { credentialsFile } = await runToEnd(importing, id);
    return { id, file: credentialsFile ?? '' };
  }

  async function emailsIn(claimed: CredentialsClaim): Promise<(string | undefined)[]> {
    let text = '';
    for await (const piece of claimed.bytes('csv')) text += piece;
    const file = importing.write('fetched.csv', text);
    return recordsOf(file).map(({ email }) => email);
  }

  it('prevents the service from resuming the import until the passwords are delivered', async () => {
    const { id } = await submitInterrupted(importing, people(count));
    const claimed = await claim(id);
    await requeueImport(importing.context, client, id);
    const looks = { left: 20 };
    const record = await runUntil(importing, id, ({ rowsDone }) => rowsDone > batchRows || --looks.left === 0);
    expect(record).to.include({ status: 'queued', rowsDone: batchRows });
    await claimed.done();
    const ended = await runToEnd(importing, id);
    expect(ended).to.include({ status: 'completed', rowsDone: count });
    expect(recordsOf(ended.credentialsFile)).to.have.length(count - batchRows);
  });

  it('is impossible while the import is queued or running again', async () => {
    const { id } = await submitInterrupted(importing, people(count));
    await requeueImport(importing.context, client, id);
    const { code, message } = await failureOf(() => claim(id));
    expect([code, message]).to.deep.equal([
      'IMPORT_CONFLICT',
      'The import 1 is queued: its passwords can be fetched once it has ended.',
    ]);
  });

  it('returns the passwords of a resumed run only to another request', async () => {
    const { id } = await submitInterrupted(importing, people(count));
    const first = await claim(id);
    const fetched = await emailsIn(first);
    await first.done();
    expect(fetched).to.have.length(batchRows);
    expect((await failureOf(() => claim(id))).code).to.equal('CREDENTIALS_FETCHED');
    await requeueImport(importing.context, client, id);
    await runToEnd(importing, id);
    const second = await claim(id);
    fetched.push(...(await emailsIn(second)));
    await second.done();
    expect(new Set(fetched).size).to.equal(count);
    expect(fetched).to.have.length(count);
  });

  it('never returns delivered passwords again, even if the service died afterwards', async () => {
    const { id, credentialsFile } = await submitInterrupted(importing, people(count));
    const first = await claim(id);
    const kept = importing.write('kept.csv', '');
    renameSync(credentialsFile ?? '', kept);
    await first.done();
    renameSync(kept, credentialsFile ?? '');
    const record = await runToEnd(importing, id);
    expect(recordsOf(record.credentialsFile)).to.have.length(count - batchRows);
  });

  it('never reads or removes the files of another installation on the machine', async () => {
    const { id, file } = await completed();
    const record = await models().Import.findByPk(id, { rejectOnEmpty: true });
    const theirs = path.join(importing.folder, 'imports', id);
    mkdirSync(theirs, { recursive: true });
    for (const name of ['upload.csv', path.basename(file)]) writeFileSync(path.join(theirs, name), 'theirs\n');
    await record.update({
      filePath: path.join(theirs, 'upload.csv'),
      credentialsFile: path.join(theirs, path.basename(file)),
    });
    expect((await failureOf(() => claim(id))).code).to.equal('NOT_READY');
    expect(await isReadableHere(importing.context, record)).to.equal(false);
    expect(readdirSync(theirs).sort()).to.deep.equal([path.basename(file), 'upload.csv'].sort());
    // The import's own folder under its former name, which is a symbolic link now.
    rmSync(theirs, { recursive: true });
    symlinkSync(path.dirname(file), theirs);
    const claimed = await claim(id);
    expect(await emailsIn(claimed)).to.have.length(3);
    await claimed.done();
  });

  it('can be repeated after a failure or a crash of the service', async () => {
    const { id, file } = await completed();
    const broken = await claim(id);
    await broken.bytes('csv').next();
    await broken.failed();
    const dying = await claim(id);
    await dying.bytes('csv').next();
    const { code } = await failureOf(() => claim(id));
    expect(code).to.equal('IMPORT_BUSY');
    await importing.context.database.sequelize.query(
      "UPDATE leases SET owner = 'dead', expires_at = 0 WHERE name LIKE 'import-job:%'",
    );
    const again = await claim(id);
    // The service was only paused; its claim is lost.
    expect((await failureOf(() => dying.done())).code).to.equal('IMPORT_CONFLICT');
    expect(await emailsIn(again)).to.have.length(3);
    await again.done();
    expect(existsSync(file)).to.equal(false);
    expect((await failureOf(() => claim(id))).code).to.equal('CREDENTIALS_FETCHED');
  });

  it('waits for a concurrent request, and then fails with CREDENTIALS_FETCHED', async () => {
    const { id } = await completed();
    const first = await claim(id);
    const [{ code }] = await Promise.all([failureOf(() => claim(id)), first.done()]);
    expect(code).to.equal('CREDENTIALS_FETCHED');
  });

  it("fails with NOT_READY if the file can't be read", async () => {
    const { id, file } = await completed();
    const elsewhere = importing.write('elsewhere.csv', '');
    renameSync(file, elsewhere);
    const { code, message } = await failureOf(() => claim(id));
    expect([code, message]).to.deep.equal([
      'NOT_READY',
      "This instance of the service can't read the passwords of this import.",
    ]);
    expect(await models().AuditEntry.count({ where: { action: 'import.credentials' } })).to.equal(0);
  });
});
