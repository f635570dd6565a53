import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import request from 'supertest';
import { v7 as uuidv7 } from 'uuid';
import type { Import } from '../../../../src/db/models/import.js';
import { operator } from '../../../../src/services/core.js';
import { resumeImport, undoImport } from '../../../../src/services/imports/commands.js';
import { planImport } from '../../../../src/services/imports/plan/plan.js';
import { applyImport } from '../../../../src/services/imports/queue/apply.js';
import { importsFolder, isReadableHere } from '../../../../src/services/imports/store/spool.js';
import { sweepFiles } from '../../../../src/services/maintenance/orphan-cleanup.js';
import { failureOf } from '../../../db/support/failure.js';
import { signIn } from '../../../support/factories.js';
import { people, useImporting } from '../support/importing.js';
import { applyOptions } from '../support/running.js';
import { client, submitInterrupted } from '../support/submitting.js';

/** Paths of an import's files in its database row. */
type Named = Pick<Import, 'id' | 'origin' | 'filePath' | 'credentialsFile' | 'rejectsFile'>;

describe('An import whose row names foreign files', () => {
  const importing = useImporting();
  const { models } = importing;
  const inImports = (...names: string[]) => path.join(importsFolder(importing.context), ...names);
  const { signal } = new AbortController();
  /** Another program's folder, next to the folder of imports. */
  let others = '';
  let token = '';

  beforeEach(async () => {
    others = inImports('..', 'others');
    mkdirSync(others, { recursive: true });
    for (const name of ['upload.csv', 'passwords.csv', 'rejected.csv', 'stdin.csv'])
      writeFileSync(path.join(others, name), people(1));
    ({ token } = await signIn(importing.context, { role: 'super_admin', email: 'root@example.org' }));
  });

  afterEach(() => {
    rmSync(others, { recursive: true });
    rmSync(inImports(), { recursive: true, force: true });
  });

  const old = new Date(Date.now() - 2 * 3_600_000);

  /** An old folder in the folder of imports, as a crash leaves it. */
  function leave(name: string, files: readonly string[] = []) {
    mkdirSync(inImports(name), { recursive: true });
    for (const file of files) {
      writeFileSync(inImports(name, file), people(1));
      utimesSync(inImports(name, file), old, old);
    }
    utimesSync(inImports(name), old, old);
  }

  const named = (id: string, origin: Named['origin'], folder: string, file = 'upload.csv'): Named => ({
    id,
    origin,
    filePath: `${folder}/${file}`,
    credentialsFile: `${folder}/passwords.csv`,
    rejectsFile: `${folder}/rejected.csv`,
  });

  /** Ways in which an import's row can name the other folder, and the paths in the row. */
  const ways: Record<string, () => Named> = {
    'by their path': () => named(uuidv7(), 'http', others),
    'by "..", from its own folder': () => {
      const id = uuidv7();
      leave(id);
      return named(id, 'http', `${inImports(id)}/../../others`);
    },
    'by its id': () => named('../others', 'http', others),
    'by its folder, which is a symbolic link': () => {
      const id = uuidv7();
      leave('.');
      symlinkSync(others, inImports(id));
      return named(id, 'http', inImports(id));
    },
    'by symbolic links in its folder': () => {
      const id = uuidv7();
      leave(id);
      for (const name of ['upload.csv', 'passwords.csv', 'rejected.csv'])
        symlinkSync(path.join(others, name), inImports(id, name));
      return named(id, 'http', inImports(id));
    },
    'in the folder of another import': () => {
      const other = uuidv7();
      leave('.');
      cpSync(others, inImports(other), { recursive: true });
      return named(uuidv7(), 'http', inImports(other));
    },
    'at a terminal': () => named(uuidv7(), 'cli', others),
    'at a terminal, by standard input and ".."': () => {
      leave('stdin-Abc123', ['stdin.csv']);
      return named(uuidv7(), 'cli', `${inImports('stdin-Abc123')}/../../others`, 'stdin.csv');
    },
    'at a terminal, in the folder of an import over HTTP': () => {
      const other = uuidv7();
      leave('.');
      cpSync(others, inImports(other), { recursive: true });
      return named(uuidv7(), 'cli', inImports(other));
    },
  };

  /** All files in the data folder. */
  const filesThere = () =>
    readdirSync(inImports('..'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /others|imports/.test(name))
      .sort();

  const create = (files: Named, status: Import['status'], more: Partial<Import> = {}) =>
    models().Import.create({
      ...files,
      number: 1,
      status,
      fileName: 'people.csv',
      fileSha256: '0'.repeat(64),
      optionsJson: '{}',
      credentialsBytes: 20,
      rejectsBytes: 20,
      createdAt: new Date(),
      ...more,
    });

  for (const [way, make] of Object.entries(ways)) {
    it(`${way}, never sends, reads or removes these files`, async () => {
      const files = make();
      const there = filesThere();
      const record = await create(files, 'completed');
      for (const file of ['credentials.csv', 'rejected.csv']) {
        const { status, text } = await request(importing.app)
          .get(`/api/imports/${encodeURIComponent(record.id)}/${file}`)
          .set('Authorization', `Bearer ${token}`);
        expect(status, text).to.equal(files.origin === 'cli' ? 404 : 503);
        expect(text).to.not.include('p00001');
      }
      expect(await isReadableHere(importing.context, record), 'its upload is not read').to.equal(false);
      await sweepFiles(importing.context);
      await undoImport(importing.context, operator, record.id, { signal });
      await record.update({ status: 'undone', credentialsFetchedAt: old });
      await sweepFiles(importing.context);
      // The import's own file of standard input may be removed.
      const foreign = (names: string[]) => names.filter((name) => !/\/stdin-Abc123(\/stdin\.csv)?$/.test(name));
      expect(foreign(filesThere())).to.deep.equal(foreign(there));
      expect(readFileSync(path.join(others, 'upload.csv'), 'utf8')).to.equal(people(1));
    });
  }

  it('is resumed without these files', async () => {
    const csv = people(120);
    const record = await submitInterrupted(importing, csv);
    const theirs = path.join(others, 'empty.csv');
    writeFileSync(theirs, '');
    await record.update({ credentialsFile: theirs, credentialsBytes: 0, rejectsFile: theirs, rejectsBytes: 0 });
    const { context } = importing;
    const plan = await planImport(context, { file: record.filePath, options: {}, signal, record });
    const result = await applyImport(importing.context, client, plan, applyOptions({ record }));
    expect(path.dirname(result.credentialsFile ?? '')).to.equal(inImports(record.id));
    expect(readFileSync(theirs, 'utf8')).to.equal('');
  });

  it("doesn't reveal these files if somebody tries to resume it", async () => {
    const record = await create(named(uuidv7(), 'http', others), 'failed');
    const { code } = await failureOf(() => resumeImport(importing.context, operator, record.id, applyOptions({})));
    expect(code).to.equal('FILE_UNUSABLE');
  });
});
