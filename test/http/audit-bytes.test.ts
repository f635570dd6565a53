import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import { contract } from '../../src/http/api/contract.js';
import type { Operation } from '../../src/http/api/operation.js';
import { listAudit } from '../../src/services/audit.js';
import { operator } from '../../src/services/core.js';
import { undoImport } from '../../src/services/imports/commands.js';
import { useImporting } from '../services/imports/support/importing.js';
import { importFile } from '../services/imports/support/running.js';
import { buildCourse, buildUser, signIn } from '../support/factories.js';
import { type Example, examples, pathOf } from './support/examples.js';
import type { JoiDescription } from './support/fuzz-values.js';

/** So many bytes the audit log may take for each byte of a request. */
const bytesPerByte = 4;
/** And so many for each entry besides: ids, time, address, short values. */
const bytesPerEntry = 600;

const tables = ['audit_entries', 'audit_texts'];

/** A sign of three bytes, which fills what is limited in characters. */
const sign = '\u4e2d';

function useMeasured() {
  const used = useImporting();

  /** The rows of the audit log and their bytes. */
  async function stored(): Promise<{ entries: number; bytes: number }> {
    const { sequelize } = used.context.database;
    let bytes = 0;
    for (const table of tables)
      for (const row of await sequelize.query<object>(`SELECT * FROM ${table}`, { type: QueryTypes.SELECT }))
        for (const value of Object.values(row))
          bytes += Buffer.byteLength(value instanceof Date ? value.toISOString() : String(value ?? ''));
    return { entries: await used.context.database.models.AuditEntry.count(), bytes };
  }

  /** Runs requests, and compares their bytes with those that the audit log has then. Lines and headers count as nothing. */
  async function expectBounded(send: () => Promise<number>): Promise<void> {
    const before = await stored();
    const sent = await send();
    const after = await stored();
    const entries = after.entries - before.entries;
    const bytes = after.bytes - before.bytes;
    expect(bytes, `${sent} bytes sent, ${entries} entries`).to.be.at.most(
      bytesPerByte * sent + bytesPerEntry * entries,
    );
  }

  /** Sends a request that succeeds. @returns its bytes and its answer */
  async function send(method: 'post' | 'put' | 'delete', path: string, token: string, body: object = {}) {
    const response = await used.api(method, path, token).send(body);
    expect(response.status, `${path} ${JSON.stringify(response.body).slice(0, 500)}`).to.be.below(300);
    return { bytes: path.length + Buffer.byteLength(JSON.stringify(body)), body: response.body };
  }
  return { used, expectBounded, send };
}

/** The texts of a body that may have any words, as long as they may be. */
function longest(schema: Operation['body'], body: Record<string, unknown>): Record<string, unknown> {
  const keys = (schema?.describe().keys ?? {}) as Record<string, JoiDescription>;
  const descriptions = (field: string) => [keys[field], ...(keys[field]?.matches ?? []).map(({ schema: one }) => one)];
  const filled = Object.entries(body).map(([field, value]) => {
    const metas = descriptions(field).flatMap((description) => description?.metas ?? []);
    const { maxLength, format } = Object.assign({}, ...metas) as NonNullable<JoiDescription['metas']>[number];
    const free = typeof value === 'string' && maxLength !== undefined && format === undefined;
    return [field, free && !/password|phone|Id$/i.test(field) ? sign.repeat(maxLength) : value] as const;
  });
  return Object.fromEntries(filled);
}

/** Less than the limit of bodies. */
const maxBodyBytes = 100_000;

