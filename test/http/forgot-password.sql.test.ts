import { expect } from 'chai';
import type { Response } from 'supertest';
import { lockedAddresses } from '../../src/services/auth/throttle-locks.js';
import { mailEnvironment } from '../support/environment.js';
import { buildUser, factoryPassword } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { expectFailure, expectInvalid } from './support/expectations.js';

describe('A forgotten password', () => {
  const harness = useHarness({ ...mailEnvironment, TRUST_PROXY: '1' });

  const forget = (identifier: unknown, address = '192.0.2.1') =>
    harness.api('post', '/api/forgot-password').set('X-Forwarded-For', address).send({ identifier });
  const queued = async () =>
    (await harness.context.database.models.Mail.findAll({ order: ['id'] })).map(
      ({ kind, userId, identifier, state }) => ({ kind, userId, identifier, state }),
    );

  /** The statements of work, without its values. */
  async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
    const statements: string[] = [];
    // Sequelize reads its own options at each statement; its types keep them to itself.
    const { options } = harness.context.database.sequelize as unknown as { options: { logging: unknown } };
    options.logging = (sql: string) => void statements.push(sql.replace(/^.*?: /, '').replace(/'[^']*'/g, '?'));
    await work();
    options.logging = false;
    return statements;
  }

  it('is answered and written down the same for every identifier', async () => {
    const { email, phone } = await buildUser(harness.context);
    const { email: inactive } = await buildUser(harness.context, { isActive: false });
    const { email: admin } = await buildUser(harness.context, { role: 'super_admin' });
    const identifiers = [
      email,
      phone,
      inactive,
      admin,
      'nobody@example.org',
      '+49 151 99',
      'x'.repeat(5000),
      '\0',
      'ä',
    ];
    const responses: Pick<Response, 'status' | 'body' | 'headers'>[] = [];
    const works: string[][] = [];
    for (const [index, identifier] of identifiers.entries()) {
      const work = async () => {
        const { status, body, headers } = await forget(identifier, `192.0.2.${index}`);
        const { date: _, 'x-request-id': __, ...others } = headers;
        responses.push({ status, body, headers: others });
      };
      works.push(await statementsOf(work));
    }
    expect(responses[0]?.status).to.equal(202);
    expect(responses[0]?.body.message).to.include('If there is an account');
    for (const [index, identifier] of identifiers.entries()) {
      expect(responses[index], identifier).to.deep.equal(responses[0]);
      expect(works[index], identifier).to.deep.equal(works[0]);
    }
    expect(works[0]?.filter((sql) => /users/.test(sql))).to.deep.equal([]);
    expect(await queued()).to.have.length(identifiers.length);
  });

  it('is queued with the normalised identifier and without an account, which the sender looks for', async () => {
    for (const identifier of ['  ADA@Example.org ', '+44 (20) 7946-0001', 'İ'.repeat(200)])
      await forget(identifier).expect(202);
    const reset = { kind: 'reset', userId: null, state: 'queued' };
    expect(await queued()).to.deep.equal([
      { ...reset, identifier: 'ada@example.org' },
      { ...reset, identifier: '+44 (20) 7946-0001' },
      { ...reset, identifier: '' },
    ]);
    expectInvalid(await forget(5), ['identifier']);
  });

  it('can be told 100 times an hour at an address, by a limit that no login counts for', async () => {
    const { email } = await buildUser(harness.context);
    for (let count = 0; count < 100; count += 1) await forget(email).expect(202);
    const refused = await forget('nobody@example.org');
    expectFailure(refused, 429, 'Too many forgotten passwords. Try again in 60 minutes.');
    expect(Number(refused.headers['retry-after'])).to.be.within(3540, 3600);
    expect(await queued()).to.have.length(100);
    await forget(email, '192.0.2.2').expect(202);
    expect(await lockedAddresses(harness.context)).to.deep.equal([]);
    const login = { identifier: email, password: factoryPassword };
    await harness.api('post', '/api/auth/login').set('X-Forwarded-For', '192.0.2.1').send(login).expect(200);
    harness.advance(60 * 60_000);
    await forget(email).expect(202);
  });

  it('can be helped where mail is set up', async () => {
    const { body } = await harness.api('get', '/api/forgot-password').expect(200);
    expect(body).to.deep.equal({ available: true });
  });
});

describe('A forgotten password without mail', () => {
  const harness = useHarness();

  it('is refused, and nothing is queued', async () => {
    const { body } = await harness.api('get', '/api/forgot-password').expect(200);
    expect(body).to.deep.equal({ available: false });
    const response = await harness.api('post', '/api/forgot-password').send({ identifier: 'ada@example.org' });
    expect(response.status).to.equal(400);
    expect(response.headers['error-code']).to.equal('MAIL_NOT_SET_UP');
    expect(await harness.context.database.models.Mail.count()).to.equal(0);
  });
});
