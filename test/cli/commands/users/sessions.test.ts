import { expect } from 'chai';
import { testEnvironment } from '../../../support/environment.js';
import { buildUser, signIn, tokenFor } from '../../../support/factories.js';
import { useHarness } from '../../../support/harness.js';
import { useCommandLine } from '../../../support/run-cli.js';

interface Listed {
  sessions: { id: string; current: boolean }[];
  pagination: { totalItems: number };
}

describe('coursectl users sessions', () => {
  const harness = useHarness();
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl }));
  const list = (...argv: string[]) => cli.json<Listed>(['users', 'sessions', 'list', ...argv]);

  it('lists what the API lists, for people and as JSON', async () => {
    const { user } = await signIn(harness.context, { phone: '555 0100' });
    await tokenFor(harness.context, user);
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { body } = await harness.api('get', `/api/users/${user.id}/sessions`, token).expect(200);
    expect(await list(user.email)).to.deep.equal(body);
    expect((await list('555 0100', '--limit', '1', '--page', '2')).sessions).to.deep.equal([body.sessions[1]]);
    const { stdout, stderr } = await cli.run(['users', 'sessions', 'list', user.email]);
    expect(stdout).to.match(/^LAST USED +STARTED +EXPIRES +ADDRESS +PROGRAM +ID\n/);
    for (const { id } of body.sessions) expect(stdout).to.include(`  127.0.0.1  test     ${id}\n`);
    expect(stderr).to.equal('Page 1 of 1, 2 sessions.\n');
  });

  it('ends one, and all', async () => {
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

  it('names what it does not find', async () => {
    const { email } = await buildUser(harness.context);
    const missing = await cli.run(['users', 'sessions', 'end', email, 'x']);
    expect(missing.exitCode).to.equal(1);
    expect(missing.stderr).to.equal(
      'error: Session not found: x. To list them: coursectl users sessions list <user>\n',
    );
    for (const argv of [['list'], ['end-all']]) {
      const { stderr } = await cli.run(['users', 'sessions', ...argv, 'nobody@example.org']);
      expect(stderr).to.equal('error: User not found: nobody@example.org. To list them: coursectl users list\n');
    }
  });
});
