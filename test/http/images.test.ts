import { truncateSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import request from 'supertest';
import type { Course } from '../../src/db/models/course.js';
import type { User } from '../../src/db/models/user.js';
import { createApp } from '../../src/http/server/app.js';
import { buildCourse, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { emptyPng } from '../support/images.js';
import { expectFailure, expectInvalid, messageOf } from './support/expectations.js';
import { emptyStorage, expectNothingLeft, image, read, storingAfter } from './support/uploads.js';

const formats = 'The image must be JPEG, PNG or WebP.';
const damaged = 'The image is damaged.';
const settings = { FILE_IMAGE_MAX_BYTES: '1200000', FILE_IMAGE_MAX_PIXELS: '4000000' };

describe('images over HTTP', () => {
  const harness = useHarness(settings);
  let trainer: User;
  let token: string;
  let course: Course;

  beforeEach(async () => {
    await emptyStorage(harness.context);
    ({ user: trainer, token } = await signIn(harness.context, { role: 'trainer' }));
    course = await buildCourse(harness.context, trainer, { isPublished: true });
  });

  const thumbnail = (content: Buffer | string, name = 'image.jpg', as = token, id = course.id) =>
    harness.api('post', `/api/courses/${id}/thumbnail`, as).attach('image', Buffer.from(content), name);
  const avatar = (content: Buffer | string, name = 'me.jpg', as = token) =>
    harness.api('put', '/api/auth/avatar', as).attach('image', Buffer.from(content), name);
  const contentAt = async (url: string) => (await harness.api('get', url).expect(200)).body as Buffer;
  const superAdmin = async () => (await signIn(harness.context, { role: 'super_admin' })).token;
  const profile = async (as = token) => (await harness.api('get', '/api/auth/me', as).expect(200)).body.user;

  describe('POST /api/courses/:id/thumbnail', () => {
    it('accepts an image, scales it, and shows it as WebP at the returned URL and with the course', async () => {
      const { body } = await thumbnail(await image(1600, 200).png().toBuffer()).expect(200);
      expect(body).to.have.all.keys('message', 'imageUrl');
      expect(body.message).to.equal('Thumbnail uploaded successfully.');
      expect(body.imageUrl).to.match(/^\/api\/images\/[0-9a-f-]{36}\.webp$/);
      const { metadata } = await read(await contentAt(body.imageUrl));
      expect(metadata).to.include({ format: 'webp', width: 1280, height: 160 });
      await expectNothingLeft(harness.context, 1);
      const shown = [
        (await harness.api('get', `/api/courses/${course.id}`, token).expect(200)).body.course,
        (await harness.api('get', '/api/courses').expect(200)).body.courses[0],
        (await harness.api('get', `/api/courses/trainer/${trainer.id}`, token).expect(200)).body.courses[0],
      ];
      expect(shown.map((one) => one.thumbnail)).to.deep.equal(Array(3).fill(body.imageUrl));
    });

    it('replaces the previous image, whose URL then returns 404', async () => {
      const first = (await thumbnail(await image().jpeg().toBuffer()).expect(200)).body.imageUrl;
      const second = (await thumbnail(await image().png().toBuffer()).expect(200)).body.imageUrl;
      expect(second).not.to.equal(first);
      expectFailure(await harness.api('get', first), 'NOT_FOUND', 'File not found.');
      await harness.api('get', second).expect(200);
      await expectNothingLeft(harness.context, 1);
    });

    it('keeps exactly one of several concurrent uploads', async () => {
      const content = await image().jpeg().toBuffer();
      const responses = await Promise.all(Array.from({ length: 3 }, () => thumbnail(content)));
      expect(responses.map(({ status }) => status)).to.deep.equal(Array(3).fill(200));
      await course.reload();
      await harness.api('get', course.thumbnail ?? '').expect(200);
      await expectNothingLeft(harness.context, 1);
    });

    it('refuses callers without access before the image is read', async () => {
      const other = (await signIn(harness.context, { role: 'trainer' })).token;
      // The body isn't a form; reading it would cause another error.
      const response = await harness.api('post', `/api/courses/${course.id}/thumbnail`, other).send({ not: 'a form' });
      expect(response.status).to.equal(403);
      expect((await harness.api('post', `/api/courses/${course.id}/thumbnail`, token).send({})).status).to.equal(415);
    });

    it('is undone by DELETE, which only managers of the course may use, and which is audited only once', async () => {
      const remove = (as = token) => harness.api('delete', `/api/courses/${course.id}/thumbnail`, as);
      const { imageUrl } = (await thumbnail(await image().jpeg().toBuffer()).expect(200)).body;
      const other = (await signIn(harness.context, { role: 'trainer' })).token;
      expect((await remove(other)).status).to.be.oneOf([403, 404]);
      await harness.api('get', imageUrl).expect(200);
      for (let time = 0; time < 2; time += 1)
        expect((await remove().expect(200)).body).to.deep.equal({ message: 'Thumbnail removed successfully.' });
      expect((await course.reload()).thumbnail).to.equal(null);
      await harness.api('get', imageUrl).expect(404);
      const entries = await harness.context.database.models.AuditEntry.findAll({
        where: { action: 'course.thumbnail' },
        order: ['id'],
      });
      expect(entries.map(({ afterJson }) => JSON.parse(afterJson ?? ''))).to.deep.equal([
        { thumbnail: imageUrl },
        { thumbnail: null },
      ]);
    });
  });

  describe('PUT and DELETE /api/auth/avatar', () => {
    it('show an image of at most 512 by 512 pixels with the account until it is replaced or removed', async () => {
      const first = (await avatar(await image().jpeg().toBuffer()).expect(200)).body.imageUrl;
      const { body } = await avatar(await image(300, 900).webp().toBuffer(), 'me.webp').expect(200);
      const { imageUrl } = body;
      expect(body).to.deep.equal({ message: 'Avatar updated successfully.', imageUrl: (await profile()).avatar });
      await harness.api('get', first).expect(404);
      const { metadata } = await read(await contentAt(imageUrl));
      expect(metadata).to.include({ format: 'webp', width: 171, height: 512 });
      const login = { identifier: trainer.email, password: 'factory-password' };
      const signedIn = await harness.api('post', '/api/auth/login').send(login).expect(200);
      expect(signedIn.body.user.avatar).to.equal(imageUrl);
      const { courses } = (await harness.api('get', '/api/courses').expect(200)).body;
      expect(courses[0].trainer.avatar).to.equal(imageUrl);
      await expectNothingLeft(harness.context, 1);
      for (let round = 0; round < 2; round += 1) {
        const removed = await harness.api('delete', '/api/auth/avatar', token).expect(200);
        expect(removed.body).to.deep.equal({ message: 'Avatar removed successfully.' });
        expect((await profile()).avatar).to.equal(null);
        await harness.api('get', imageUrl).expect(404);
        await expectNothingLeft(harness.context);
      }
    });

    it('keep at most one of several concurrent images', async () => {
      const content = await image().jpeg().toBuffer();
      const uploads = Array.from({ length: 2 }, () => avatar(content).then(({ status }) => status));
      const removals = Array.from(
        { length: 2 },
        async () => (await harness.api('delete', '/api/auth/avatar', token)).status,
      );
      expect(await Promise.all([...uploads, ...removals])).to.deep.equal(Array(4).fill(200));
      const shown = (await profile()).avatar as string | null;
      if (shown !== null) await harness.api('get', shown).expect(200);
      await expectNothingLeft(harness.context, shown === null ? 0 : 1);
    });

    it('keep no image of an account that is deleted during the upload', async () => {
      const { user, token: own } = await signIn(harness.context);
      const admin = await superAdmin();
      const deletion = () => harness.api('delete', `/api/users/${user.id}`, admin).expect(200);
      const content = await image().jpeg().toBuffer();
      const response = await request(createApp(storingAfter(harness.context, deletion)))
        .put('/api/auth/avatar')
        .set('Authorization', `Bearer ${own}`)
        .attach('image', content, 'me.jpg');
      expect(response.status).to.equal(401);
      await expectNothingLeft(harness.context);
    });
  });

  describe('a form without a valid image', () => {
    /** Expects that both operations refuse the image in this way, and leave nothing. */
    async function expectRefused(content: Buffer | string, message: string, name?: string): Promise<void> {
      for (const response of [await thumbnail(content, name), await avatar(content, name)]) {
        expectInvalid(response, ['image']);
        expect(messageOf(response)).to.equal(message);
      }
      await expectNothingLeft(harness.context);
    }

    it('is refused if the file has another type, is cut off, or has too many pixels', async () => {
      const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>';
      for (const other of [svg, await image().gif().toBuffer()]) await expectRefused(other, formats, 'image.png');
      const content = await image(300, 200).jpeg().toBuffer();
      await expectRefused(content.subarray(0, content.length / 2), damaged);
      await expectRefused(emptyPng(2001, 2000), 'The image may have at most 4 megapixels.', 'bomb.png');
      await thumbnail(emptyPng(2000, 2000), 'empty.png').expect(200);
    });

    it('is refused if the file has too many bytes', async () => {
      const content = await image().jpeg().toBuffer();
      const padded = (bytes: number) => Buffer.concat([content, Buffer.alloc(bytes - content.length)]);
      for (const upload of [thumbnail, avatar])
        expectFailure(await upload(padded(1_200_001)), 'BODY_TOO_LARGE', 'The file has more than 1200000 bytes.', {
          maxBytes: 1_200_000,
        });
      await expectNothingLeft(harness.context);
      await thumbnail(padded(1_200_000)).expect(200);
    });

    it('is refused with no file, with two, or with a file in another field', async () => {
      const content = await image().jpeg().toBuffer();
      const route = `/api/courses/${course.id}/thumbnail`;
      const none = await harness.api('post', route, token).field('image', 'x');
      const two = await thumbnail(content).attach('image', content, 'two.jpg');
      const other = await harness.api('post', route, token).attach('file', content, 'x.jpg');
      const responses = [none, two, other];
      for (const response of responses) expectInvalid(response, ['image']);
      expect(responses.map(messageOf)).to.deep.equal([
        'A file is required.',
        ...Array(2).fill('Send one file, in the field "image".'),
      ]);
      await expectNothingLeft(harness.context);
    });
  });

  describe('GET /api/images/:name', () => {
    it('returns an image to everybody, cacheable for ever, with the headers of an image only', async () => {
      const { imageUrl } = (await thumbnail(await image().jpeg().toBuffer()).expect(200)).body;
      const { headers, body } = await harness.api('get', imageUrl).expect(200);
      expect(headers).to.include({
        'content-type': 'image/webp',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'content-length': String((body as Buffer).length),
      });
      expect(headers).not.to.have.any.keys('content-disposition', 'set-cookie', 'etag');
    });

    it('returns no image that was truncated in the storage', async () => {
      const { imageUrl } = (await thumbnail(await image().jpeg().toBuffer()).expect(200)).body;
      const stored = path.join(harness.context.storage.location, 'image', path.posix.basename(imageUrl as string));
      truncateSync(stored, 20);
      const response = await harness.api('get', imageUrl);
      expectFailure(response, 'UNAVAILABLE');
      expect(response.headers['cache-control']).to.equal('no-store');
      await expectNothingLeft(harness.context, 1);
    });

    it('returns 404 for other names, without permitting caching', async () => {
      const { imageUrl } = (await thumbnail(await image().jpeg().toBuffer()).expect(200)).body;
      const name = (imageUrl as string).slice('/api/images/'.length);
      const odd = ['é', '🦄', "'", 'x'.repeat(2000)].map(encodeURIComponent);
      for (const other of [
        'nothing.webp',
        name.slice(0, -5),
        `..%2Fimage%2F${name}`,
        '..%2F..%2Ft.sqlite',
        '%00',
        ...odd,
      ]) {
        const response = await harness.api('get', `/api/images/${other}`);
        expect(response.status, other).to.equal(404);
        expect(response.headers['cache-control']).to.equal('no-store');
      }
    });
  });
});
