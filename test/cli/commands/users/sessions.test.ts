import { expect } from 'chai';
import { login } from '../../../../src/services/auth/login.js';
import { buildUser, factoryPassword, signIn, tokenFor } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';

describe('coursectl users unlock', () => {
  const { harness, cli } = useHarnessAndCli();
  const client = { ip: null, userAgent: null };

  it('unlocks a locked account, whose lock "users show" prints', async () => {
    const { context } = harness;
    const { email, phone } = await buildUser(context, { phone: '555 0100' });
    const attempt = (password: string) => login(context, { identifier: email, password }, client);
    for (let guess = 0; guess < 10; guess += 1) await attempt('a wrong guess').catch(() => undefined);
    const shown = await cli.run(['users', 'show', email]);
    expect(shown.stdout).to.match(
      /\nLocked until \d{4}-\d\d-\d\dT.* after too many wrong passwords\.\nTo unlock it: coursectl users unlock \S+@\S+\n$/,
    );

    const locked = () => cli.json<{ users: { email: string; lockedUntil: string }[] }>(['users', 'list', '--locked']);
    expect((await locked()).users.map(({ email: listed }) => listed)).to.deep.equal([email]);
    const { exitCode, stdout } = await cli.run(['users', 'unlock', phone]);
    expect([exitCode, stdout]).to.deep.equal([0, stdout]);
    expect(stdout).to.match(new RegExp(`^${email} was locked until .* and is unlocked now\\.\n$`));
    await attempt(factoryPassword);
    expect((await cli.run(['users', 'unlock', email])).stdout).to.equal(`${email} was not locked.\n`);
    const { entries } = await cli.json<{ entries: object[] }>(['audit', 'list']);
    expect(entries).to.have.lengthOf(1);
    expect((await locked()).users).to.deep.equal([]);
    const { user } = await cli.json<{ user: { lockedUntil: string | null } }>(['users', 'show', email]);
    expect(user.lockedUntil).to.equal(null);
    expect(await cli.json(['users', 'unlock', 'nobody@example.org'])).to.deep.equal({
      error: { code: 'NOT_FOUND', message: 'User not found.' },
    });
  });

  it('unlocks a locked address, which "doctor" lists', async () => {
    const { context } = harness;
    const { email } = await buildUser(context);
    for (const ip of ['203.0.113.5', '2001:db8:0:12::7']) {
      const attempt = (identifier: string, password: string) =>
        login(context, { identifier, password }, { ip, userAgent: null });
      for (let guess = 0; guess < 100; guess += 1)
        await attempt(`n${guess}@example.org`, 'a wrong guess').catch(() => undefined);
      const refused = await attempt(email, factoryPassword).catch((error: unknown) => error);
      expect(refused).to.have.property('code', 'TOO_MANY_ATTEMPTS');
    }
    const listed = (await cli.run(['doctor'])).stdout;
    const network = '2001:0db8:0000:0000::/56';
    expect(listed).to.match(/^warning {2}locked addresses: .*203\.0\.113\.5 until .* -> Run: coursectl users unlock/m);
    expect(listed).to.include(network);

    for (const address of ['203.0.113.5', network]) {
      const { exitCode, stdout } = await cli.run(['users', 'unlock', '--address', address]);
      expect([exitCode, stdout.startsWith(`${address} was locked until `)]).to.deep.equal([0, true]);
      expect((await cli.run(['users', 'unlock', '--address', address])).stdout).to.equal(
        `${address} was not locked.\n`,
      );
    }
    for (const ip of ['203.0.113.5', '2001:db8:0:12::7'])
      await login(context, { identifier: email, password: factoryPassword }, { ip, userAgent: null });
    expect((await cli.run(['doctor'])).stdout).to.include('locked addresses: none');
    const { entries } = await cli.json<{ entries: { action: string; targetId: string }[] }>([
      'audit',
      'list',
      '--target-type',
      'address',
    ]);
    // Unlocking an unlocked address is not recorded.
    expect(entries.map(({ targetId }) => targetId)).to.have.members(['203.0.113.5', network]);
  });

  it('accepts either an account or an address', async () => {
    const { email } = await buildUser(harness.context);
    for (const wrong of [[], [email, '--address', '192.0.2.1'], ['--address', 'somewhere']]) {
      const { exitCode } = await cli.run(['users', 'unlock', ...wrong]);
      expect(exitCode, wrong.join(' ')).to.equal(2);
    }
  });
});

interface Listed {
  sessions: { id: string; current: boolean }[];
  pagination: { totalItems: number };
}

describe('coursectl users sessions', () => {
  const { harness, cli } = useHarnessAndCli();
  const list = (...argv: string[]) => cli.json<Listed>(['users', 'sessions', 'list', ...argv]);

  it('lists the sessions of the API, as a table and as JSON', async () => {
    const { user } = await signIn(harness.context, { phone: '555 0100' });
    await tokenFor(harness.context, user);
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { body } = await harness.api('get', `/api/users/${user.id}/sessions`, token).expect(200);
    expect(await list(user.email)).to.deep.equal(body);
    expect((await list('555 0100', '--limit', '1', '--page', '2')).sessions).to.deep.equal([body.sessions[1]]);
    const { stdout, stderr } = await cli.run(['users', 'sessions', 'list', user.email]);
    expect(stdout).to.match(/^LAST USED +STARTED +EXPIRES +METHOD +ADDRESS +PROGRAM +ID\n/);
    for (const { id } of body.sessions) expect(stdout).to.include(`  password  127.0.0.1  test     ${id}\n`);
    expect(stderr).to.equal('Page 1 of 1, 2 sessions.\n');
  });

  it('ends one session, and all sessions', async () => {
    const { user, token } = await signIn(harness.context);
    const second = await tokenFor(harness.context, user);
    await tokenFor(harness.context, user);
    const oldest = (await list(user.email)).sessions.at(-1)?.id ?? '';
    const { exitCode, stdout } = await cli.run(['users', 'sessions', 'end', user.email, oldest]);
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(new RegExp(`^Ended the session of ${user.email} that began at \\d{4}-.*Z\\.\n$`));
    await harness.api('get', '/api/auth/me', token).expect(401);
    await harness.api('get', '/api/auth/me', second).expect(200);
    const all = () => cli.run(['users', 'sessions', 'end-all', user.email]);
    expect((await all()).stdout).to.equal(`Ended 2 sessions of ${user.email}.\n`);
    expect((await all()).stdout).to.equal(`${user.email} had no sessions.\n`);
    await harness.api('get', '/api/auth/me', second).expect(401);
    const { entries } = await cli.json<{ entries: { action: string; origin: string; actorId: null }[] }>([
      'audit',
      'list',
      '--target',
      user.id,
    ]);
    expect(entries.map(({ action, origin, actorId }) => [action, origin, actorId])).to.deep.equal([
      ['user.end-sessions', 'cli', null],
      ['user.end-session', 'cli', null],
    ]);
  });

  it('names the missing account or session', async () => {
    const { email } = await buildUser(harness.context);
    const missing = await cli.run(['users', 'sessions', 'end', email, 'x']);
    expect(missing.exitCode).to.equal(1);
    expect(missing.stderr).to.equal(
      'error: Session not found: x. To list them: coursectl users sessions list <user>\n',
    );
    for (const argv of [['list'], ['end-all']]) {
      const { stderr } = await cli.run(['users', 'sessions', ...argv, 'nobody@example.org']);
      expect(stderr).to.equal(
        'error: User not found: nobody@example.org. To search for them: coursectl users list --search <text>\n',
      );
    }
  });
});
