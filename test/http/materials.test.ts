import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Response } from 'supertest';
import type { Course } from '../../src/db/models/course.js';
import type { User } from '../../src/db/models/user.js';
import { createApp } from '../../src/http/server/app.js';
import { enrollmentStatuses } from '../../src/schemas/enrollment-statuses.js';
import { createContext } from '../../src/services/context.js';
import { buildCourse, buildEnrollment, buildMaterial, buildUser, signIn, tokenFor } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { expectFailure, expectInvalid, messageOf } from './support/expectations.js';
import { emptyStorage, expectNothingLeft, filePart, form, send, storingAfter, uploadsIn } from './support/uploads.js';

const settings = { FILE_MATERIAL_MAX_BYTES: '5000000', FILE_COURSE_QUOTA_BYTES: '6000000' };

/** Collects the raw bytes of a response. */
const asBytes = (response: Response, done: (error: Error | null, body: Buffer) => void) => {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('end', () => done(null, Buffer.concat(chunks)));
};

describe('materials of courses over HTTP', () => {
  const harness = useHarness(settings);
  let trainer: User;
  let token: string;
  let course: Course;

  beforeEach(async () => {
    await emptyStorage(harness.context);
    ({ user: trainer, token } = await signIn(harness.context, { role: 'trainer' }));
    course = await buildCourse(harness.context, trainer, { isPublished: true });
  });

  const routeOf = (id = '', courseId = course.id) => `/api/courses/${courseId}/files${id && `/${id}`}`;
  const upload = (content: Buffer | string, name = 'notes.txt', as = token) =>
    harness.api('post', routeOf(), as).attach('file', Buffer.from(content), name);
  const added = async (content: Buffer | string, name?: string) =>
    (await upload(content, name).expect(201)).body.file as { id: string; name: string; bytes: number };
  const download = (id: string, as = token) =>
    harness
      .api('get', routeOf(id), as)
      .buffer(true)
      .parse(asBytes as never);
  const superAdmin = async () => (await signIn(harness.context, { role: 'super_admin' })).token;

  async function participant(status: (typeof enrollmentStatuses)[number]): Promise<string> {
    const trainee = await buildUser(harness.context);
    await buildEnrollment(harness.context, trainee, course, { status });
    return tokenFor(harness.context, trainee);
  }

  /** Serves the app on a port, for clients other than supertest. */
  async function serving<T>(use: (url: string) => Promise<T>, app = harness.app): Promise<T> {
    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      // The server listens on a port, so its address is not a text.
      return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  describe('POST /api/courses/:id/files', () => {
    it('adds a file of any type and returns its fields', async () => {
      const { body } = await upload('What was said.').expect(201);
      expect(body).to.have.all.keys('message', 'file');
      expect(body.message).to.equal('File uploaded successfully.');
      expect(body.file).to.have.all.keys('id', 'name', 'contentType', 'bytes', 'createdAt');
      expect(body.file).to.include({ name: 'notes.txt', contentType: 'text/plain', bytes: 14 });
      expect(new Date(body.file.createdAt).getTime()).to.be.closeTo(Date.now(), 60_000);
      await expectNothingLeft(harness.context, 1);
    });

    it('derives the content type from the name, not from the request', async () => {
      for (const [name, contentType] of [
        ['slides.pdf', 'application/pdf'],
        ['page.HTML', 'text/html'],
        ['drawing.svg', 'image/svg+xml'],
        ['unknown.xyzzy', 'application/octet-stream'],
        ['README', 'application/octet-stream'],
      ] as const) {
        const { body } = await harness
          .api('post', routeOf(), token)
          .attach('file', Buffer.from('x'), { filename: name, contentType: 'image/png' })
          .expect(201);
        expect(body.file, name).to.include({ name, contentType });
      }
    });

    it('keeps the name of a file, without its folders and in one line', async () => {
      const longs = 'ä'.repeat(300);
      for (const [sent, kept] of [
        ['../../etc/passwd', 'passwd'],
        ['C:\\fakepath\\x', 'x'],
        ['/', undefined],
        ['..', undefined],
        ['a\u0085b\u2028c.txt', 'abc.txt'],
        ['a\u0001b.txt', undefined],
        ['report\u202efdp.exe', 'reportfdp.exe'],
        ['\u2066تقرير\u2069\u200f.pdf', 'تقرير\u200f.pdf'],
        ['line%0D%0Afeed.txt', 'linefeed.txt'],
        ['say %22please%22.txt', 'say "please".txt'],
        ['Übung “1” 📚.pdf', 'Übung “1” 📚.pdf'],
        [`${longs}.pdf`, `${'ä'.repeat(251)}.pdf`],
        [`x.${longs}`, `x.${'ä'.repeat(253)}`],
        ['📚'.repeat(300), '📚'.repeat(255)],
        ['   ', 'upload'],
        ['', undefined],
      ] as const) {
        const response = await serving((url) => send(url, { path: routeOf(), token, body: form(filePart('x', sent)) }));
        // An empty file name means that no file was chosen. Bytes that are invalid in headers break the form.
        expect(response.status, sent).to.equal(kept === undefined ? 400 : 201);
        if (kept !== undefined) expect(JSON.parse(response.body).file.name).to.equal(kept);
      }
      const { StoredFile } = harness.context.database.models;
      await expectNothingLeft(harness.context, await StoredFile.count());
    });

    it('stores files of any size from empty to the limit', async () => {
      expectFailure(await upload(Buffer.alloc(5_000_001)), 'BODY_TOO_LARGE', 'The file has more than 5000000 bytes.', {
        maxBytes: 5_000_000,
      });
      for (const bytes of [0, 5_000_000]) {
        const { id, ...file } = await added(Buffer.alloc(bytes));
        expect(file.bytes).to.equal(bytes);
        const response = await download(id).expect(200);
        expect([response.headers['content-length'], (response.body as Buffer).length]).to.deep.equal([
          `${bytes}`,
          bytes,
        ]);
      }
      await expectNothingLeft(harness.context, 2);
    });

    it('refuses files beyond the quota of the course before receiving or before storing them', async () => {
      await buildMaterial(harness.context, course, {}, Buffer.alloc(4_000_000));
      const full = "The course's files may have 6000000 bytes altogether, and have 4000000. Delete some first.";
      const stored: string[] = [];
      const app = createApp(storingAfter(harness.context, async () => void stored.push('a file')));
      const tooLong = form(filePart(Buffer.alloc(2_000_001)));
      const responses = await serving(async (url) => {
        const request = { path: routeOf(), token };
        return [
          // Announces a length, but sends nothing.
          await send(url, { ...request, headers: { 'Content-Length': 4_000_000 } }),
          await send(url, { ...request, body: tooLong }),
          // Announces no length.
          await send(url, {
            ...request,
            headers: { 'Content-Length': '', 'Transfer-Encoding': 'chunked' },
            body: Buffer.concat([
              Buffer.from(`${tooLong.length.toString(16)}\r\n`),
              tooLong,
              Buffer.from('\r\n0\r\n\r\n'),
            ]),
          }),
        ];
      }, app);
      for (const response of responses)
        expect([response.status, JSON.parse(response.body).error]).to.deep.equal([400, full]);
      expect(stored).to.deep.equal([]);
      await expectNothingLeft(harness.context, 1);
    });

    it('enforces the quota for concurrent files, and accepts files again after deletions', async () => {
      const responses = await Promise.all(Array.from({ length: 10 }, () => upload(Buffer.alloc(1_500_000))));
      const statuses = responses.map(({ status }) => status).sort();
      expect(statuses).to.deep.equal([...Array(4).fill(201), ...Array(6).fill(400)]);
      for (const { status, body } of responses)
        if (status === 400) expect(body.error).to.match(/^The course's files may/);
      await upload('').expect(201);
      await upload('x').expect(400);
      const { id } = responses.find(({ status }) => status === 201)?.body.file ?? {};
      await harness.api('delete', routeOf(id), token).expect(200);
      await upload('x').expect(201);
      await expectNothingLeft(harness.context, 5);
    });

    it('enforces the limit of files of a course, also for empty and concurrent files', async () => {
      const { config, logger, hasher } = harness.context;
      const files = { ...config.files, courseFiles: 5 };
      const context = await createContext({ ...config, files }, logger, { hasher });
      const full = 'The course may have 5 files, and has 5. Delete some first.';
      await serving(async (url) => {
        const addTo = (path: string) => send(url, { path, token, body: form(filePart('')) });
        const responses = await Promise.all(Array.from({ length: 8 }, () => addTo(routeOf())));
        expect(responses.map(({ status }) => status).sort()).to.deep.equal([
          ...Array(5).fill(201),
          ...Array(3).fill(400),
        ]);
        for (const { status, body } of responses)
          if (status === 400) expect(JSON.parse(body)).to.deep.equal({ error: full, params: { max: 5 } });
        // A file beyond the limit isn't received.
        const announced = await send(url, { path: routeOf(), token, headers: { 'Content-Length': 4_000_000 } });
        expect([announced.status, JSON.parse(announced.body).error]).to.deep.equal([400, full]);
        // The image of the course doesn't count, and other courses have their own limit.
        await buildMaterial(harness.context, await buildCourse(harness.context, trainer), {}, Buffer.alloc(1));
        const { body } = await harness.api('get', routeOf(), token).expect(200);
        await harness.api('delete', routeOf(body.files[0].id), token).expect(200);
        expect((await addTo(routeOf())).status).to.equal(201);
        expect((await addTo(routeOf())).status).to.equal(400);
      }, createApp(context)).finally(() => context.close());
      await expectNothingLeft(harness.context, 6);
    });

    it('accepts only the configured types', async () => {
      const { config, logger, hasher } = harness.context;
      const files = { ...config.files, materialTypes: ['pdf', 'mp4'] };
      const context = await createContext({ ...config, files }, logger, { hasher });
      const responses = await serving(async (url) => {
        const found = [];
        for (const name of ['a.pdf', 'A.PDF', 'b.mp4', 'c.txt', 'pdf', 'd.pdf.exe', '.pdf', 'e.pdf ', 'f.pdf%0D%0A'])
          found.push(await send(url, { path: routeOf(), token, body: form(filePart('x', name)) }));
        return found;
      }, createApp(context)).finally(() => context.close());
      expect(responses.map(({ status }) => status)).to.deep.equal([201, 201, 201, 400, 400, 400, 400, 201, 201]);
      expect(JSON.parse(responses[3]?.body ?? '')).to.deep.equal({
        errors: [
          {
            type: 'field',
            path: 'file',
            location: 'body',
            msg: 'The file must be of one of these types: pdf, mp4.',
            code: 'FILE_TYPE_REFUSED',
            params: { values: ['pdf', 'mp4'] },
          },
        ],
      });
      await expectNothingLeft(harness.context, 5);
    });

    it('refuses other callers before the file is read', async () => {
      const other = (await signIn(harness.context, { role: 'trainer' })).token;
      for (const as of [other, await participant('active')])
        expect((await harness.api('post', routeOf(), as).send({ not: 'a form' })).status).to.equal(403);
      expect((await harness.api('post', routeOf(), token).send({})).status).to.equal(415);
    });

    it('accepts exactly one file, in its field', async () => {
      const none = await harness.api('post', routeOf(), token).field('name', 'x');
      const two = await upload('x').attach('file', Buffer.from('y'), 'y.txt');
      const other = await harness.api('post', routeOf(), token).attach('image', Buffer.from('x'), 'x.txt');
      for (const response of [none, two, other]) expectInvalid(response, ['file']);
      expect(messageOf(none)).to.equal('A file is required.');
      expect(messageOf(two)).to.equal('Send one file, in the field "file".');
      await expectNothingLeft(harness.context);
    });

    /** Returns the status of an upload, in the middle of which other work is done. */
    const statusAfter = (event: () => Promise<unknown>): Promise<string> =>
      serving(async (url) => {
        const body = form(filePart('What was said.'));
        const { hostname, port } = new URL(url);
        const socket = connect({ host: hostname, port: Number(port) });
        const response = text(socket);
        socket.write(
          `POST ${routeOf()} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n`,
        );
        socket.write(`Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${body.length}\r\n\r\n`);
        socket.write(body.subarray(0, -5));
        while (uploadsIn(harness.context).length === 0) await sleep(10);
        await event();
        socket.write(body.subarray(-5));
        return (await response).slice(0, 'HTTP/1.1 201'.length);
      });

    it('refuses the file of a trainer who was deactivated during the upload', async () => {
      const admin = await superAdmin();
      const deactivation = () =>
        harness.api('put', `/api/users/${trainer.id}/status`, admin).send({ isActive: false }).expect(200);
      expect(await statusAfter(deactivation)).to.equal('HTTP/1.1 401');
      await expectNothingLeft(harness.context);
    });

    it('leaves nothing if the course is deleted during the upload', async () => {
      const deletion = () => harness.api('delete', `/api/courses/${course.id}`, token).expect(200);
      const app = createApp(storingAfter(harness.context, deletion));
      const response = await serving((url) => send(url, { path: routeOf(), token, body: form(filePart('x')) }), app);
      expect([response.status, JSON.parse(response.body)]).to.deep.equal([404, { error: 'Course not found.' }]);
      await expectNothingLeft(harness.context);
    });
  });

  describe('GET /api/courses/:id/files', () => {
    const list = (query = '', as = token) => harness.api('get', `${routeOf()}${query}`, as);
    const names = ({ body }: Response) => (body.files as { name: string }[]).map(({ name }) => name);

    it('lists the files of the course, newest first', async () => {
      for (const name of ['1.txt', '2.txt', '3.txt']) await added(name, name);
      await buildMaterial(harness.context, await buildCourse(harness.context, trainer), { name: 'other.txt' });
      const all = await list().expect(200);
      expect(names(all)).to.deep.equal(['3.txt', '2.txt', '1.txt']);
      expect(all.body.files[0]).to.have.all.keys('id', 'name', 'contentType', 'bytes', 'createdAt');
      expect(all.body.pagination).to.deep.equal({ currentPage: 1, totalPages: 1, totalItems: 3, itemsPerPage: 20 });
      const second = await list('?page=2&limit=2').expect(200);
      expect(names(second)).to.deep.equal(['1.txt']);
      expect(second.body.pagination).to.deep.equal({ currentPage: 2, totalPages: 2, totalItems: 3, itemsPerPage: 2 });
      expect(names(await list('?page=3&limit=2').expect(200))).to.deep.equal([]);
    });

    it('omits incomplete files, files to be removed, and the thumbnail', async () => {
      const states = { pending: 'material', marked: 'material', live: 'thumbnail' } as const;
      for (const [state, kind] of Object.entries(states))
        await buildMaterial(harness.context, course, { state, kind } as Parameters<typeof buildMaterial>[2]);
      const { body } = await list().expect(200);
      expect(body.files).to.deep.equal([]);
    });
  });

  describe('GET /api/courses/:id/files/:fileId', () => {
    it('returns the file byte for byte, as an attachment', async () => {
      const content = randomBytes(3_000_000);
      const { id } = await added(content, 'page.html');
      const { headers, body } = await download(id).expect(200);
      expect(Buffer.compare(body as Buffer, content)).to.equal(0);
      expect(headers).to.include({
        'content-type': 'text/html',
        'content-length': '3000000',
        'content-disposition': 'attachment; filename=page.html',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'no-store',
      });
      await expectNothingLeft(harness.context, 1);
    });

    it('returns the file under its original name', async () => {
      for (const [name, header] of [
        ['Übung 1.pdf', `attachment; filename="?bung 1.pdf"; filename*=UTF-8''${encodeURIComponent('Übung 1')}.pdf`],
        ['課題.pdf', `attachment; filename="??.pdf"; filename*=UTF-8''${encodeURIComponent('課題')}.pdf`],
        ['say "please".txt', 'attachment; filename="say \\"please\\".txt"'],
        ["50% (it's).txt", 'attachment; filename="50% (it\'s).txt"'],
        ['€ %41.txt', 'attachment; filename="? %41.txt"; filename*=UTF-8\'\'%E2%82%AC%20%2541.txt'],
        ['a;b.txt', 'attachment; filename="a;b.txt"'],
      ] as const) {
        const { id } = await buildMaterial(harness.context, course, { name });
        const { headers } = await download(id).expect(200);
        expect(headers['content-disposition'], name).to.equal(header);
      }
    });

    it('adds no unnecessary listeners for slow readers, and closes the file when its reader leaves', async () => {
      const { id } = await added(Buffer.alloc(5_000_000));
      const warnings: Error[] = [];
      const note = (warning: Error) => void warnings.push(warning);
      process.on('warning', note);
      await serving(async (url) => {
        const response = await fetch(`${url}${routeOf(id)}`, { headers: { Authorization: `Bearer ${token}` } });
        let bytes = 0;
        for await (const chunk of response.body ?? []) {
          bytes += (chunk as Uint8Array).length;
          await sleep(1);
        }
        expect(bytes).to.equal(5_000_000);
        for (let round = 0; round < 5; round += 1) {
          const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
          socket.write(`GET ${routeOf(id)} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
          await new Promise((resolve) => socket.once('data', resolve));
          socket.destroy();
        }
        await expectNothingLeft(harness.context, 1);
      });
      process.off('warning', note);
      expect(warnings).to.deep.equal([]);
    });

    it('is unavailable, whole and in ranges, if the file in the storage has another size', async () => {
      const { storage } = harness.context;
      const { id, storageKey } = await buildMaterial(harness.context, course, {}, 'abcdefghij');
      for (const content of ['abcdefghi', '', 'abcdefghijk']) {
        writeFileSync(path.join(storage.location, storageKey), content);
        for (const headers of [{}, { Range: 'bytes=0-1' }, { Range: 'bytes=0-' }]) {
          const response = await harness.api('get', routeOf(id), token).set(headers as Record<string, string>);
          expectFailure(response, 'UNAVAILABLE');
          expect(response.headers).not.to.have.any.keys('etag', 'content-range', 'content-disposition');
        }
        const { status } = await serving((url) => send(url, { method: 'HEAD', path: routeOf(id), token }));
        expect(status).to.equal(503);
      }
      await expectNothingLeft(harness.context, 1);
    });

    it('finds only files of its own course', async () => {
      const other = await buildMaterial(harness.context, await buildCourse(harness.context, trainer));
      const thumbnail = await buildMaterial(harness.context, course, { kind: 'thumbnail' });
      const pending = await buildMaterial(harness.context, course, { state: 'pending' });
      for (const id of [other.id, thumbnail.id, pending.id, 'nothing', '..%2F..', '%00'])
        for (const method of ['get', 'delete'] as const)
          expect((await harness.api(method, routeOf(id), token)).status, id).to.equal(404);
      await harness.api('get', routeOf(other.id, other.courseId ?? ''), token).expect(200);
    });
  });

  describe('read access', () => {
    /** Returns the statuses of listing and downloading. */
    async function statuses(as: string, id: string): Promise<number[]> {
      const responses = [await harness.api('get', routeOf(), as), await harness.api('get', routeOf(id), as)];
      return responses.map(({ status }) => status);
    }

    for (const isPublished of [true, false]) {
      it(`to files of a ${isPublished ? '' : 'un'}published course is limited to its managers and active trainees`, async () => {
        await course.update({ isPublished });
        const { id } = await buildMaterial(harness.context, course);
        for (const as of [token, await superAdmin(), await participant('active')])
          expect(await statuses(as, id)).to.deep.equal([200, 200]);
        const refused = Array(2).fill(isPublished ? 403 : 404);
        for (const status of enrollmentStatuses)
          if (status !== 'active') expect(await statuses(await participant(status), id), status).to.deep.equal(refused);
        const strangers = [await signIn(harness.context, { role: 'trainer' }), await signIn(harness.context)];
        for (const { token: as } of strangers) expect(await statuses(as, id)).to.deep.equal(refused);
        // Also without any files.
        await harness.api('delete', routeOf(id), token).expect(200);
        for (const { token: as } of strangers) expect((await statuses(as, id))[0]).to.equal(refused[0]);
        expect((await harness.api('get', routeOf())).status).to.equal(401);
      });
    }
  });

  describe('DELETE /api/courses/:id/files/:fileId', () => {
    it('deletes the file, records this like the upload, and returns 404 the second time', async () => {
      const [kept, { id, name }] = [await added('kept'), await added('deleted')];
      const { body } = await harness.api('delete', routeOf(id), token).expect(200);
      expect(body).to.deep.equal({ message: 'File deleted successfully.' });
      for (const method of ['delete', 'get'] as const)
        expectFailure(await harness.api(method, routeOf(id), token), 'NOT_FOUND', 'File not found.');
      await download(kept.id).expect(200);
      await expectNothingLeft(harness.context, 1);
      const { AuditEntry } = harness.context.database.models;
      const entries = await AuditEntry.findAll({ where: { targetId: course.id }, order: ['id'] });
      const actions = ['course.add-file', 'course.add-file', 'course.remove-file'];
      expect(entries.map(({ action }) => action)).to.deep.equal(actions);
      for (const json of [entries[1]?.afterJson, entries[2]?.beforeJson])
        expect(JSON.parse(json ?? '')).to.include({ id, name, bytes: 7 });
    });

    it('is not needed for the files of a deleted course, which are deleted with it', async () => {
      for (const name of ['1', '2', '3']) await added(name, name);
      const other = await buildMaterial(harness.context, await buildCourse(harness.context, trainer));
      await harness.api('delete', `/api/courses/${course.id}`, token).expect(200);
      await expectNothingLeft(harness.context, 1);
      await harness.api('get', routeOf(other.id, other.courseId ?? ''), token).expect(200);
    });
  });
});
