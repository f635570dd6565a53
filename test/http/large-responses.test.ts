import { expect } from 'chai';
import request from 'supertest';
import { AppError } from '../../src/errors.js';
import { itemBytes, type Operation } from '../../src/http/api/operation.js';
import { contract } from '../../src/http/api/operations/contract.js';
import { createCostlyWork, type EndLargeResponse, pageLength } from '../../src/http/overload/costly-work.js';
import { type RunningServer, startServer } from '../../src/http/server/server.js';
import { buildCourse, buildEnrollment, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';

const operations = Object.entries(contract) as [string, Operation][];
const sign = '\u{1d11e}';

describe('Large responses', () => {
  const full = 13_500_000;
  let begun: string[];
  let leaves: Map<string, EndLargeResponse>;
  let work: ReturnType<typeof createCostlyWork>;
  beforeEach(() => {
    begun = [];
    leaves = new Map();
    work = createCostlyWork();
  });

  function build(name: string, account: string, bytes = full, signal = new AbortController().signal): Promise<string> {
    return work.admitLargeResponse({ owner: account, signal }, bytes).then(
      (leave) => {
        begun.push(name);
        leaves.set(name, leave);
        return name;
      },
      ({ code }: AppError) => `${name} ${code}`,
    );
  }

  const sent = (name: string, bytes = 1000) => leaves.get(name)?.({ bytes });
  /** Waits until responses that may begin have begun. */
  const settled = async () => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  it('are built two full pages at a time, alternately for each account', async () => {
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) void build(name, name.charAt(0));
    await settled();
    expect(begun).to.deep.equal(['a1', 'a2']);
    sent('a1');
    await settled();
    expect(begun).to.deep.equal(['a1', 'a2', 'a3']);
    sent('a3');
    await settled();
    expect(begun).to.deep.equal(['a1', 'a2', 'a3', 'b1']);
  });

  it('do not block ordinary responses, and are skipped when their clients have left', async () => {
    for (const name of ['a1', 'a2', 'a3']) void build(name, 'a');
    expect(await build('ordinary', 'a', 2_000_000)).to.equal('ordinary');
    const left = new AbortController();
    const unwanted = build('unwanted', 'b', full, left.signal);
    left.abort();
    expect(await unwanted).to.equal('unwanted INTERRUPTED');
    expect(begun).to.have.members(['a1', 'a2', 'ordinary']);
    for (const name of ['a1', 'a2']) sent(name);
    await settled();
    expect(begun.at(-1)).to.equal('a3');
  });

  it('are followed by a pause for other requests if they were large', async () => {
    await build('first', 'a', 2 * full);
    const second = build('second', 'a');
    await new Promise((resolve) => setTimeout(resolve, 50));
    sent('first', full);
    // Less than the pause, which is three times as long as the first response, on any machine.
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(begun).to.deep.equal(['first']);
    await second;
  });

  it('are all refused when one of them fails because of the database', async () => {
    await build('failing', 'a', 2 * full);
    const others = ['1', '2'].map((name) => build(name, 'b'));
    leaves.get('failing')?.({ error: new AppError('DATABASE_UNREACHABLE') });
    expect(await Promise.all(others)).to.deep.equal(['1 OVERLOADED', '2 OVERLOADED']);
  });

  it('are recognised by the requested page size', () => {
    const lengthOf = (limit: unknown) => pageLength(contract.listCourses, { limit });
    expect([undefined, '1', '100', '101', 'x', ['1', '2']].map(lengthOf)).to.deep.equal([
      12,
      1,
      100,
      undefined,
      undefined,
      undefined,
    ]);
    expect(pageLength(contract.listUsers, { limit: '100' })).to.equal(undefined);
  });

  it('are declared in the contract', () => {
    for (const [name, { success, itemBytes: stated }] of operations) {
      if (!('body' in success)) continue;
      const fields = Object.values((success.body.describe().keys ?? {}) as Record<string, { type?: string }>);
      const lists = JSON.stringify(fields.filter(({ type }) => type === 'array'));
      // The only texts of more than 5000 characters are descriptions of courses, alone and in the audit log.
      // (The values before an import's update are short: fields of accounts.)
      // Rows of imports have many cells.
      const large = /"(?:description":\{"type"|before":\{"type":"object"|cells":\{"type")/;
      if (lists !== '[]') expect(stated !== undefined, name).to.equal(large.test(lists));
    }
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

  /** Sets all texts in several requests, because one body can't contain all of them. */
  async function buildLongest(token: string): Promise<string> {
    const { title, description, ...others } = longest;
    const { body } = await harness.api('post', '/api/courses', token).send({ title, description });
    const { id } = (body as { course: { id: string } }).course;
    const changed = await harness.api('put', `/api/courses/${id}`, token).send(others);
    expect(changed.status, changed.text).to.equal(200);
    await harness.api('put', `/api/courses/${id}/publish`, token).send({ isPublished: true });
    return id;
  }

  it('are no larger than the contract declares', async () => {
    const [trainer, admin, trainee] = [
      await signIn(harness.context, { role: 'trainer', firstName: sign.repeat(50), lastName: sign.repeat(50) }),
      await signIn(harness.context, { role: 'super_admin' }),
      await signIn(harness.context, { firstName: sign.repeat(50), lastName: sign.repeat(50) }),
    ];
    const courseId = await buildLongest(trainer.token);
    const body = { courseId, notes: sign.repeat(2000) };
    const { enrollment } = (await harness.api('post', '/api/enrollments', trainee.token).send(body).expect(201)).body;
    const reply = { reply: sign.repeat(2000) };
    await harness.api('put', `/api/enrollments/${enrollment.id}/reply`, trainer.token).send(reply).expect(200);
    const checked = await harness.api('post', '/api/auth/check-enrollment', trainee.token);
    expect(Buffer.byteLength(checked.text)).to.be.within(80_000, itemBytes.enrollment);
    const change = { ...longest, description: '"'.repeat(20_000), requirements: null, learningOutcomes: null };
    for (const fields of [change, { description: longest.description }])
      expect((await harness.api('put', `/api/courses/${courseId}`, trainer.token).send(fields)).status).to.equal(200);
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

  it('are the same whether they are encoded in parts or as a whole', async () => {
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

  it('of a trainee are complete and in order although they are read in parts', async () => {
    const { user: trainer } = await signIn(harness.context, { role: 'trainer' });
    const { user, token } = await signIn(harness.context);
    const ids: string[] = [];
    for (let number = 0; number < 120; number += 1) {
      const course = await buildCourse(harness.context, trainer);
      const status = number % 40 === 0 ? 'cancelled' : 'active';
      const enrolledAt = new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(number / 2)));
      const { id } = await buildEnrollment(harness.context, user, course, { status, enrolledAt });
      if (status === 'active') ids.unshift(id);
    }
    server = await startServer(harness.context);
    const { body } = await request(server.url)
      .post('/api/auth/check-enrollment')
      .set('Authorization', `Bearer ${token}`);
    const { hasEnrollments, enrollments } = body as { hasEnrollments: boolean; enrollments: { id: string }[] };
    expect(hasEnrollments).to.equal(true);
    expect(enrollments.map(({ id }) => id)).to.deep.equal(ids);
  });
});

describe('Large responses that fail', () => {
  const harness = useHarness({ PORT: '0' });

  it('release their capacity', async () => {
    const server = await startServer(harness.context);
    try {
      const page = (query: string) => request(server.url).get(`/api/courses?limit=100${query}`);
      // Two full pages may be built at the same time.
      for (let time = 0; time < 3; time += 1) await page('&level=unknown').expect(400);
      await page('').expect(200);
    } finally {
      await server.close();
    }
  });
});
