import { expect } from 'chai';
import request, { type Test } from 'supertest';
import type { Course } from '../../src/db/models/course.js';
import { buildCourse, buildEnrollment, buildMaterial, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { expectFailure } from './support/expectations.js';
import { emptyStorage, expectNothingLeft } from './support/uploads.js';

const content = 'abcdefghijklmnopqrstuvwxyz';

describe('ranges of materials: GET /api/courses/:id/files/:fileId', () => {
  const harness = useHarness();
  let course: Course;
  let route: string;
  let etag: string;
  let token: string;
  beforeEach(async () => {
    await emptyStorage(harness.context);
    const { user: trainer } = await signIn(harness.context, { role: 'trainer' });
    course = await buildCourse(harness.context, trainer, { isPublished: true });
    const { id } = await buildMaterial(harness.context, course, {}, content);
    [route, etag] = [`/api/courses/${course.id}/files/${id}`, `"${id}"`];
    const trainee = await signIn(harness.context);
    token = trainee.token;
    await buildEnrollment(harness.context, trainee.user, course, { status: 'active' });
  });
  afterEach(() => expectNothingLeft(harness.context, 1));

  const get = (headers: Record<string, string>): Test => harness.api('get', route, token).set(headers);
  async function expectWhole(headers: Record<string, string>): Promise<void> {
    const response = await get(headers);
    expect([response.status, response.text], JSON.stringify(headers)).to.deep.equal([200, content]);
    expect(response.headers).to.include({ etag, 'accept-ranges': 'bytes', 'content-length': '26' });
    expect(response.headers).not.to.have.property('content-range');
  }

  it('are returned as requested', async () => {
    const pieces: [range: string, piece: string, contentRange: string][] = [
      ['bytes=0-0', 'a', 'bytes 0-0/26'],
      ['bytes=3-5', 'def', 'bytes 3-5/26'],
      ['Bytes=20-', 'uvwxyz', 'bytes 20-25/26'],
      ['bytes=24-99999999999999999999', 'yz', 'bytes 24-25/26'],
      ['bytes=-3', 'xyz', 'bytes 23-25/26'],
      ['bytes=-1000', content, 'bytes 0-25/26'],
    ];
    for (const [range, piece, contentRange] of pieces) {
      const response = await get({ Range: range });
      expect([response.status, response.text], range).to.deep.equal([206, piece]);
      expect(response.headers).to.include({
        etag,
        'accept-ranges': 'bytes',
        'content-range': contentRange,
        'content-length': String(piece.length),
        'content-type': 'text/plain',
        'content-disposition': 'attachment; filename=notes.txt',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
    }
  });

  it('are refused if they lie outside of the file', async () => {
    for (const range of ['bytes=26-', 'bytes=1000-1001', 'bytes=-0']) {
      const response = await get({ Range: range });
      expectFailure(response, 'RANGE_NOT_SATISFIABLE');
      expect(response.headers).to.include({ 'content-range': 'bytes */26' });
    }
  });

  it("are the whole file for several ranges, and for a Range header that can't be parsed", async () => {
    for (const range of ['bytes=0-1,3-4', 'bytes=5-3', 'bytes=-', 'bytes=a-b', 'bytes', '', 'lines=0-1', 'bytes=0x1-2'])
      await expectWhole({ Range: range });
  });

  it('are returned only if the client has the same version', async () => {
    expect((await get({ Range: 'bytes=0-1', 'If-Range': etag })).status).to.equal(206);
    for (const version of ['"other"', `W/${etag}`, 'Sat, 21 Nov 2026 10:00:00 GMT'])
      await expectWhole({ Range: 'bytes=0-1', 'If-Range': version });
  });

  it('are not sent to a client that has the current version; neither is the whole file', async () => {
    for (const known of [etag, `"other", ${etag}`, '*'])
      for (const range of ['bytes=0-1', 'bytes=99-']) {
        const response = await get({ 'If-None-Match': known, Range: range });
        expect([response.status, response.text], range).to.deep.equal([304, '']);
        expect(response.headers).to.include({ etag }).and.not.to.have.property('content-range');
      }
    await expectWhole({ 'If-None-Match': '"other"' });
    expect((await get({ 'If-None-Match': '"other"', Range: 'bytes=99-' })).status).to.equal(416);
  });

  it('are ignored for HEAD', async () => {
    const { status, headers } = await request(harness.app)
      .head(route)
      .set({ Authorization: `Bearer ${token}`, Range: 'bytes=0-1' });
    expect(status).to.equal(200);
    expect(headers).to.include({ etag, 'accept-ranges': 'bytes', 'content-length': '26' });
  });

  it('require the same access as the whole file', async () => {
    const { token: stranger } = await signIn(harness.context);
    for (const headers of [{ Range: 'bytes=0-1' }, { Range: 'bytes=99-' }, { 'If-None-Match': etag }])
      expect((await harness.api('get', route, stranger).set(headers as Record<string, string>)).status).to.equal(403);
  });
});
