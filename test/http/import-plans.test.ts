import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { importsFolder } from '../../src/services/imports/store/spool.js';
import { people, useImporting } from '../services/imports/support/importing.js';
import { runToEnd, runToPlan } from '../services/imports/support/submitting.js';
import { buildCourse, buildUser, signIn } from '../support/factories.js';

const hash = '$2b$10$abcdefghijklmnopqrstuuN9qo8uLOickgx2ZMRZoMyeIjZAgcfl7';

describe('Imports that are planned over HTTP', () => {
  const importing = useImporting({ IMPORT_MAX_PLANS: '2' });
  const { models } = importing;
  let token = '';

  beforeEach(async () => {
    ({ token } = await signIn(importing.context, { role: 'super_admin', email: 'root@example.org' }));
  });

  const call = (method: 'get' | 'post', path: string) => importing.api(method, `/api/imports${path}`, token);

  async function upload(csv: string | Buffer, fields: Record<string, string> = {}) {
    const { body } = await call('post', '')
      .attach('file', Buffer.from(csv), 'people.csv')
      .field({ plan: 'true', ...fields })
      .expect(202);
    return body.import;
  }

  async function plan(csv: string | Buffer, fields: Record<string, string> = {}) {
    const { id, status } = await upload(csv, fields);
    expect(status).to.equal('planning');
    await runToPlan(importing, id);
    return show(id);
  }

  const show = async (id: string) => (await call('get', `/${id}`).expect(200)).body.import;
  const rowsOf = async (id: string, query = '') => (await call('get', `/${id}/rows?${query}`).expect(200)).body;
  const people1 = `${people(2)}Ada,King,ada@example.org,1\nA,B,nobody,\n`;

  it('return the planned outcome of every row, and write no account', async () => {
    const before = await models().User.count();
    const created = await upload(people1);
    expect(created).to.deep.include({ status: 'planning', progress: { rowsDone: 0, rowsTotal: null } });
    expect(created.plan).to.deep.include({ id: null, counts: null, columns: [] });
    await runToPlan(importing, created.id);
    const planned = await show(created.id);
    expect(planned).to.include({ status: 'planned', startedAt: null, finishedAt: null });
    expect(planned.counts).to.include({ rows: 0, created: 0 });
    const counts = {
      rows: 4,
      created: 3,
      updated: 0,
      skipped: 0,
      unchanged: 0,
      rejected: 1,
      enrolled: 0,
      waiting: 0,
      leftOut: 0,
      left: 0,
    };
    expect(planned.plan).to.deep.include({ problem: null, refusal: null, rowsRead: 4, generatedPasswords: 3, counts });
    const format = { encoding: 'utf-8', delimiter: ',', byteOrderMark: false, workbook: null };
    expect(planned.plan.file).to.deep.equal({ ...format, headerLine: 1, lines: 5, names: [] });
    expect(planned.plan.columns[2]).to.deep.equal({
      index: 2,
      heading: 'email',
      field: 'email',
      ...{ suggestion: null, hidden: false, effect: 'account, sign-in, mails', people: 3, mailed: 0 },
      example: 'p00001@example.org',
      samples: ['p00001@example.org', 'p00002@example.org', 'ada@example.org', 'nobody'],
    });
    expect(planned.plan.fields).to.deep.include.members([
      { name: 'phone', required: true },
      { name: 'fullName', required: false },
    ]);
    const fault = planned.plan.reasons.find(({ outcome }: { outcome: string }) => outcome === 'rejected');
    const codes = { code: 'NAME_INVALID', otherCodes: ['EMAIL_INVALID', 'PHONE_MISSING'], field: null };
    expect(fault).to.deep.include({ ...codes, count: 1, rows: [5] });
    expect(fault.message).to.include('Email must be a valid email address.');
    expect(await models().User.count()).to.equal(before);
    expect(await models().ImportRow.count()).to.equal(0);
  });

  it('list the rows of the plan, filtered by outcome, code and text', async () => {
    const account = await buildUser(importing.context, { email: 'ada@example.org', phone: '1', lastName: 'Lovelace' });
    const { id, plan: made } = await plan(people1, { onExisting: 'update' });
    const { rows, pagination } = await rowsOf(id);
    expect(pagination).to.deep.equal({ currentPage: 1, totalPages: 1, totalItems: 4, itemsPerPage: 20 });
    expect(rows.map(({ line, outcome }: { line: number; outcome: string }) => [line, outcome])).to.deep.equal([
      [2, 'created'],
      [3, 'created'],
      [4, 'updated'],
      [5, 'rejected'],
    ]);
    const [updated] = (await rowsOf(id, 'outcome=updated')).rows;
    expect(updated).to.deep.include({ code: null, message: null, cells: ['Ada', 'King', 'ada@example.org', '1'] });
    expect(updated.account).to.deep.equal({
      id: account.id,
      firstName: account.firstName,
      lastName: 'Lovelace',
      email: 'ada@example.org',
    });
    expect(updated.changes).to.deep.include.members([{ field: 'lastName', before: 'Lovelace', after: 'King' }]);
    expect(made.identityChanges).to.have.length(1);
    expect(made.identityChanges[0]).to.deep.include({ line: 4, userId: account.id });
    expect(made.identityChanges[0].after).to.include({ firstName: 'Ada', lastName: 'King', role: 'trainee' });
    const found = await rowsOf(id, 'search=P00002@EXAMPLE&limit=1');
    expect([found.pagination.totalItems, found.rows[0].line]).to.deep.equal([1, 3]);
    const byName = await rowsOf(id, 'search=king,%20ada');
    expect(byName.rows.map(({ line }: { line: number }) => line)).to.deep.equal([4]);
    expect((await rowsOf(id, 'search=5')).rows.map(({ line }: { line: number }) => line)).to.deep.equal([5]);
    for (const code of ['NAME_INVALID', 'EMAIL_INVALID', 'PHONE_MISSING'])
      expect((await rowsOf(id, `code=${code}`)).pagination.totalItems, code).to.equal(1);
    const [rejected] = (await rowsOf(id, 'code=EMAIL_INVALID')).rows;
    expect(rejected).to.deep.include({ line: 5, code: 'NAME_INVALID', account: null, cells: ['A', 'B', 'nobody'] });
    expect(rejected.message).to.include('Email "nobody" must be a valid email address.');
    expect((await rowsOf(id, 'code=COURSE_FULL')).rows).to.deep.equal([]);
    for (const code of ['\u{1f9b5}', 'caf\u00e9', 'invalid', 'A'.repeat(65)])
      await call('get', `/${id}/rows?code=${encodeURIComponent(code)}`).expect(400);
    await call('get', `/${id}/rows?outcome=lost`).expect(400);
    await call('get', '/nothing/rows').expect(404);
  });

  it('never show passwords and hashes', async () => {
    const csv = [
      'firstName,lastName,email,phone,password,Old password hash,code',
      `Ada,King,ada@example.org,1,topsecret99,${hash},${hash}`,
      `A,B,nobody,2,topsecret99,${hash},x`,
    ].join('\n');
    const { id, plan: made } = await plan(csv);
    const rows = await rowsOf(id);
    expect(made.columns[4].samples).to.deep.equal(['••••••', '••••••']);
    expect(rows.rows[1].cells.slice(4)).to.deep.equal(['••••••', '••••••', 'x']);
    expect(JSON.stringify([made, rows])).not.to.match(/topsecret99|\$2b\$/);
    const stored = JSON.stringify([await models().ImportPlan.findAll(), await models().ImportPlanRow.findAll()]);
    expect(stored).not.to.match(/topsecret99|\$2b\$/);
  });

  it('mask all cells of a row with shifted cells in a file with passwords', async () => {
    const header = 'firstName,lastName,email,phone,password,reply';
    const moved = [
      'Ann,Lee, Jr,ann@example.org,1,topsecret99,hello',
      'Ann,Lee,Jr,ann@example.org,1,topsecret99',
      'Ann;Lee;ann@example.org;1;topsecret99',
    ];
    const { id, plan: made } = await plan(`${[header, ...moved, 'Bob,Ray,nobody,2,topsecret99,hi'].join('\n')}\n`);
    const { rows } = await rowsOf(id);
    expect(rows[3].cells).to.deep.equal(['Bob', 'Ray', 'nobody', '2', '••••••', 'hi']);
    const stored = JSON.stringify([await models().ImportPlan.findAll(), await models().ImportPlanRow.findAll()]);
    expect(JSON.stringify([made, rows]) + stored).not.to.include('topsecret99');
    const harmless = await plan('firstName,lastName,email,phone,reply\nAnn,Lee, Jr,ann@example.org,1,hello\n');
    expect((await rowsOf(harmless.id)).rows[0].cells).to.deep.equal(['Ann', 'Lee', ' Jr', 'ann@example.org', '1']);
  });

  it('cut samples at 100 characters', async () => {
    const { plan: made } = await plan(`firstName,lastName,email,phone,reply\nA,B,nobody,1,${'😀'.repeat(150)}\n`);
    expect(made.columns[4].samples).to.deep.equal(['😀'.repeat(100)]);
  });

  it('accept a mapping of columns for an unknown header', async () => {
    const unknown = people(3).replace('firstName,lastName,email,phone', 'A,Surname,A,');
    const refused = await plan(unknown);
    expect(refused).to.deep.include({
      status: 'planned',
      error: { code: 'IMPORT_FILE_INVALID', message: refused.plan.problem.message },
    });
    expect(refused.plan.problem).to.deep.include({
      code: 'IMPORT_FILE_INVALID',
      reason: 'COLUMNS_MISSING',
      line: null,
    });
    expect(refused.plan).to.deep.include({ id: null, counts: null });
    expect(refused.plan.columns.map(({ field }: { field: string }) => field)).to.deep.equal([null, 'lastName', null]);
    const suggestions = refused.plan.columns.map(({ suggestion }: { suggestion: string }) => suggestion);
    expect(suggestions).to.deep.equal([null, null, 'email']);
    expect(refused.plan.columns[0].samples).to.deep.equal(['Given00001', 'Given00002', 'Given00003']);
    const denied = await call('post', `/${refused.id}/apply`).send({}).expect(400);
    expect(denied.body.error).to.equal(refused.plan.problem.message);

    const map = ['firstName', 'lastName', 'email', 'phone'].map((field, column) => ({ column, field }));
    const more = await call('post', `/${refused.id}/plan`).send({ map, role: 'trainer' }).expect(202);
    expect(more.body.import.plan).to.include({ problem: null, rowsRead: 0 });
    await runToPlan(importing, refused.id);
    const mapped = await show(refused.id);
    expect(mapped.plan).to.deep.include({ problem: null });
    expect(mapped.plan.counts).to.include({ created: 3 });
    expect(mapped.error).to.equal(null);
    // A column is named by its heading, if no other column has it.
    const entries = ['#1=firstName', 'Surname=lastName', '#3=email', '#4=phone'];
    expect(mapped.options).to.deep.include({ role: 'trainer', map: entries });
    expect((await rowsOf(refused.id)).pagination.totalItems).to.equal(3);
    expect(mapped.plan.columns[3]).to.deep.include({ index: 3, heading: '', field: 'phone' });

    const beyond = [...map.slice(0, 3), { column: 4, field: 'phone' }];
    await call('post', `/${refused.id}/plan`).send({ map: beyond }).expect(202);
    await runToPlan(importing, refused.id);
    const replanned = await show(refused.id);
    expect(replanned.plan.problem).to.include({ code: 'USAGE', reason: null });
  });

  it('ask for the course that a wrong name means, and use the chosen course', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    const course = await buildCourse(importing.context, trainer, { title: 'First Aid' });
    const header = 'firstName,lastName,email,phone,course';
    const asked = await plan(`${header}\nAda,King,ada@example.org,1,Frist Aid\n`);
    const { id, title } = course;
    expect(asked.plan.reasons[0]).to.deep.include({
      code: 'COURSE_UNKNOWN',
      courseQuestion: { name: 'Frist Aid', candidates: [{ id, title, startDate: null }] },
    });
    const mapCourse = [`Frist Aid=${id}`];
    await call('post', `/${asked.id}/plan`).send({ mapCourse }).expect(202);
    await runToPlan(importing, asked.id);
    const answered = await show(asked.id);
    expect(answered.plan.counts).to.include({ created: 1, enrolled: 1, rejected: 0 });
    expect(answered.options).to.deep.include({ mapCourse });
    const unknown = await call('post', `/${asked.id}/plan`)
      .send({ mapCourse: ['Frist Aid=nowhere'] })
      .expect(400);
    expect(unknown.body.errors[0]).to.include({ path: 'mapCourse', code: 'UNKNOWN' });
    const uploaded = await upload(`${header}\nBob,Baker,bob@example.org,2,\n`, { mapCourse: `Frist Aid=${id}` });
    expect(uploaded.options).to.deep.include({ mapCourse });
  });

  it('use the options that a roster remembers, except for those that the request names', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    await buildCourse(importing.context, trainer, { title: 'First Aid' });
    const header = 'firstName,lastName,email,phone,Funk';
    const mapped = { roster: 'Year 9', course: 'First Aid', onLeave: 'deactivate', map: 'Funk=' };
    const first = await plan(`${header}\nAda,King,ada@example.org,1,\n`, mapped);
    await call('post', `/${first.id}/apply`).send({}).expect(202);
    await runToEnd(importing, first.id);
    const { id } = await plan(`${header}\nAda,King,ada@example.org,1,\nAlan,Turing,alan@example.org,2,\n`);
    await call('post', `/${id}/plan`).send({ roster: 'year 9', onLeave: 'keep' }).expect(202);
    await runToPlan(importing, id);
    const next = await show(id);
    expect(next.options).to.deep.include({ course: 'First Aid', onLeave: 'keep', whenFull: 'wait', map: ['Funk='] });
    expect(next.plan.counts).to.include({ created: 1, enrolled: 1, left: 0 });
  });

  it('list the sheets of a workbook if the requested sheet is missing or empty', async () => {
    const workbook = readFileSync('test/fixtures/workbooks/three-sheets.ods');
    const refused = await plan(workbook, { sheet: 'Nobody' });
    const sheets = [
      { name: 'Listen', isHidden: true },
      { name: 'Hinweise', isHidden: false },
      { name: 'Teilnehmer 2026', isHidden: false },
    ];
    expect(refused.plan).to.deep.include({ file: null, columns: [] });
    expect(refused.plan.problem).to.deep.include({ reason: 'SHEET_UNKNOWN', sheets });
    await call('post', `/${refused.id}/plan`).send({ sheet: 'Teilnehmer 2026' }).expect(202);
    await runToPlan(importing, refused.id);
    const { problem, file } = (await show(refused.id)).plan;
    expect(problem).to.equal(null);
    expect(file.workbook).to.deep.equal({ kind: 'ods', sheet: 'Teilnehmer 2026', sheets });
  });

  it('validate the options of a new plan like those of the form', async () => {
    const { id } = await plan(people1);
    const invalid = [
      [{ role: 'king' }, 'role'],
      [{ resetPasswords: true }, 'resetPasswords'],
      [{ resetPasswords: 'true' }, 'resetPasswords'],
      [{ maxErrors: '5' }, 'maxErrors'],
      [{ course: 'none' }, 'course'],
      [{ map: ['a=b'] }, 'map.0'],
      [{ map: [{ column: -1, field: 'email' }] }, 'map.0.column'],
      [{ map: [{ column: 0, field: 'shoe' }] }, 'map.0.field'],
    ] as const;
    for (const [body, path] of invalid) {
      const response = await call('post', `/${id}/plan`).send(body).expect(400);
      expect(response.body.errors, JSON.stringify(body)).to.have.length(1);
      expect(response.body.errors[0]).to.include({ path, location: 'body' });
    }
    expect(await show(id)).to.include({ status: 'planned' });
  });

  it('name the line of bytes in an unknown encoding', async () => {
    const mixed = Buffer.concat([
      Buffer.from(`${people(1)}J\u00fcrgen`, 'latin1'),
      Buffer.from(',Zo\u00eb,z@example.org,8\n'),
    ]);
    const { problem } = (await plan(mixed)).plan;
    expect(problem).to.include({ code: 'IMPORT_FILE_INVALID', reason: 'ENCODING_UNKNOWN', line: 3 });
  });

  it('show the columns of a file with an unreadable row', async () => {
    const refused = await plan(`${people(300)}"A,B\n`);
    expect(refused.plan.problem.message).to.include('a quote that is never closed');
    expect(refused.plan.columns).to.have.length(4);
    expect((await rowsOf(refused.id)).rows).to.deep.equal([]);
  });

  it('are applied as planned, and then work like other imports', async () => {
    const { id, plan: made } = await plan(people1);
    const applied = await call('post', `/${id}/apply`).send({}).expect(202);
    expect(applied.body.import).to.include({ status: 'queued' });
    expect(applied.headers.location).to.equal(`/api/imports/${id}`);
    const twice = await call('post', `/${id}/apply`).send({}).expect(400);
    expect(twice.body.error).to.equal('The import 1 is queued: there is no plan to apply.');
    const record = await runToEnd(importing, id);
    expect(record).to.include({ status: 'completed', createdCount: 3, rejectedCount: 1, planId: made.id });
    expect(await show(id)).to.deep.include({ plan: null, hasRejects: true, hasCredentials: true });
    const { rows } = await rowsOf(id, 'outcome=created&search=ada');
    expect(rows).to.have.length(1);
    expect(rows[0]).to.deep.include({ line: 4, changes: null, cells: null });
    expect(rows[0].account).to.include({ email: 'ada@example.org' });
    expect(await models().ImportPlanRow.count()).to.equal(0);
    expect(await models().ImportPlan.count()).to.equal(0);
    await call('get', `/${id}/credentials.csv`).expect(200);
    const preview = await call('post', `/${id}/undo?dryRun=true`).expect(200);
    expect(preview.body).to.deep.include({
      undo: { removed: 3, restored: 0, kept: [], mailsSent: 0 },
      keptReasons: [],
    });
    await models().User.update({ lastLogin: new Date() }, { where: { email: 'ada@example.org' } });
    const undone = await call('post', `/${id}/undo`).expect(200);
    expect(undone.body.keptReasons).to.deep.equal([{ code: 'LOGGED_IN', count: 1 }]);
    const undos = (await rowsOf(id)).rows.map(({ undo }: { undo: object | null }) => undo);
    const removed = { outcome: 'removed', code: null };
    expect(undos).to.deep.equal([removed, removed, { outcome: 'kept', code: 'LOGGED_IN' }, null]);
    const actions = await models().AuditEntry.findAll({ where: { targetId: id }, order: ['id'] });
    expect(actions.map(({ action }) => action)).to.deep.equal([
      'import.plan',
      'import.start',
      'import.finish',
      'import.credentials',
      'import.undo',
    ]);
  });

  it('are refused with 409 when the import was planned again', async () => {
    const { id } = await plan(people1);
    await call('post', `/${id}/apply`).send({ planId: 'another' }).expect(409);
    expect(await show(id)).to.include({ status: 'planned' });
  });

  it('return to the state "planned" when accounts have changed before the first row is written', async () => {
    const { id } = await plan(people1);
    await call('post', `/${id}/apply`).send({}).expect(202);
    await buildUser(importing.context, { email: 'ada@example.org', phone: '1' });
    const users = await models().User.count();
    await runToPlan(importing, id);
    const reopened = await show(id);
    expect(reopened).to.include({ status: 'planned', startedAt: null });
    expect(reopened.error).to.include({ code: 'PLAN_OUTDATED' });
    expect(reopened.plan.problem).to.include({ code: 'PLAN_OUTDATED' });
    expect(await models().User.count()).to.equal(users);
    await call('post', `/${id}/apply`).send({}).expect(409);
    await call('post', `/${id}/plan`).send({}).expect(202);
    await runToPlan(importing, id);
    expect((await show(id)).plan.counts).to.include({ created: 2, skipped: 1 });
  });

  it('are refused when the options allow no rejected rows', async () => {
    const { id, plan: made } = await plan(people1, { onError: 'abort' });
    expect(made.refusal).to.match(/^1 row is bad/);
    expect((await show(id)).error).to.deep.equal({ code: 'IMPORT_REFUSED', message: made.refusal });
    await call('post', `/${id}/apply`).send({}).expect(400, { error: made.refusal });
  });

  it('are discarded with their file when they are cancelled', async () => {
    const { id } = await plan(people1);
    const { filePath } = await models().Import.findByPk(id, { rejectOnEmpty: true });
    expect(existsSync(filePath)).to.equal(true);
    const { body } = await call('post', `/${id}/cancel`).expect(200);
    expect(body).to.deep.include({ message: 'Plan discarded.' });
    expect(body.import).to.include({ status: 'discarded' });
    expect(existsSync(`${importsFolder(importing.context)}/${id}`)).to.equal(false);
    expect(await models().ImportPlanRow.count()).to.equal(0);
    for (const action of ['apply', 'plan', 'cancel', 'resume', 'undo'])
      await call('post', `/${id}/${action}`).send({}).expect(400);
  });

  it('are limited per account', async () => {
    const first = await upload(people(1));
    await upload(people(2));
    const third = () =>
      call('post', '')
        .attach('file', Buffer.from(people(3)), 'p.csv')
        .field({ plan: 'true' });
    const { body } = await third().expect(400);
    expect(body.error).to.equal('You may have 2 planned imports, and have 2. Apply or cancel some first.');
    expect(await models().Import.count()).to.equal(2);
    await call('post', `/${first.id}/cancel`).expect(200);
    await third().expect(202);
  });
});
