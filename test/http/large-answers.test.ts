import { expect } from 'chai';
import request from 'supertest';
import { AppError } from '../../src/errors.js';
import { contract } from '../../src/http/api/contract.js';
import { itemBytes } from '../../src/http/api/item-bytes.js';
import type { Operation } from '../../src/http/api/operation.js';
import { createLargeAnswers, largestAnswer } from '../../src/http/server/large-answers.js';
import { type RunningServer, startServer } from '../../src/http/server/server.js';
import { buildCourse, buildEnrollment, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';

const operations = Object.entries(contract) as [string, Operation][];
const sign = '\u{1d11e}';

describe('Large answers', () => {
  const full = 13_500_000;
  let begun: string[];
  let release: Map<string, (bytes?: number) => void>;
  let answers: ReturnType<typeof createLargeAnswers>;
  beforeEach(() => {
    begun = [];
    release = new Map();
    answers = createLargeAnswers();
  });

  function build(name: string, account: string, bytes = full, signal = new AbortController().signal): Promise<string> {
    const work = () => {
      begun.push(name);
      return new Promise<number>((resolve) => release.set(name, (sent = 1000) => resolve(sent)));
    };
    return answers.build({ bytes, account, address: '192.0.2.1', signal }, work).then(
      () => `${name} sent`,
      ({ code }: AppError) => `${name} ${code}`,
    );
  }

  it('are built two full pages at a time, those of one account after those of others', async () => {
    const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => build(name, name.charAt(0)));
    expect(begun).to.deep.equal(['a1', 'a2']);
    release.get('a1')?.();
    await all[0];
    expect(begun).to.deep.equal(['a1', 'a2', 'a3']);
    release.get('a3')?.();
    await all[2];
    expect(begun).to.deep.equal(['a1', 'a2', 'a3', 'b1']);
  });

  it('let ordinary ones pass, and leave out what their clients no longer want', async () => {
    const waiting = ['a1', 'a2', 'a3'].map((name) => build(name, 'a'));
    const ordinary = build('ordinary', 'a', 2_000_000);
    const left = new AbortController();
    const unwanted = build('unwanted', 'b', full, left.signal);
    left.abort();
    expect(await unwanted).to.equal('unwanted BODY_INCOMPLETE');
    release.get('ordinary')?.();
    expect(await ordinary).to.equal('ordinary sent');
    expect(begun).to.deep.equal(['a1', 'a2', 'ordinary']);
    for (const name of ['a1', 'a2']) release.get(name)?.();
    await Promise.all(waiting.slice(0, 2));
    expect(begun.at(-1)).to.equal('a3');
  });

  it('are followed by a pause in proportion when they were large', async () => {
    const startedAt = performance.now();
    const first = build('first', 'a', 2 * full);
    const second = build('second', 'a');
    await new Promise((resolve) => setTimeout(resolve, 5));
    const releasedAt = performance.now();
    release.get('first')?.(full);
    await first;
    expect(performance.now() - releasedAt).to.be.above(2 * (releasedAt - startedAt));
    expect(begun).to.deep.equal(['first', 'second']);
    release.get('second')?.();
    await second;
  });

  it('are refused together when one finds no database', async () => {
    const failing = answers.build(
      { bytes: 2 * full, account: 'a', address: null, signal: new AbortController().signal },
      () => Promise.reject(new AppError('DATABASE_UNREACHABLE')),
    );
    const others = ['1', '2'].map((name) => build(name, 'b'));
    expect(await failing.catch(({ code }: AppError) => code)).to.equal('DATABASE_UNREACHABLE');
    expect(await Promise.all(others)).to.deep.equal(['1 OVERLOADED', '2 OVERLOADED']);
  });

  it('are known by the page that is asked for', () => {
    const pageOf = (limit: unknown) => largestAnswer(contract.listCourses, { limit });
    expect([undefined, '1', '100', '101', 'x', ['1', '2']].map(pageOf)).to.deep.equal([
      ...[12 * itemBytes.course, itemBytes.course, 100 * itemBytes.course],
      ...[undefined, undefined, undefined],
    ]);
    expect(largestAnswer(contract.listUsers, { limit: '100' })).to.equal(undefined);
  });

  for (const [name, { query, success, itemBytes: stated }] of operations)
    if (query?.describe().keys?.limit && 'body' in success)
      it(`are named in the contract: ${name}`, () => {
        const items = JSON.stringify(success.body.describe());
        // The only texts of more than 5000 characters are descriptions, alone and in the audit log.
        const isLarge = /"(?:description|before)":\{"type"/.test(items);
        expect(stated !== undefined).to.equal(isLarge);
      });
});

describe('Pages with the longest texts', () => {
  const harness = useHarness();
  let server: RunningServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  const longest = {
    title: sign.repeat(200),
    description: sign.repeat(20_000),
    shortDescription: sign.repeat(500),
    category: sign.repeat(100),
    language: sign.repeat(50),
    tags: Array.from({ length: 30 }, (_, index) => `${index}${sign.repeat(40)}`),
    requirements: sign.repeat(5000),
    learningOutcomes: sign.repeat(5000),
    location: sign.repeat(255),
  };

  /** Sets all texts, as far as one body takes them at a time. */
  async function buildLongest(token: string): Promise<string> {
    const { title, description, ...others } = longest;
    const { body } = await harness.api('post', '/api/courses', token).send({ title, description });
    const { id } = (body as { course: { id: string } }).course;
    const changed = await harness.api('put', `/api/courses/${id}`, token).send(others);
    expect(changed.status, changed.text).to.equal(200);
    await harness.api('put', `/api/courses/${id}/publish`, token).send({ isPublished: true });
    return id;
  }

  it('are no larger than the contract says', async () => {
    const [trainer, admin, trainee] = [
      await signIn(harness.context, { role: 'trainer', firstName: sign.repeat(50), lastName: sign.repeat(50) }),
      await signIn(harness.context, { role: 'super_admin' }),
      await signIn(harness.context, { firstName: sign.repeat(50), lastName: sign.repeat(50) }),
    ];
    const courseId = await buildLongest(trainer.token);
    const body = { courseId, traineeId: trainee.user.id, notes: sign.repeat(2000) };
    expect((await harness.api('post', '/api/enrollments/assign', trainer.token).send(body)).status).to.equal(201);
    const change = { ...longest, description: '"'.repeat(20_000), requirements: null, learningOutcomes: null };
    expect((await harness.api('put', `/api/courses/${courseId}`, trainer.token).send(change)).status).to.equal(200);
    expect(
      (await harness.api('put', `/api/courses/${courseId}`, trainer.token).send({ description: longest.description }))
        .status,
    ).to.equal(200);
    const pages: [keyof typeof contract, string, string, string][] = [
      ['listCourses', '/api/courses', 'courses', trainer.token],
      ['listTrainerCourses', `/api/courses/trainer/${trainer.user.id}`, 'courses', trainer.token],
      ['listEnrollments', '/api/enrollments', 'enrollments', admin.token],
      ['listOwnEnrollments', '/api/enrollments/my', 'enrollments', trainee.token],
      ['listTrainerEnrollments', `/api/enrollments/trainer/${trainer.user.id}`, 'enrollments', trainer.token],
      ['listAudit', '/api/audit', 'entries', admin.token],
    ];
    for (const [name, path, key, token] of pages) {
      const { text } = await harness.api('get', path, token);
      const items = (JSON.parse(text) as Record<string, object[]>)[key] ?? [];
      const { itemBytes: most = 0 }: Operation = contract[name];
      const largest = Math.max(...items.map((item) => Buffer.byteLength(JSON.stringify(item))));
      expect(largest, name).to.be.within(most / 2, most);
    }
  });

  it('are the same whether they are written in parts or not', async () => {
    const { user: trainer } = await signIn(harness.context, { role: 'trainer' });
    const { user, token } = await signIn(harness.context, { role: 'super_admin' });
    for (let number = 0; number < 8; number += 1) {
      const { tags: _, ...texts } = longest;
      const course = await buildCourse(harness.context, trainer, { ...texts, isPublished: true });
      await buildEnrollment(harness.context, user, course);
    }
    server = await startServer(harness.context);
    for (const path of ['/api/courses?limit=100', '/api/enrollments?limit=100', '/api/courses?search=nothing']) {
      const whole = await harness.api('get', path, token);
      const inParts = await request(server.url).get(path).set('Authorization', `Bearer ${token}`);
      expect(inParts.status).to.equal(200);
      expect(inParts.text).to.equal(whole.text);
      const head = await request(server.url).head(path).set('Authorization', `Bearer ${token}`);
      for (const { headers } of [inParts, head])
        expect(headers).to.include({
          'content-type': whole.headers['content-type'] as string,
          'content-length': String(Buffer.byteLength(whole.text)),
        });
    }
  });
});
