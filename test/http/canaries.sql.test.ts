import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { createApp } from '../../src/http/server/app.js';
import { createLogger } from '../../src/logger.js';
import type { Context } from '../../src/services/context.js';
import { submitImport } from '../../src/services/imports/queue/submit.js';
import { diskFault } from '../../src/storage/disk.js';
import { importFile } from '../services/imports/support/running.js';
import { client, runToEnd } from '../services/imports/support/submitting.js';
import { atDepth } from '../support/depth.js';
import { buildCourse, buildUser, signIn } from '../support/factories.js';
import { emptyDatabase, useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { canaries, LeakDetector } from './support/canaries.js';
import { type Fault, secretRows, sendCanaries, sendRefusedRequests } from './support/canary-requests.js';
import { operations } from './support/examples.js';
import { refuseWrites } from './support/refuse-writes.js';

/** An unexpected error with secrets in all its properties. */
function thrown(): never {
  throw Object.assign(new TypeError('a bug'), {
    sql: `INSERT ... '${canaries.password}'`,
    parameters: [canaries.newPassword],
    password: canaries.password,
    original: new Error(canaries.password),
    config: { headers: { authorization: canaries.token } },
  });
}

/** Returns the context with replaced parts. Getters stay getters, such as the lazily created secret. */
const withPart = (context: Context, part: Partial<Context>) =>
  Object.create(context, Object.getOwnPropertyDescriptors(part)) as Context;

/** Returns the program with a bug in the hasher, which all logins and password changes need. */
const buggy = (context: Context) =>
  withPart(context, { hasher: { ...context.hasher, compare: async () => thrown(), hash: async () => thrown() } });

/** Returns the program with a full disk for files. */
function full(context: Context): Context {
  const put = async (_key: string, file: string) => {
    await rm(file, { force: true });
    const error = new Error(`ENOSPC: no space left on device, write '${file}'`);
    throw diskFault(context.storage.location, Object.assign(error, { code: 'ENOSPC' }));
  };
  return withPart(context, { storage: Object.create(context.storage, { put: { value: put } }) as Context['storage'] });
}

/** Renames a table, so that every statement on it fails. */
async function hide(context: Context, table: string): Promise<() => Promise<void>> {
  const { sequelize } = context.database;
  await sequelize.query(`ALTER TABLE ${table} RENAME TO ${table}_hidden`);
  return async () => void (await sequelize.query(`ALTER TABLE ${table}_hidden RENAME TO ${table}`));
}

const guardedTables = ['users', 'sessions', 'login_throttle', 'imports', 'courses', 'enrollments', 'files'];

/** Faults during requests, with a status that some responses must have, and the affected operations. */
const faults: Record<string, { status: number; concerns: readonly string[]; of: (context: Context) => Fault }> = {
  'all well': { status: 200, concerns: [], of: (context) => ({ app: createApp(context) }) },
  'writes refused by the database': {
    status: 500,
    concerns: ['login'],
    of: (context) => ({ app: createApp(context), begin: () => refuseWrites(context, guardedTables) }),
  },
  'the table of failed logins gone': {
    status: 500,
    concerns: ['login'],
    of: (context) => ({ app: createApp(context), begin: () => hide(context, 'login_throttle') }),
  },
  'the sessions gone': {
    status: 500,
    concerns: ['me'],
    of: (context) => ({ app: createApp(context), begin: () => hide(context, 'sessions') }),
  },
  'a full disk': {
    status: 507,
    concerns: ['setAvatar', 'addMaterial'],
    of: (context) => ({ app: createApp(full(context)) }),
  },
  'a bug': { status: 500, concerns: ['changePassword'], of: (context) => ({ app: createApp(buggy(context)) }) },
};

describe('Secrets sent through the whole contract', function () {
  this.timeout(scaled(60_000));
  let watch: LeakDetector;
  /** Operations with a response. */
  const met = new Set<string>();
  const harness = useHarness({}, createLogger('trace', { write: (line) => void watch?.lines.push(line) }));
  beforeEach(() => {
    watch = new LeakDetector(harness.context);
  });

  it('are found by the test if they leak', async () => {
    const { context } = harness;
    watch.issued.add('a password that was generated');
    const shapes = {
      'a hash': '$2b$10$abcdefghijklmnopqrstuuN9qo8uLOickgx2ZMRZoMyeIjZAgcfl7',
      'a token': 'eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2ln',
      'a generated password': 'a password that was generated',
    };
    const planted = { ...canaries, ...shapes };
    await watch.captureOutput(async () => {
      for (const word of Object.values(planted)) context.logger.info(`planted: ${word}`);
      await buildCourse(context, await buildUser(context, { role: 'trainer' }), { title: canaries.cell });
      await watch.checkEverything('planted');
    });
    const found = new Set(watch.leaks.map((leak) => leak.split(' (')[0]));
    expect(found).to.include.all.keys(...Object.keys(planted).map((what) => `${what} in a log line`));
    expect(found).to.include('cell in a row of courses');
  });

  // By default, each fault is tested with a part of the operations. Together, the parts contain all operations.
  const parts = atDepth(Object.keys(faults).length, 1);

  for (const [index, [during, { status, concerns, of }]] of Object.entries(faults).entries())
    it(`are in no response, log line, row or file name: ${during}`, async () => {
      const fault = { during, ...of(harness.context) };
      const sample = operations.filter(([name], n) => n % parts === index % parts || concerns.includes(name));
      await watch.captureOutput(async () => {
        for (const [name, operation] of sample) await sendCanaries(harness.context, watch, name, operation, fault);
      });
      expect(watch.leaks).to.deep.equal([]);
      expect(watch.loggedLines).to.be.at.least(watch.requests);
      expect([...watch.statuses]).to.include(status);
      for (const name of watch.operations) met.add(name);
    });

  it('are sent to every operation', () => {
    expect(operations.filter(([name]) => !met.has(name))).to.deep.equal([]);
  });

  it('are in no response, log line, row or file name when their request is refused', async () => {
    await watch.captureOutput(() => sendRefusedRequests(harness.context, watch, atDepth(4, 1)));
    expect(watch.leaks).to.deep.equal([]);
    expect([...watch.statuses]).to.include.members([400, 401, 403, 404, 405, 413, 415, 429]);
  });

  it('are in no response, log line, row or file name when they are in a file, except in documented responses', async () => {
    const { context } = harness;
    const file = path.join(mkdtempSync(path.join(context.config.dataDir, 'canaries-')), 'people.csv');
    for (const upload of [false, true]) {
      await emptyDatabase(context);
      writeFileSync(file, secretRows);
      await watch.captureOutput(async () => {
        const { token } = await signIn(context, { role: 'super_admin' });
        const submitted = upload && (await submitImport(context, client, { path: file, name: 'people.csv' }, {}));
        if (submitted) await runToEnd({ context }, submitted.id);
        const { id } = submitted || (await importFile(context, file));
        const places = { listImports: '', showImport: `/${id}`, watchImport: `/${id}/events` } as const;
        for (const [name, place] of Object.entries(places) as [keyof typeof places, string][])
          watch.checkResponse(name, 'after an import', await harness.api('get', `/api/imports${place}`, token));
        watch.checkResponse('listAudit', 'after an import', await harness.api('get', '/api/audit', token));
        await watch.checkEverything('after an import');
      });
    }
    expect(watch.leaks).to.deep.equal([]);
  });

  it('are in no response, log line, row or file name when an import fails', async () => {
    const { context } = harness;
    const file = path.join(mkdtempSync(path.join(context.config.dataDir, 'canaries-')), 'people.csv');
    writeFileSync(file, secretRows);
    const { id } = await submitImport(context, client, { path: file, name: 'people.csv' }, {});
    const accept = await refuseWrites(context, ['users']);
    await watch.captureOutput(async () => {
      await runToEnd({ context }, id);
      await watch.checkEverything('a failed import');
    });
    await accept();
    expect(watch.leaks).to.deep.equal([]);
    const { status } = await context.database.models.Import.findByPk(id, { rejectOnEmpty: true });
    expect(status).to.equal('failed');
  });
});
