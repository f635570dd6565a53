import { appendFileSync, renameSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { operator } from '../../../../src/services/core.js';
import { planImport } from '../../../../src/services/imports/plan/plan.js';
import { applyImport } from '../../../../src/services/imports/queue/apply.js';
import { failureOf } from '../../../db/support/failure.js';
import { runCli } from '../../../support/run-cli.js';
import { people, recordsOf, useImporting } from '../support/importing.js';
import { applyOptions, batchRows, importFile } from '../support/running.js';

const count = 120;

describe('A file that is changed', () => {
  const importing = useImporting();
  let file: string;
  beforeEach(() => {
    file = importing.write('people.csv', people(count));
  });

  /** Writes different bytes of the same length, a moment later. */
  function change(): void {
    const { mtimeMs } = statSync(file);
    writeFileSync(file, people(count, 'q'));
    utimesSync(file, new Date(), new Date(mtimeMs + 5));
  }

  const changes: Record<string, () => void> = {
    'in place': change,
    'by appending to it': () => appendFileSync(file, 'Ada,King,ada@example.org,1\n'),
    'by truncating it within quotes': () => {
      writeFileSync(file, people(count).replace(/Family/g, '"Family"'));
      truncateSync(file, people(count).indexOf('Given00900') + 10);
    },
    'by replacing it': () => renameSync(importing.write('other.csv', people(count, 'q')), file),
    'by removing it': () => rmSync(file),
    'by emptying it': () => truncateSync(file),
  };

  it('while it is planned gets no plan, because planning reads the file twice', async () => {
    const { code, message } = await failureOf(() =>
      planImport(importing.context, {
        file,
        options: {},
        signal: new AbortController().signal,
        onProgress: () => change(),
      }),
    );
    expect([code, message]).to.deep.equal([
      'IMPORT_CONFLICT',
      `The file ${file} was changed while it was read. Import it again.`,
    ]);
  });

  for (const [how, make] of Object.entries(changes)) {
    it(`${how} after it was planned is not imported`, async () => {
      const plan = await planImport(importing.context, { file, options: {}, signal: new AbortController().signal });
      make();
      const [before, files] = [await importing.contents(), importing.files()];
      const { code, message } = await failureOf(() => applyImport(importing.context, operator, plan, applyOptions()));
      expect([code, message]).to.deep.equal([
        'IMPORT_CONFLICT',
        `The file ${file} was changed or saved again after it was read. Import it again: rows that are done are skipped.`,
      ]);
      expect(await importing.contents()).to.equal(before);
      expect(importing.files()).to.deep.equal(files);
    });

    it(`${how} while it is imported stops the import`, async () => {
      const done: number[] = [];
      const { code } = await failureOf(() =>
        importFile(importing.context, file, {
          onProgress(rows) {
            done.push(rows);
            make();
          },
        }),
      );
      expect({ code, done }).to.deep.equal({ code: 'IMPORT_CONFLICT', done: [batchRows] });
      expect(await importing.context.database.models.User.count()).to.equal(batchRows);
      expect(recordsOf(path.join(importing.folder, 'people.credentials.csv'))).to.have.length(batchRows);
    });
  }

  /** Imports the file in small batches, and changes it after the first of them. */
  async function importAndChange(make: () => void, ...args: string[]) {
    importing.env.IMPORT_BATCH_ROWS = '10';
    importing.write('people.csv', people(300));
    const running = importing.run(file, '--yes', ...args);
    let hasEnded = false;
    void running.finally(() => {
      hasEnded = true;
    });
    while (!hasEnded && (await importing.context.database.models.ImportRow.count()) === 0) await sleep(5);
    make();
    return running;
  }
  const show = async () => {
    const { stdout } = await runCli(['imports', 'show', '1'], { env: importing.env, cwd: importing.folder });
    return stdout;
  };

  it('while it is imported is reported with the finished rows and their passwords', async () => {
    const { exitCode, stdout } = await importAndChange(changes['by appending to it'] ?? change, '--json');
    const { error, import: left } = JSON.parse(stdout);
    expect([exitCode, error.code, left.status]).to.deep.equal([1, 'IMPORT_CONFLICT', 'interrupted']);
    const credentials = path.join(importing.folder, 'people.credentials.csv');
    expect(left.credentialsFile).to.equal(credentials);
    expect(recordsOf(credentials)).to.have.length(left.counts.created);
    expect(await show()).to.match(
      /^problem +The file \S+ was changed or saved again after it was read\. Import it again/m,
    );
  });

  it('only in its modification time can be resumed afterwards', async () => {
    expect(await importAndChange(() => utimesSync(file, 1, 1))).to.include({ exitCode: 1 });
    const { number, counts, status } = await importing.json(file);
    expect({ number, status, created: counts.created }).to.deep.equal({ number: 1, status: 'completed', created: 300 });
  });

  it('can be imported in its new state, and finished rows are skipped', async () => {
    await failureOf(() => importFile(importing.context, file, { onProgress: changes['by appending to it'] ?? change }));
    const { counts, credentialsFile } = await importing.json(file);
    expect(counts).to.include({ rows: count + 1, created: count + 1 - batchRows, skipped: batchRows });
    expect(credentialsFile).to.equal(path.join(importing.folder, 'people.credentials-2.csv'));
  });
});