describe('The bytes that the audit log takes', () => {
  const { used, expectBounded, send } = useMeasured();

  for (const [name, operation] of Object.entries(contract) as [keyof typeof contract, Operation][]) {
    const { method, path, upload } = operation;
    if (method === 'get') continue;
    it(`are bounded by those of the request: ${method.toUpperCase()} ${path}`, async () => {
      const given: Example = await examples[name](used.context);
      const body = given.body && longest(operation.body, given.body);
      // As many of the longest texts as a body takes.
      for (const field of Object.keys(body ?? {})) {
        if (!body || Buffer.byteLength(JSON.stringify(body)) <= maxBodyBytes) break;
        body[field] = given.body?.[field];
      }
      const target = pathOf(path, given);
      await expectBounded(async () => {
        const call = used.api(method, target, given.token).set(given.headers ?? {});
        const sent = given.upload
          ? call.field(given.upload.fields).attach(upload?.field ?? '', given.upload.file, given.upload.name)
          : call.send(body);
        const response = await sent;
        expect(response.status, JSON.stringify(response.body).slice(0, 500)).to.be.below(300);
        return target.length + Buffer.byteLength(JSON.stringify(body ?? {})) + (given.upload?.file.length ?? 0);
      });
    });
  }

  describe('over the life of what is created', () => {
    it('are bounded for enrollments with notes, assigned together and removed one by one', async () => {
      const { user, token } = await signIn(used.context, { role: 'trainer' });
      const { id: courseId } = await buildCourse(used.context, user);
      const traineeIds: string[] = [];
      for (let built = 0; built < 50; built += 1) traineeIds.push((await buildUser(used.context)).id);
      const notes = sign.repeat(2000);
      await expectBounded(async () => {
        let sent = 0;
        for (let round = 0; round < 3; round += 1) {
          const assigned = await send('post', '/api/enrollments/bulk', token, { courseId, traineeIds, notes });
          sent += assigned.bytes;
          for (const { id } of assigned.body.enrollments)
            sent += (await send('delete', `/api/enrollments/${id}`, token)).bytes;
        }
        return sent;
      });
      // Nothing of it is lost.
      const { items } = await listAudit(used.context, { limit: 100 });
      for (const { action, before, after } of items)
        expect((action === 'enrollment.remove' ? before : after)?.notes, action).to.equal(notes);
    });

    it('are bounded for enrollments with notes, assigned and removed together', async () => {
      const { user, token } = await signIn(used.context, { role: 'trainer' });
      const { id: courseId } = await buildCourse(used.context, user);
      const traineeIds: string[] = [];
      for (let built = 0; built < 100; built += 1) traineeIds.push((await buildUser(used.context)).id);
      await expectBounded(async () => {
        const body = { courseId, traineeIds, notes: sign.repeat(1000) };
        const assigned = await send('post', '/api/enrollments/bulk', token, body);
        const enrollmentIds = assigned.body.enrollments.map(({ id }: { id: string }) => id);
        return assigned.bytes + (await send('delete', '/api/enrollments/bulk/remove', token, { enrollmentIds })).bytes;
      });
    });

    it('are bounded for a course whose texts change to and fro', async () => {
      const { token } = await signIn(used.context, { role: 'trainer' });
      const texts = (word: string) => ({ description: word.repeat(20_000), requirements: word.repeat(5000) });
      await expectBounded(async () => {
        const created = await send('post', '/api/courses', token, { title: 'Weaving', ...texts(sign) });
        const path = `/api/courses/${created.body.course.id}`;
        let sent = created.bytes;
        for (const word of ['\u4e2e', sign, '\u4e2e', sign])
          sent += (await send('put', path, token, texts(word))).bytes;
        sent += (await send('put', `${path}/publish`, token, { isPublished: true })).bytes;
        return sent + (await send('delete', path, token)).bytes;
      });
    });

    it('are bounded for accounts with the longest names, changed together', async () => {
      const { token } = await signIn(used.context, { role: 'super_admin' });
      const ids: string[] = [];
      for (let built = 0; built < 30; built += 1) {
        const names = { firstName: '\u{20000}'.repeat(50), lastName: '\u{20001}'.repeat(50) };
        const email = `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(50)}${built}.org`;
        ids.push((await buildUser(used.context, { ...names, email, phone: `${'9'.repeat(40)}${built}` })).id);
      }
      await expectBounded(async () => {
        let sent = 0;
        for (const action of ['deactivate', 'activate', 'reset_password', 'delete'])
          sent += (await send('post', '/api/users/bulk', token, { action, ids })).bytes;
        return sent;
      });
    });

    it('are bounded for accounts that an import creates, another updates, and both are undone', async () => {
      const rows = (word: string) =>
        Array.from({ length: 50 }, (_, index) => `${word.repeat(50)},${word.repeat(50)},e${index}@x.org,1${index}\n`);
      const file = (word: string) => `firstName,lastName,email,phone\n${rows(word).join('')}`;
      await expectBounded(async () => {
        const ids: string[] = [];
        let sent = 0;
        for (const [word, options] of [
          ['\u4e2d', {}],
          ['\u4e2e', { onExisting: 'update' }],
        ] as const) {
          const content = file(word);
          const { id, counts } = await importFile(used.context, used.write(word, content), {}, options);
          expect(counts.rejected + counts.skipped).to.equal(0);
          ids.push(id);
          sent += Buffer.byteLength(content);
        }
        const options = { signal: new AbortController().signal, onWait: () => undefined };
        for (const id of ids.reverse()) await undoImport(used.context, operator, id, options);
        return sent;
      });
    });
  });
});
