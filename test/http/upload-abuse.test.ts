import { statSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { signIn } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { material, mebibyte, useUploadService } from './support/upload-service.js';
import {
  expectNothingLeft,
  fieldPart,
  filePart,
  form,
  part,
  type RawResponse,
  send,
  uploadsIn,
} from './support/uploads.js';

describe('abuse of uploads', function () {
  this.timeout(scaled(60_000));
  const service = useUploadService();
  const { post, expectWell } = service;

  /** Expects a status, a documented body, and no remaining files. */
  async function expectRefused(response: RawResponse, status: number, what: string): Promise<void> {
    expect(response.status, `${what}: ${response.body}`).to.equal(status);
    const body = JSON.parse(response.body) as { error?: string; errors?: { path: string; msg: string }[] };
    if (body.errors) expect(body.errors.map(({ path }) => path)).to.deep.equal(['file']);
    else expect(body, what).to.include.keys('error');
    await expectNothingLeft(service.context);
  }

  describe('the limits of a form', () => {
    const fields = (count: number) => Array.from({ length: count }, (_, index) => fieldPart(`f${index}`, 'x'));
    const pairs = (count: number) => Array.from({ length: count }, (_, index) => `X${index}:x`);
    const disposition = 'Content-Disposition: form-data; name="file"; filename="notes.txt"';
    const file = () => filePart('What was said.');
    const allowed: Record<string, () => Buffer> = {
      '316 fields beside the file': () => form(...fields(316), file()),
      '316 fields behind the file': () => form(file(), ...fields(316)),
      'a field name of 100 bytes': () => form(fieldPart('n'.repeat(100), 'x'), file()),
      'a field of 10,000 bytes': () => form(fieldPart('f', 'x'.repeat(10_000)), file()),
      '3 MiB in the file': () => material(3 * mebibyte),
      'many headers': () => form(part([disposition, ...pairs(1000)], 'x')),
      'something before the form': () => Buffer.concat([Buffer.from('preamble\r\n'), material()]),
      'something behind the form': () => Buffer.concat([material(), Buffer.from('epilogue')]),
      'fields that are named like properties': () =>
        form(fieldPart('__proto__', 'x'), fieldPart('toString', 'x'), file()),
    };
    it('accept forms within the limits', async () => {
      for (const [index, [name, make]] of Object.entries(allowed).entries()) {
        const response = await post(make());
        expect(response.status, `${name}: ${response.body}`).to.equal(201);
        await expectNothingLeft(service.context, index + 1);
      }
    });

    const refused: Record<string, [number, () => Buffer]> = {
      '317 fields beside the file': [400, () => form(...fields(317), file())],
      '317 fields behind the file': [400, () => form(file(), ...fields(317))],
      '318 parts that are nothing': [400, () => form(...Array<Buffer>(318).fill(part(['X: y'], '')), file())],
      'a field name of 101 bytes': [400, () => form(fieldPart('n'.repeat(101), 'x'), file())],
      'a field name of 101 bytes behind the file': [400, () => form(file(), fieldPart('n'.repeat(101), 'x'))],
      'the name of a file field of 101 bytes': [400, () => form(filePart('x', 'x', 'n'.repeat(101)))],
      'a field of 10,001 bytes': [400, () => form(fieldPart('f', 'x'.repeat(10_001)), file())],
      'a field of 10,001 bytes behind the file': [400, () => form(file(), fieldPart('f', 'x'.repeat(10_001)))],
      '3 MiB and a byte in the file': [413, () => material(3 * mebibyte + 1)],
      'a second file': [400, () => form(file(), file())],
      'a second file in another field': [400, () => form(file(), filePart('x', 'x', 'other'))],
      'a file in another field': [400, () => form(filePart('x', 'x', 'other'))],
      'a file in a field with brackets': [400, () => form(filePart('x', 'x', 'file[]'))],
      'a file in a field of no name': [400, () => form(filePart('x', 'x', ''))],
      'headers of 16 KiB': [400, () => form(part([disposition, `X: ${'x'.repeat(16 * 1024)}`], 'x'))],
      'a header line without a name': [400, () => form(part([disposition, ': x'], 'x'))],
      'fields in fields in fields': [400, () => form(fieldPart('a[b][c]', 'x'), file())],
      'a list of four thousand million': [400, () => form(fieldPart('a[4000000000]', 'x'), file())],
      'a part without a name': [400, () => form(part(['Content-Disposition: form-data'], 'x'), file())],
    };
    it('refuse larger forms, and forms without exactly one file', async () => {
      for (const [name, [status, make]] of Object.entries(refused))
        await expectRefused(await post(make()), status, name);
      await expectWell();
    });

    it('keep lists in the forms of imports short', async () => {
      const admin = (await signIn(service.context, { role: 'super_admin' })).token;
      const body = form(fieldPart('map[4000000000]', 'x=phone'), filePart('firstName\n', 'people.csv'));
      const response = await send(service.server.url, { path: '/api/imports', token: admin, body });
      await expectRefused(response, 400, 'a list of four thousand million');
    });
  });

  describe('a body that is not a form', () => {
    const types: [string, number][] = [
      ['', 415],
      ['application/json', 415],
      ['application/x-www-form-urlencoded', 415],
      ['multipart/mixed; boundary=x', 415],
      ['text/plain', 415],
      ['multipart/form-data', 400],
      ['multipart/form-data; boundary=', 400],
      ['multipart/form-data; boundary=other', 400],
      [`multipart/form-data; boundary=${'b'.repeat(5000)}`, 400],
      ['multipart/form-data; charset=x', 400],
    ];

    const bodies: Record<string, () => Buffer> = {
      nothing: () => Buffer.alloc(0),
      'the end of a form': () => Buffer.from('--x--\r\n'),
      'a boundary': () => Buffer.from('--x\r\n'),
      'something else': () => Buffer.from('{"file":"x"}'),
      zeros: () => Buffer.alloc(100_000),
      'boundaries without end': () => Buffer.from('--x\r\n'.repeat(10_000)),
      'boundaries that almost are': () => Buffer.from('\r\n--'.repeat(50_000)),
    };
    it('is refused with any content and content type', async () => {
      for (const [type, status] of types)
        await expectRefused(await post(material(), { headers: { 'Content-Type': type } }), status, type);
      for (const [name, make] of Object.entries(bodies)) await expectRefused(await post(make()), 400, name);
      await expectWell();
    });
  });

  describe('an incomplete form leaves nothing', () => {
    const whole = material(200_000);
    const places = { 'in its first line': 2, 'in the headers of the file': 40, 'before the file': 100 };
    const later = { 'in the file': 100_000, 'in the last boundary': whole.length - 5 };

    for (const [where, length] of Object.entries({ ...places, ...later }))
      it(`${where}: with a matching Content-Length, in chunks, and with the connection`, async () => {
        const begun = whole.subarray(0, length);
        await expectRefused(await post(begun), 400, where);
        const head = Buffer.from(`${begun.length.toString(16)}\r\n`);
        const chunks = Buffer.concat([head, begun, Buffer.from('\r\n0\r\n\r\n')]);
        const headers = { 'Transfer-Encoding': 'chunked', 'Content-Length': '' };
        await expectRefused(await post(chunks, { headers }), 400, where);
        for (const leave of ['destroy', 'end'] as const) {
          await post(begun, { headers: { 'Content-Length': whole.length }, leave });
          await expectNothingLeft(service.context);
        }
        await expectWell();
      });

    it('with a Content-Length that is too small', async () => {
      const response = await post(whole, {
        headers: { 'Content-Length': 1000, Connection: 'keep-alive' },
        leave: 'end',
      });
      // The server takes the rest for another request, which is invalid.
      expect(response.status).to.equal(400);
      await expectNothingLeft(service.context);
      await expectWell();
    });

    it('after a slow transfer', async () => {
      const { hostname, port } = new URL(service.server.url);
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST /api/courses/${service.course.id}/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${whole.length}\r\n\r\n`,
      );
      for (let sent = 0; sent < 20; sent += 1) {
        socket.write(whole.subarray(sent * 50, sent * 50 + 50));
        await sleep(10);
      }
      expect(uploadsIn(service.context)).to.have.length(1);
      const [name = ''] = uploadsIn(service.context);
      // Only this user may read the file.
      expect(statSync(path.join(service.folder, 'uploads', name)).mode & 0o777).to.equal(0o600);
      expect(statSync(path.join(service.folder, 'uploads')).mode & 0o777).to.equal(0o700);
      socket.destroy();
      await expectNothingLeft(service.context);
      await expectWell();
    });

    it('forty times concurrently', async () => {
      const headers = { 'Content-Length': whole.length };
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          post(whole.subarray(0, index * 4000 + 10), { headers, leave: index % 2 ? 'destroy' : 'end' }),
        ),
      );
      await expectNothingLeft(service.context);
      await expectWell();
    });
  });

  describe('a refused upload', () => {
    it('leaves nothing without a token', async () => {
      const { token: trainee } = await signIn(service.context);
      const foreign = (await signIn(service.context, { role: 'trainer' })).token;
      for (const [as, status] of [
        [undefined, 401],
        ['nonsense', 401],
        [trainee, 403],
        [foreign, 403],
      ] as const) {
        const request = { path: `/api/courses/${service.course.id}/files`, body: material(3 * mebibyte) };
        const response = await send(service.server.url, as === undefined ? request : { ...request, token: as });
        await expectRefused(response, status, String(as));
      }
      await expectWell();
    });

    it('is refused unread if it announces too many bytes', async () => {
      const response = await post(Buffer.from('--x\r\n'), { headers: { 'Content-Length': 10 ** 12 } });
      await expectRefused(response, 413, 'far too long');
      await expectWell();
    });

    it('leaves no file of many concurrent uploads', async () => {
      const [large, small] = [material(3 * mebibyte + 1), material(1000)];
      const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => post(index % 2 ? large : small)));
      const statuses = responses.map(({ status }) => status);
      expect(statuses).to.deep.equal(statuses.map((_, index) => (index % 2 ? 413 : 201)));
      await expectNothingLeft(service.context, 10);
    });
  });
});
