import { expect } from 'chai';
import { login } from '../../src/services/auth.js';
import { buildUser, factoryPassword } from '../support/factories.js';
import { testEnvironment, useHarness } from '../support/harness.js';
import { useCommandLine } from '../support/run-cli.js';

describe('coursectl users unlock', () => {
  const harness = useHarness();
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl }));
  const client = { ip: null, userAgent: null };

  it('lets a locked account try again, which "users show" names', async () => {
    const { context } = harness;
    const { email, phone } = await buildUser(context, { phone: '555 0100' });
    const attempt = (password: string) => login(context, { identifier: email, password }, client);
    for (let guess = 0; guess < 10; guess += 1) await attempt('a wrong guess').catch(() => undefined);
    const shown = await cli.run(['users', 'show', email]);
    expect(shown.stdout).to.match(/\nLocked until \d{4}-\d\d-\d\dT.* for wrong passwords: coursectl users unlock\n$/);

    const { exitCode, stdout } = await cli.run(['users', 'unlock', phone]);
    expect([exitCode, stdout]).to.deep.equal([0, stdout]);
    expect(stdout).to.match(new RegExp(`^${email} was locked until .*, and is not any more\\.\n$`));
    await attempt(factoryPassword);
    expect((await cli.run(['users', 'unlock', email])).stdout).to.equal(`${email} was not locked.\n`);
    const { user } = await cli.json<{ user: { lockedUntil: string | null } }>(['users', 'show', email]);
    expect(user.lockedUntil).to.equal(null);
    expect(await cli.json(['users', 'unlock', 'nobody@example.org'])).to.deep.equal({
      error: { code: 'NOT_FOUND', message: 'User not found.' },
    });
  });
});
