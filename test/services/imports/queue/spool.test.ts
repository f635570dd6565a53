import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import { loadConfig } from '../../../../src/config/config.js';
import { AppError } from '../../../../src/errors.js';
import { operator } from '../../../../src/services/core.js';
import { cancelImport, undoImport } from '../../../../src/services/imports/commands.js';
import { planImport } from '../../../../src/services/imports/plan/plan.js';
import { applyImport } from '../../../../src/services/imports/queue/apply.js';
import { submitImport } from '../../../../src/services/imports/queue/submit.js';
import { sweepFiles } from '../../../../src/services/maintenance/orphan-cleanup.js';
import { failureOf } from '../../../db/support/failure.js';
import { buildUser } from '../../../support/factories.js';
import { runCli } from '../../../support/run-cli.js';
import { hashedPeople, people, useImporting, workbookOf } from '../support/importing.js';
import { applyOptions } from '../support/running.js';
import { client, runToEnd, submit, submitInterrupted } from '../support/submitting.js';

describe('Spooled files', () => {
  const importing = useImporting();
  const { models } = importing;
  const signal = new AbortController().signal;
  /** Entries of the folder for imports in a data folder. */
  const kept = (folder = importing.folder) => {
    const imports = path.join(folder, 'imports');
    return existsSync(imports) ? readdirSync(imports, { recursive: true }).map(String).sort() : [];
  };
  const cli = (argv: string[], stdin = '') =>
    runCli(argv, { env: importing.env, cwd: importing.folder, ...(stdin && { stdin }) });

  it('from standard input are removed if the import is refused', async () => {
    const bad = 'firstName,lastName,email,phone,password\nA,Bee,nobody,1234567,topsecret99\n';
    const { exitCode, stderr } = await cli(['users', 'import', '-', '--yes', '--on-error', 'abort'], bad);
    expect(exitCode).to.equal(2);
    expect(stderr).to.include('none may be');
    expect(kept()).to.deep.equal([]);
  });

  it('from standard input stay if the import is cancelled, so that it can be resumed', async () => {
    importing.env.IMPORT_BATCH_ROWS = '10';
    const running = cli(['users', 'import', '-', '--yes'], people(300));
    for (let cancelled = false; !cancelled; await sleep(2)) {
      const record = await models().Import.findOne();
      cancelled = record !== null && record.rowsDone > 0;
      if (record && cancelled) await cancelImport(importing.context, operator, record.id);
    }
    const { stdout } = await running;
    const [, number = ''] = /To resume: coursectl imports resume (\S+)/.exec(stdout) ?? [];
    const resumed = await cli(['imports', 'resume', number, '--yes']);
    expect(resumed.exitCode, resumed.stderr).to.equal(0);
    expect(await models().User.count()).to.equal(300);
    expect(kept()).to.deep.equal([]);
  });

  it('with workbooks are opened one after the other, with CSV immediately; they are removed if too many wait, or the client disconnects', async () => {
    const columns = ['firstName', 'lastName', 'email', 'phone'];
    const workbook = await workbookOf([columns, ['Ada', 'King', 'ada@example.org', '+44 20 7946 0000']]);
    const upload = (content: string | Buffer) => ({ path: importing.write('upload', content), name: 'people' });
    const inTurn = () => Promise.reject(new AppError('OVERLOADED'));
    const submitted = (file: { path: string; name: string }) =>
      submitImport(importing.context, client, file, {}, inTurn);
    expect(await submitted(upload(hashedPeople(1)))).to.include({ status: 'queued' });
    const refused = upload(workbook);
    expect(await failureOf(() => submitted(refused))).to.include({ code: 'OVERLOADED' });
    expect(existsSync(refused.path)).to.equal(false);
    const left = new AppError('BODY_INCOMPLETE');
    const abandoned = upload(workbook);
    const submitting = submitImport(importing.context, client, abandoned, {}, (work) => work(AbortSignal.abort(left)));
    expect(await failureOf(() => submitting)).to.equal(left);
    expect(existsSync(abandoned.path)).to.equal(false);
  });

  it('with workbooks are not opened for an account that has reached its limit of plans', async () => {
    const { config } = importing.context;
    const few = { ...importing.context, config: { ...config, imports: { ...config.imports, plansPerAccount: 1 } } };
    await submit(importing, hashedPeople(1), { plan: true });
    const path = importing.write('upload', await workbookOf([['firstName', 'lastName', 'email', 'phone']]));
    let isOpened = false;
    const planned = submitImport(few, client, { path, name: 'people.xlsx' }, { plan: true }, (work) => {
      isOpened = true;
      return work();
    });
    expect(await failureOf(() => planned)).to.include({ code: 'PLAN_LIMIT' });
    expect([isOpened, existsSync(path)]).to.deep.equal([false, false]);
  });

  it('from uploads are removed if their import is undone', async () => {
    const { id, filePath } = await submitInterrupted(importing, hashedPeople(120));
    expect(existsSync(filePath)).to.equal(true);
    await undoImport(importing.context, operator, id, { signal });
    expect(existsSync(filePath)).to.equal(false);
  });

  it('from uploads are removed if a row becomes bad with --on-error abort', async () => {
    const options = { onExisting: 'fail', onError: 'abort' };
    const record = await submit(importing, hashedPeople(120), options);
    const plan = await planImport(importing.context, { file: record.filePath, options, signal, record });
    await buildUser(importing.context, { email: 'p00110@example.org' });
    const { code } = await failureOf(() => applyImport(importing.context, client, plan, applyOptions({ record })));
    expect(code).to.equal('IMPORT_REFUSED');
    expect(existsSync(record.filePath)).to.equal(false);
  });

  describe('that a crash left', () => {
    const hours = (count: number) => new Date(Date.now() - count * 3_600_000);
    /** A program with the test's data folder. */
    const sweep = () => {
      const config = loadConfig({ env: importing.env, cwd: importing.folder });
      return sweepFiles({ ...importing.context, config });
    };

    /** Creates a file of this age in the folder of an import. */
    function leave(folder: string, name: string, age: Date): string {
      const where = path.join(importing.folder, 'imports', folder);
      mkdirSync(where, { recursive: true });
      const file = path.join(where, name);
      writeFileSync(file, people(1));
      for (const one of [file, where]) utimesSync(one, age, age);
      return path.join(folder, name);
    }

    it('are removed after an hour, unless an import needs them', async () => {
      const [unknown, recent] = [uuidv7(), uuidv7()];
      leave(unknown, 'upload.csv', hours(2));
      leave('stdin-aBcDeF', 'stdin.csv', hours(2));
      // An incomplete copy from another file system.
      leave(uuidv7(), 'upload.csv.part', hours(2));
      const young = leave(recent, 'upload.csv', hours(0.5));
      const strange = leave('notes', 'people.csv', hours(9));
      // Belongs to another database.
      const others = uuidv7();
      const passwords = [leave(others, 'upload.csv', hours(2)), leave(others, 'upload.credentials.csv', hours(2))];
      expect(await sweep()).to.include({ leftovers: 3 });
      expect(kept()).to.deep.equal(['notes', recent, strange, young, others, ...passwords].sort());
    });

    it('are removed with fetched passwords after their import has ended', async () => {
      const { id } = await submit(importing, hashedPeople(2));
      const record = await runToEnd(importing, id);
      leave(id, 'upload.csv', hours(2));
      const credentials = leave(id, 'upload.credentials.csv', hours(2));
      const inFolder = (name: string) => path.join(importing.folder, 'imports', name);
      const files = { filePath: inFolder(`${id}/upload.csv`), credentialsFile: inFolder(credentials) };
      await record.update(files);
      expect(await sweep()).to.include({ leftovers: 1 });
      expect(kept()).to.deep.equal([id, credentials].sort());
      leave(id, 'upload.credentials.csv', hours(2));
      await record.update({ credentialsFetchedAt: hours(2) });
      expect(await sweep()).to.include({ leftovers: 1 });
      expect(kept()).to.deep.equal([id]);
      await record.update({ status: 'interrupted' });
      leave(id, 'upload.csv', hours(2));
      expect(await sweep()).to.include({ leftovers: 0 });
    });
  });
});
