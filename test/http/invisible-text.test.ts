import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { importFile } from '../services/imports/support/running.js';
import { buildUser, factoryPassword, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure } from './support/expectations.js';

/** Addresses that look like the address of the account (the key). */
const lookalikes = {
  'ada@example.org': [
    'a\u200bda@example.org',
    'ada\u2060@example.org',
    '\u202eada@example.org',
    'ada@exam\u00adple.org\ufeff',
  ],
  'ada@bücher.example': ['ada@xn--bcher-kva.example', 'ADA@XN--BCHER-KVA.example', 'ada@BÜCHER.example'],
};

describe('Text with invisible characters or in another Unicode form', () => {
  const harness = useHarness();
  const accounts = () => harness.context.database.models.User.count();

  for (const [address, others] of Object.entries(lookalikes))
    it(`creates no second account for an email in any operation: ${address}`, async () => {
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      await buildUser(harness.context, { email: address });
      const other = await buildUser(harness.context);
      const before = await accounts();
      for (const email of others) {
        const register = harness.api('post', '/api/auth/register', token).send({ ...ada, email, role: 'trainee' });
        expectFailure(await register, 'EMAIL_TAKEN');
        const update = harness.api('put', `/api/users/${other.id}`, token).send({ email });
        expectFailure(await update, 'EMAIL_TAKEN');
        await harness.api('post', '/api/auth/login').send({ identifier: email, password: factoryPassword }).expect(200);
      }
      const file = path.join(mkdtempSync(path.join(harness.context.config.dataDir, 'invisible-')), 'people.csv');
      const rows = others.map((email, index) => `Ada,King,${email},+1 555 ${index}`);
      writeFileSync(file, `firstName,lastName,email,phone\n${rows.join('\n')}\n`);
      const { counts } = await importFile(harness.context, file);
      expect(counts.created).to.equal(0);
      expect(await accounts()).to.equal(before);
    });

  it('creates no second account for a phone, even with digits of another script', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    await buildUser(harness.context, { phone: '+44 20 7946 0001' });
    for (const phone of ['＋４４２０７９４６０００１', '+44 20\u3164 7946 0001', '+٤٤٢٠٧٩٤٦٠٠٠١']) {
      const register = harness.api('post', '/api/auth/register', token).send({ ...ada, phone, role: 'trainee' });
      expectFailure(await register, 'PHONE_TAKEN');
      await harness.api('post', '/api/auth/login').send({ identifier: phone, password: factoryPassword }).expect(200);
    }
  });

  it('is removed from names and titles, and cannot add line breaks to them', async () => {
    const { token } = await signIn(harness.context, { role: 'trainer' });
    const profile = harness
      .api('put', '/api/auth/profile', token)
      .send({ firstName: '\u202eA\u200bda', lastName: 'King\u2066' });
    expect((await profile.expect(200)).body.user).to.include({ firstName: 'Ada', lastName: 'King' });
    const course = (title: string) => harness.api('post', '/api/courses', token).send({ title, description: 'Rope.' });
    expect((await course('Kn\u202eots\u200b').expect(201)).body.course.title).to.equal('Knots');
    expect((await course('Kn\u2028ots').expect(400)).text).to.include('Title must not contain control characters.');
  });
});
