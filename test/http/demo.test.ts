import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { AppError } from '../../src/errors.js';
import { operator } from '../../src/services/core.js';
import { daysFromToday } from '../../src/services/dates.js';
import { loadDemo } from '../../src/services/maintenance/demo.js';
import { failureOf } from '../db/support/failure.js';
import { buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { expectFailure } from './support/expectations.js';
import { emptyStorage, expectNothingLeft, read, storingAfter } from './support/uploads.js';

const trainers = ['trainer1@example.com', 'trainer2@example.com', 'trainer3@example.com'];
const guests = [...trainers, 'olivia.bennett@example.com'];
const loaded = { status: 'loaded', accounts: guests, password: 'demo-password' };
const withoutAccounts = { accounts: [], password: null };

describe('The demo programme', () => {
  const harness = useHarness();
  const show = async (token: string) => (await harness.api('get', '/api/demo', token).expect(200)).body.demo;
  const load = (token: string) => harness.api('post', '/api/demo', token);
  const accounts = () => harness.context.database.models.User.count();
  beforeEach(() => emptyStorage(harness.context));

  it('is loaded only once, into a database with only the super admin, and returns how to log in', async () => {
    const { token, user } = await signIn(harness.context, { role: 'super_admin', email: 'admin@example.com' });
    expect(await show(token)).to.deep.equal({ status: 'available', ...withoutAccounts });
    for (const { status, body } of [...(await Promise.all([load(token), load(token), load(token)])), await load(token)])
      expect({ status, body }).to.deep.equal({
        status: 201,
        body: { message: 'Demo programme loaded.', demo: loaded },
      });
    expect(await show(token)).to.deep.equal(loaded);
    expect(await accounts()).to.equal(204);
    for (const identifier of guests)
      await harness.api('post', '/api/auth/login').send({ identifier, password: loaded.password }).expect(200);
    const { body } = await harness.api('get', '/api/audit?action=demo.load', token).expect(200);
    expect(body.entries).to.have.length(1);
    expect(body.entries[0]).to.include({ actorId: user.id, origin: 'http', targetType: 'user', targetId: user.id });
    // The files of the other requests were removed.
    await expectNothingLeft(harness.context, 19);
  });

  it('has pictures and files like uploaded ones, and a course that starts tomorrow in the programme', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    await load(token).expect(201);
    const { courses } = (await harness.api('get', '/api/courses?limit=100', token).expect(200)).body;
    const published = courses.filter(({ isPublished }: { isPublished: boolean }) => isPublished);
    expect(published).to.have.length(9);
    for (const { thumbnail } of published) {
      const { headers, body } = await harness.api('get', thumbnail).responseType('blob').expect(200);
      expect(headers['content-type']).to.equal('image/webp');
      expect((await read(body as Buffer)).metadata).to.include({ format: 'webp', width: 960, height: 540 });
    }
    const secure = courses.find(({ title }: { title: string }) => title === 'Secure Web Applications');
    expect(secure.startDate).to.equal(daysFromToday(harness.context, 1)[1]);
    const { files } = (await harness.api('get', `/api/courses/${secure.id}/files`, token).expect(200)).body;
    expect(files.map(({ name }: { name: string }) => name)).to.deep.equal(['before-the-first-day.pdf']);
    const { body, headers } = await harness
      .api('get', `/api/courses/${secure.id}/files/${files[0].id}`, token)
      .responseType('blob')
      .expect(200);
    expect(headers['content-type']).to.equal('application/pdf');
    expect((body as Buffer).subarray(0, 8).toString()).to.equal('%PDF-1.4');
  });

  it('is not loaded at all if the storage fails', async () => {
    await signIn(harness.context, { role: 'super_admin' });
    let stored = 0;
    const failing = storingAfter(harness.context, async () => {
      stored += 1;
      if (stored === 12) throw new AppError('STORAGE_UNAVAILABLE', 'The storage is full of errors.');
    });
    const { code, message } = await failureOf(() => loadDemo(failing, operator));
    expect({ code, message }).to.deep.equal({
      code: 'STORAGE_UNAVAILABLE',
      message: 'The storage is full of errors.',
    });
    expect(stored).to.equal(12);
    await expectNothingLeft(harness.context);
    expect(await accounts()).to.equal(1);
  });

  it('leaves no files behind if its rows fail', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin', email: 'trainer1@example.com' });
    await load(token).expect(409);
    await expectNothingLeft(harness.context);
  });

  it('is refused if other accounts exist, and changes nothing', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    await buildUser(harness.context);
    expect(await show(token)).to.deep.equal({ status: 'unavailable', ...withoutAccounts });
    expectFailure(await load(token), 'DATABASE_NOT_EMPTY');
    expect(await accounts()).to.equal(2);
  });

  const taken = { email: 'trainer1@example.com', phone: '+44 7700 900110' };
  for (const field of ['email', 'phone'] as const)
    it(`is refused while the super admin has the ${field} of a demo account, and changes nothing`, async () => {
      const { token, user } = await signIn(harness.context, { role: 'super_admin', [field]: taken[field] });
      expectFailure(
        await load(token),
        'DATABASE_NOT_EMPTY',
        'An account has the email or phone number of a demo account: change it, then load the demo programme again.',
      );
      expect(await accounts()).to.equal(1);
      const change = { firstName: 'Ada', [field]: field === 'email' ? 'ada@example.org' : '+44 20 7946 0001' };
      await harness.api('put', `/api/users/${user.id}`, token).send(change).expect(200);
      await load(token).expect(201);
    });
});

describe('The demo programme in production', () => {
  const harness = useHarness({ NODE_ENV: 'production', BCRYPT_COST: '12', JWT_SECRET: 'R4nd0m'.repeat(8) });

  it('is refused, because its password is public', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { body } = await harness.api('get', '/api/demo', token).expect(200);
    expect(body.demo).to.deep.equal({ status: 'unavailable', ...withoutAccounts });
    expectFailure(await harness.api('post', '/api/demo', token), 'SEED_REFUSED');
    expect(await harness.context.database.models.User.count()).to.equal(1);
  });
});

describe('The example of an import', () => {
  const harness = useHarness();

  it('is the file of the package', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { text, headers } = await harness.api('get', '/api/imports/example.csv', token).expect(200);
    expect(text).to.equal(readFileSync(new URL('../../examples/trainees.csv', import.meta.url), 'utf8'));
    expect(headers['content-disposition']).to.include('trainees.csv');
  });
});
