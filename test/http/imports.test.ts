import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import iconv from 'iconv-lite';
import request from 'supertest';
import { loadConfig } from '../../src/config/config.js';
import { workbookType } from '../../src/http/api/operation.js';
import { type RunningServer, startServer } from '../../src/http/server/server.js';
import { createLogger } from '../../src/logger.js';
import { type Context, createContext } from '../../src/services/context.js';
import { people, sheetOf, workbookOf } from '../services/imports/support/importing.js';
import { testEnvironment } from '../support/environment.js';
import { buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { takeImportSlot } from '../support/import-slot.js';
import { scaled } from '../support/machine.js';
import { folderOnOtherFileSystem } from '../support/other-file-system.js';
import { runCli } from '../support/run-cli.js';
import { observeStatements } from '../support/statements.js';
import { until as eventually } from '../support/until.js';
import { rowsInBytes } from '../support/workbooks.js';

interface ImportBody {
  id: string;
  status: string;
  counts: Record<string, number>;
  progress: { rowsDone: number; rowsTotal: number | null };
  error: { code: string; message: string } | null;
  hasCredentials: boolean;
  hasRejects: boolean;
}

describe('Imports over HTTP', function () {
  this.timeout(scaled(60_000));
  const harness = useHarness();
  let folder = '';
  let env: Record<string, string> = {};
  const instances: { context: Context; server: RunningServer }[] = [];
  const logged: string[] = [];
  let token = '';
  let url = '';

  /** Starts an instance of the service on the harness's database. All instances share a data folder. */
  async function startInstance(settings: Record<string, string> = {}): Promise<RunningServer> {
    const logger = createLogger('debug', { write: (line: string) => void logged.push(line) });
    const config = loadConfig({ env: { ...env, ...settings }, cwd: folder });
    const context = await createContext(config, logger, { hasher: harness.context.hasher });
    const server = await startServer(context);
    instances.push({ context, server });
    return server;
  }

  async function stopInstances(): Promise<void> {
    for (const { context, server } of instances.splice(0)) {
      await server.close();
      await context.close();
    }
  }

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'coursectl-'));
    env = { ...testEnvironment, DATABASE_URL: harness.databaseUrl, DATA_DIR: folder, PORT: '0', HOST: '127.0.0.1' };
    ({ token } = await signIn(harness.context, { role: 'super_admin', email: 'root@example.org' }));
    logged.length = 0;
    ({ url } = await startInstance());
  });

  afterEach(async () => {
    await stopInstances();
    rmSync(folder, { recursive: true, force: true });
  });

  const call = (method: 'get' | 'head' | 'post', route: string) =>
    request(url)[method](route).set('Authorization', `Bearer ${token}`);

  async function submit(csv: string, fields: Record<string, string> = {}): Promise<ImportBody> {
    const response = await call('post', '/api/imports').attach('file', Buffer.from(csv), 'people.csv').field(fields);
    expect(response.status, response.text).to.equal(202);
    const { import: created } = response.body as { import: ImportBody };
    expect(response.headers.location).to.equal(`/api/imports/${created.id}`);
    return created;
  }

  const show = async (id: string) =>
    ((await call('get', `/api/imports/${id}`).expect(200)).body as { import: ImportBody }).import;

  async function until(id: string, isWanted: (record: ImportBody) => boolean): Promise<ImportBody> {
    const deadline = performance.now() + scaled(30_000);
    for (;;) {
      const record = await show(id);
      if (isWanted(record)) return record;
      if (performance.now() > deadline) throw new Error(`never as wanted: ${JSON.stringify(record)}`);
      await sleep(20);
    }
  }
  const ended = (id: string) => until(id, ({ status }) => !['queued', 'running', 'interrupted'].includes(status));

  it('are queued immediately, run in the background, and report each row', async () => {
    const created = await submit(`${people(3)}A,B,nobody,\n`, { role: 'trainer', course: '', maxErrors: '' });
    expect(created).to.include({ status: 'queued', hasCredentials: false });
    const record = await ended(created.id);
    expect(record).to.deep.include({ status: 'completed', error: null, hasCredentials: true, hasRejects: true });
    expect(record.counts).to.deep.equal({
      rows: 4,
      created: 3,
      updated: 0,
      skipped: 0,
      rejected: 1,
      enrolled: 0,
      waiting: 0,
      leftOut: 0,
      left: 0,
    });
    expect(record.progress).to.deep.equal({ rowsDone: 4, rowsTotal: 4 });
    const rejected = await call('get', `/api/imports/${record.id}/rejected.csv`).expect(200);
    expect(rejected.text).to.match(
      /^\ufefffirstName,lastName,email,phone,line,code,reason\nA,B,nobody,,5,NAME_INVALID,/,
    );
    expect(rejected.headers).to.include({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    const outcome = await call('get', `/api/imports/${record.id}/outcome.csv`).expect(200);
    const lines = outcome.text.trimEnd().split('\n');
    expect(lines).to.have.length(5);
    const address = `/api/imports/${record.id}/outcome.csv?format=xlsx`;
    const workbook = await call('get', address).responseType('blob');
    for (const { headers } of [workbook, await call('head', address).expect(200)]) {
      expect(headers['content-type']).to.equal(workbookType);
      expect(headers['content-disposition']).to.equal(`attachment; filename=outcome-${record.id}.xlsx`);
    }
    const rows = await rowsInBytes(workbook.body as Buffer);
    expect(rows.map((row) => row.slice(0, 2).join(','))).to.deep.equal(
      lines.map((line) => line.replace('\ufeff', '').split(',').slice(0, 2).join(',')),
    );
    await eventually(() => !existsSync(path.join(folder, 'imports', record.id, 'upload.csv')));
    rmSync(path.join(folder, 'imports', record.id, 'upload.rejected.csv'));
    const gone = await call('get', `/api/imports/${record.id}/rejected.csv`).expect(503);
    expect(gone.headers['retry-after']).to.match(/^\d+$/);
    expect(gone.body).to.deep.equal({
      error: "This instance of the service can't read the rejected rows of this import.",
    });
  });

  it('are accepted if their folder is on a separate file system', async function () {
    const other = folderOnOtherFileSystem(folder);
    if (!other) return this.skip();
    const release = await takeImportSlot(harness.context);
    try {
      // Instances share a mounted volume (deploy/kubernetes/coursectl.yaml).
      symlinkSync(other.path, path.join(folder, 'imports'));
      const { id } = await submit(people(3));
      expect(readdirSync(path.join(folder, 'uploads'))).to.deep.equal([]);
      expect(readdirSync(path.join(other.path, id))).to.deep.equal(['upload.csv']);
      expect(statSync(path.join(other.path, id, 'upload.csv')).mode & 0o777).to.equal(0o600);
      await release();
      expect((await ended(id)).counts).to.include({ rows: 3, created: 3 });
      // The upload is removed after the end is recorded.
      await eventually(() => !existsSync(path.join(other.path, id, 'upload.csv')));
      expect(readdirSync(path.join(other.path, id))).to.deep.equal(['upload.credentials.csv']);
    } finally {
      await release();
      other.remove();
    }
  });

  it('return their rejected rows in the encoding of the file, and name the encoding', async () => {
    const text = 'Vorname;Nachname;E-Mail;Telefon\nJürgen;Groß;juergen;0301\nAda;King;ada@example.org;1\n';
    const bytes = iconv.encode(text, 'windows-1252');
    const upload = call('post', '/api/imports').attach('file', bytes, 'C:\\fakepath\\people.csv');
    const { body } = await upload.expect(202);
    expect(body.import.file).to.equal('people.csv');
    const record = await ended(body.import.id);
    for (const [name, row] of [
      ['rejected', "\nJürgen;Groß;juergen;'0301;2;EMAIL_INVALID;"],
      ['credentials', '3;Ada;King;ada@example.org;'],
    ]) {
      const headers = { Authorization: `Bearer ${token}` };
      const response = await fetch(`${url}/api/imports/${record.id}/${name}.csv`, { headers });
      expect(response.headers.get('content-type')).to.equal('text/csv; charset=windows-1252');
      expect(iconv.decode(Buffer.from(await response.arrayBuffer()), 'windows-1252')).to.include(row);
    }
  });

  /** Downloads a file of an import. */
  async function download(route: string) {
    const response = await fetch(`${url}${route}`, { headers: { Authorization: `Bearer ${token}` } });
    const { status, headers } = response;
    const file = path.join(folder, 'download');
    writeFileSync(file, Buffer.from(await response.arrayBuffer()));
    return { status, type: headers.get('content-type'), name: headers.get('content-disposition'), file };
  }

  it('return their rejected rows and passwords as workbooks on request', async () => {
    const { id } = await ended((await submit(`${people(1)}A,B,nobody,030 1\n`)).id);
    const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    const rejected = await download(`/api/imports/${id}/rejected.csv?format=xlsx`);
    expect(rejected).to.include({ status: 200, type, name: `attachment; filename=rejected-${id}.xlsx` });
    expect((await sheetOf(rejected.file)).map((cells) => cells.slice(0, 6))).to.deep.equal([
      ['firstName', 'lastName', 'email', 'phone', 'line', 'code'],
      ['A', 'B', 'nobody', '030 1', '3', 'NAME_INVALID'],
    ]);
    expect((await download(`/api/imports/${id}/rejected.csv`)).type).to.equal('text/csv; charset=utf-8');
    expect((await download(`/api/imports/${id}/credentials.csv?format=ods`)).status).to.equal(400);
    const { headers } = await call('head', `/api/imports/${id}/credentials.csv?format=xlsx`).expect(200);
    expect(headers['content-type']).to.equal(type);
    const fetched = await download(`/api/imports/${id}/credentials.csv?format=xlsx`);
    expect(fetched).to.include({ status: 200, type, name: `attachment; filename=credentials-${id}.xlsx` });
    const [header = [], person = []] = await sheetOf(fetched.file);
    expect(header).to.deep.equal(['line', 'firstName', 'lastName', 'email', 'phone', 'password']);
    await request(url).post('/api/auth/login').send({ identifier: person[3], password: person[5] }).expect(200);
    await call('get', `/api/imports/${id}/credentials.csv`).expect(410);
  });

  it('return the rejected rows of a workbook as a workbook, unless CSV is requested', async () => {
    const rows = [
      ['firstName', 'lastName', 'email', 'phone'],
      ['Ada', 'King', 'ada@example.org', '1'],
      ['A', 'B', 'nobody', '030 1'],
    ];
    const upload = call('post', '/api/imports').attach('file', await workbookOf(rows), 'people.xlsx');
    const { body } = await upload.expect(202);
    const { id } = await ended(body.import.id);
    const rejected = await download(`/api/imports/${id}/rejected.csv`);
    expect(rejected).to.include({ status: 200, name: `attachment; filename=rejected-${id}.xlsx` });
    expect((await sheetOf(rejected.file))[1]?.slice(0, 6)).to.deep.equal([...(rows[2] ?? []), '3', 'NAME_INVALID']);
    const csv = await call('get', `/api/imports/${id}/rejected.csv?format=csv`).expect(200);
    expect(csv.text).to.include("\nA,B,nobody,'030 1,3,NAME_INVALID,");
    expect((await download(`/api/imports/${id}/credentials.csv`)).type).to.equal('text/csv; charset=utf-8');
    expect(readdirSync(path.join(folder, 'imports', id))).to.include('upload.rejected.csv');
  });

  it('refuse a workbook of rejected rows that exceed the limits of workbooks', async () => {
    const { id } = await ended(
      (await submit(`notes,${people(1)}x,A,B,nobody,1\n`.replace('x,A', `${'x'.repeat(33_000)},A`))).id,
    );
    const { body } = await call('get', `/api/imports/${id}/rejected.csv?format=xlsx`).expect(400);
    expect(body.errors[0]).to.include({
      path: 'format',
      code: 'TOO_LARGE',
      msg: 'The table is too large for a workbook: it has more than 1048576 rows, or 32767 characters in a cell. Choose CSV.',
    });
    await call('get', `/api/imports/${id}/rejected.csv?format=csv`).expect(200);
  });

  it('accept a mapping for each of 256 columns', async () => {
    const others = Array.from({ length: 252 }, (_, index) => `c${index}`);
    const upload = call('post', '/api/imports').attach(
      'file',
      Buffer.from(`x0,x1,x2,x3,${others}\nAda,King,ada@example.org,1,${others}\n`),
      '../../évil.csv',
    );
    for (const [index, field] of ['firstName', 'lastName', 'email', 'phone'].entries())
      upload.field('map', `x${index}=${field}`);
    for (const name of others) upload.field('map', `${name}=`);
    const { body } = await upload.expect(202);
    expect(body.import.file).to.equal('évil.csv');
    expect((await ended(body.import.id)).counts).to.include({ rows: 1, created: 1 });
  });

  it('return their passwords only once, and then delete them', async () => {
    const { id } = await ended((await submit(people(3))).id);
    const file = path.join(folder, 'imports', id, 'upload.credentials.csv');
    expect(existsSync(file)).to.equal(true);
    await call('head', `/api/imports/${id}/credentials.csv`).expect(200);
    expect(existsSync(file)).to.equal(true);
    const responses = await Promise.all([1, 2].map(() => call('get', `/api/imports/${id}/credentials.csv`)));
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([200, 410]);
    const [, line = ''] = responses.find(({ status }) => status === 200)?.text.split('\n') ?? [];
    const [, , , email, , password] = line.split(',');
    await request(url).post('/api/auth/login').send({ identifier: email, password }).expect(200);
    while (existsSync(file)) await sleep(5);
    const again = await call('get', `/api/imports/${id}/credentials.csv`).expect(410);
    expect(again.body).to.deep.equal({ error: 'The passwords of this import have already been fetched.' });
    await call('head', `/api/imports/${id}/credentials.csv`).expect(410);
    expect(await show(id)).to.include({ hasCredentials: false });
    expect(logged.join('')).not.to.include(password);
  });

  it('send events until they end', async () => {
    const { id } = await submit(people(120));
    const { text, headers } = await call('get', `/api/imports/${id}/events`).expect(200);
    expect(headers['content-type']).to.equal('text/event-stream; charset=utf-8');
    const events = text.trimEnd().split('\n\n');
    expect(events.at(-1)).to.match(/^event: end\ndata: \{/);
    const last = JSON.parse(events.at(-1)?.split('\ndata: ')[1] ?? '') as { import: ImportBody };
    expect(last.import).to.deep.include({ id, status: 'completed' });
    expect(events.length).to.be.greaterThan(1);
    expect(events.slice(0, -1).every((event) => event.startsWith('event: progress\n'))).to.equal(true);
  });

  it('send events only while the caller is signed in', async () => {
    const release = await takeImportSlot(harness.context);
    try {
      const { id } = await submit(people(3));
      const watching = call('get', `/api/imports/${id}/events`).then(({ text }) => text);
      await sleep(200);
      await call('post', '/api/auth/logout').expect(200);
      const text = await Promise.race([watching, sleep(8000).then(() => 'no end')]);
      expect(text).to.match(/^event: progress\ndata: \{[^\n]*"status":"queued"[^\n]*\}\n\n$/);
    } finally {
      await release();
    }
  });

  it('send events to at most 20 clients of an account at a time', async () => {
    const release = await takeImportSlot(harness.context);
    try {
      const { id } = await submit(people(3));
      const events = `/api/imports/${id}/events`;
      const watch = async () => {
        const leaving = new AbortController();
        const options = { headers: { Authorization: `Bearer ${token}` }, signal: leaving.signal };
        // Keeps the response, because garbage collection would cancel its body.
        return { response: await fetch(`${url}${events}`, options), leaving };
      };
      const watching = await Promise.all(Array.from({ length: 20 }, watch));
      expect(new Set(watching.map(({ response }) => response.status))).to.deep.equal(new Set([200]));
      await call('get', events).expect(503);
      // After a stream has ended, another stream is accepted.
      watching[0]?.leaving.abort();
      let next = await watch();
      for (; next.response.status === 503; next = await watch()) await sleep(50);
      expect(next.response.status).to.equal(200);
      await call('post', `/api/imports/${id}/cancel`).expect(200);
      for (const { response } of [...watching.slice(1), next]) expect(await response.text()).to.include('event: end');
    } finally {
      await release();
    }
  });

  it('are read from the database once for all watching clients', async () => {
    const release = await takeImportSlot(harness.context);
    try {
      const { id } = await submit(people(3));
      const [{ context } = expect.fail('There is no instance.')] = instances;
      let readings = 0;
      observeStatements(context.database.sequelize, (sql) => {
        if (/FROM .import_plans. /.test(sql)) readings += 1;
      });
      const startedAt = performance.now();
      const watching = Array.from({ length: 20 }, () => call('get', `/api/imports/${id}/events`).then());
      // Each stream reads once at its beginning; later reads are shared, every half second.
      await eventually(() => readings >= 20 + 2);
      expect(readings).to.be.at.most(20 + Math.ceil((performance.now() - startedAt) / 500));
      await call('post', `/api/imports/${id}/cancel`).expect(200);
      for (const { text } of await Promise.all(watching)) expect(text).to.match(/event: end\n.*"cancelled"/);
    } finally {
      await release();
    }
  });

  it('run one at a time in the order of submission, across all instances', async () => {
    await startInstance();
    const ids: string[] = [];
    for (const tag of ['a', 'b', 'c']) ids.push((await submit(people(60, tag))).id);
    let most = 0;
    for (let over = false; !over; ) {
      const records = await Promise.all(ids.map(show));
      most = Math.max(most, records.filter(({ status }) => status === 'running').length);
      over = records.every(({ status }) => status === 'completed');
      await sleep(5);
    }
    expect(most).to.equal(1);
    const { Import, User } = harness.context.database.models;
    const records = await Import.findAll({ order: ['startedAt'] });
    expect(records.map(({ id }) => id)).to.deep.equal(ids);
    expect(await User.count({ where: { role: 'trainee' } })).to.equal(180);
  });

  it('are resumed after the service was stopped', async () => {
    const { id } = await submit(people(250));
    await until(id, ({ progress }) => progress.rowsDone > 0);
    await stopInstances();
    const stopped = await harness.context.database.models.Import.findByPk(id, { rejectOnEmpty: true });
    expect(stopped.status).to.be.oneOf(['interrupted', 'completed']);
    expect(stopped.rowsDone % 50).to.equal(0);
    ({ url } = await startInstance());
    const record = await ended(id);
    expect(record).to.deep.include({ status: 'completed' });
    expect(record.counts).to.include({ rows: 250, created: 250 });
    const { text } = await call('get', `/api/imports/${id}/credentials.csv`).expect(200);
    expect(text.trimEnd().split('\n')).to.have.length(251);
  });

  it('can be cancelled while queued and while running, and resumed', async () => {
    const [running, waiting] = [await submit(people(700)), await submit(people(10, 'w'))];
    await until(running.id, ({ progress }) => progress.rowsDone > 0);
    const { body } = await call('post', `/api/imports/${waiting.id}/cancel`).expect(200);
    expect(body.import).to.include({ status: 'cancelled' });
    await call('post', `/api/imports/${running.id}/cancel`).expect(200);
    const record = await ended(running.id);
    expect(record).to.include({ status: 'cancelled' });
    expect(record.counts.created).to.be.within(1, 699);
    const refused = await call('post', `/api/imports/${running.id}/cancel`).expect(400);
    expect(refused.body.error).to.match(/is cancelled: there is nothing to cancel\.$/);
    await call('post', `/api/imports/${running.id}/resume`).expect(202);
    expect((await ended(running.id)).counts).to.include({ rows: 700, created: 700 });
  });

  it('fail with the messages of the command line, and can be undone on the command line', async () => {
    const bad = await ended((await submit('name,mail\nx,y\n')).id);
    expect(bad).to.deep.include({ status: 'failed', hasCredentials: false });
    expect(bad.error?.code).to.equal('IMPORT_FILE_INVALID');
    expect(bad.error?.message).to.match(/^The file has no phone column: /);
    const refused = await ended((await submit(`${people(2)}A,B,nobody,\n`, { onError: 'abort' })).id);
    expect(refused.error).to.include({ code: 'IMPORT_REFUSED' });
    expect(await harness.context.database.models.User.count({ where: { role: 'trainee' } })).to.equal(0);
    const { id } = await ended((await submit(people(2))).id);
    const { exitCode, stdout } = await runCli(['imports', 'undo', id, '--yes'], { env, cwd: folder });
    expect({ exitCode, stdout }).to.deep.equal({
      exitCode: 0,
      stdout: 'Undone: 2 accounts removed, 0 restored, 0 kept\n',
    });
    expect(await show(id)).to.include({ status: 'undone' });
    const again = await call('post', `/api/imports/${id}/undo`).expect(400);
    expect(again.body.error).to.match(/is undone already\.$/);
  });

  it('are refused with the reason and leave nothing, if no options can make the file importable', async () => {
    const header = 'firstName,lastName,email,phone\n';
    const files = [
      ['PK\x03\x04xl/workbook.xml', "The workbook can't be read: it is damaged or incomplete"],
      [`\x89PNG\r\n\x1a\n\0\0\0\rIHDR${'\x55'.repeat(90)}`, 'The file is binary, not CSV'],
      ['\n,,\n', 'The file is empty.'],
      [`${header}\n`, 'The file p.csv has a header and no rows below it.'],
    ] as const;
    for (const [content, reason] of files)
      for (const plan of ['true', 'false']) {
        const { status, body } = await call('post', '/api/imports')
          .attach('file', Buffer.from(content, 'latin1'), 'p.csv')
          .field('plan', plan);
        expect(status, reason).to.equal(400);
        expect(body.errors).to.have.length(1);
        expect(body.errors[0]).to.include({ path: 'file', location: 'body' });
        expect(body.errors[0].msg).to.include(reason);
      }
    // Files that other options may fix are planned.
    for (const content of [`${header}"a`, 'nomen;cognomen\na;b\n', `sep=x\n${header}a`, '\xff\x81 \xc3\xa9\n'])
      await call('post', '/api/imports')
        .attach('file', Buffer.from(content, 'latin1'), 'p.csv')
        .field('plan', 'true')
        .expect(202);
    expect(await harness.context.database.models.Import.count()).to.equal(4);
    const kept = readdirSync(path.join(instances[0]?.context.config.dataDir ?? '', 'imports'));
    expect(kept).to.have.length(4);
  });

  it('are refused immediately when they can never run', async () => {
    const none = await call('post', '/api/imports').field('role', 'trainee');
    expect([none.status, none.body]).to.deep.equal([
      400,
      {
        errors: [
          {
            type: 'field',
            path: 'file',
            location: 'body',
            msg: 'A file is required.',
            code: 'REQUIRED',
            params: {},
          },
        ],
      },
    ]);
    for (const [content, fields, error] of [
      ['x', { role: 'super_admin' }, { path: 'role', msg: 'Role must be one of trainee, trainer.' }],
      [
        'x',
        { resetPasswords: 'true' },
        { path: 'resetPasswords', msg: 'resetPasswords may be set only if onExisting is update.' },
      ],
      ['x', { course: 'x' }, { path: 'course', msg: 'Course: there is none with this id or title.' }],
      ['x', { map: `${'x'.repeat(1000)}=` }, { msg: 'A mapping can have no more than 1000 characters.' }],
      ['', {}, { path: 'file', msg: 'The file is empty.' }],
    ] as const) {
      const { status, body } = await call('post', '/api/imports')
        .attach('file', Buffer.from(content), 'p.csv')
        .field(fields);
      expect([status, body.errors?.length]).to.deep.equal([400, 1]);
      expect(body.errors[0]).to.include(error);
    }
    const two = await call('post', '/api/imports')
      .attach('file', Buffer.from('x'), 'p.csv')
      .attach('file', Buffer.from('x'), 'q.csv');
    expect(two.body.errors[0]).to.include({ msg: 'Send one file, in the field "file".' });
    await call('post', '/api/imports').send({ role: 'trainee' }).expect(415);
    const broken = await call('post', '/api/imports')
      .set('Content-Type', 'multipart/form-data; boundary=x')
      .send('--x\r\n');
    expect(broken.status).to.equal(400);
    await stopInstances();
    ({ url } = await startInstance({ IMPORT_UPLOAD_MAX_BYTES: '2000', IMPORT_UPLOAD_MAX_ROWS: '10' }));
    const large = await call('post', '/api/imports').attach('file', Buffer.from(people(100)), 'p.csv');
    expect([large.status, large.body]).to.deep.equal([
      413,
      { error: 'The file has more than 2000 bytes.', params: { maxBytes: 2000 } },
    ]);
    const tooLong = await ended((await submit(people(12))).id);
    expect(tooLong.error?.message).to.match(/^The file has more than 10 rows\./);
    expect(readdirSync(path.join(folder, 'uploads'))).to.deep.equal([]);
  });

  it('include imports of the terminal, without their passwords and rejected rows', async () => {
    await buildUser(harness.context, { email: 'p00001@example.org' });
    writeFileSync(path.join(folder, 'people.csv'), `${people(3)}A,B,nobody,\n`);
    const { exitCode } = await runCli(['users', 'import', 'people.csv', '--yes'], { env, cwd: folder });
    expect(exitCode).to.equal(3);
    const { body } = await call('get', '/api/imports').expect(200);
    const [record] = (body as { imports: ImportBody[] }).imports;
    expect(record).to.deep.include({ status: 'completed', origin: 'cli', hasCredentials: false, hasRejects: false });
    expect(record?.counts).to.include({ created: 2, skipped: 1, rejected: 1 });
    const { stdout } = await runCli(['imports', 'rejects', '1'], { env, cwd: folder });
    expect(stdout).to.include('A,B,nobody,,5,NAME_INVALID,');
    expect(JSON.stringify(body)).not.to.include(folder);
    await call('get', `/api/imports/${record?.id}/credentials.csv`).expect(404);
    const none = await call('get', `/api/imports/${record?.id}/rejected.csv`).expect(404);
    expect(none.body).to.deep.equal({ error: 'Rejected rows not found.' });
    await call('head', `/api/imports/${record?.id}/rejected.csv`).expect(404);
    const preview = await call('post', `/api/imports/${record?.id}/undo?dryRun=true`).expect(200);
    expect(preview.body.undo).to.deep.equal({ removed: 2, restored: 0, kept: [], mailsSent: 0 });
    const undone = await call('post', `/api/imports/${record?.id}/undo`).expect(200);
    expect(undone.body).to.deep.include({
      message: 'Import undone.',
      undo: { removed: 2, restored: 0, kept: [], mailsSent: 0 },
    });
    expect(await harness.context.database.models.User.count({ where: { role: 'trainee' } })).to.equal(1);
  });
});
