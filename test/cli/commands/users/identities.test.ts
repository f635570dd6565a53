import { expect } from 'chai';
import { buildIdentity, buildUser, signIn, tokenFor } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { keys } from '../../../support/terminal.js';

describe('coursectl users identities and unlink', () => {
  const { harness, cli } = useHarnessAndCli();
  const ada = () => buildUser(harness.context, { email: 'ada@example.org', phone: '555 0100' });
  const remaining = () => harness.context.database.models.Identity.count();

  it('lists the identities of the API, as a table and as JSON', async () => {
    const user = await ada();
    expect((await cli.run(['users', 'identities', user.email])).stdout).to.equal(
      'ada@example.org has no identities.\n',
    );
    await buildIdentity(harness.context, user);
    const { id } = await buildIdentity(harness.context, user, { email: 'other@example.org', linkedBy: 'email' });
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { body } = await harness.api('get', `/api/users/${user.id}/identities`, token).expect(200);
    expect(await cli.json(['users', 'identities', '555 0100'])).to.deep.equal(body);
    const { stdout } = await cli.run(['users', 'identities', user.email]);
    expect(stdout).to.match(/^EMAIL +LINKED +BY +LAST USED +SUBJECT +ISSUER +ID\n/);
    expect(stdout).to.match(new RegExp(`\nother@example.org .* email .* ${id}\n$`));
  });

  it('removes the only identity after a question, and ends the sessions', async () => {
    const user = await ada();
    await buildIdentity(harness.context, user);
    const session = await tokenFor(harness.context, user);
    const argv = ['users', 'unlink', user.email];
    expect(await cli.refusal(argv)).to.deep.equal({
      exitCode: 2,
      message: 'Confirmation needs a terminal: add --yes to unlink.',
    });
    const declined = await cli.atTerminal(argv, [['Remove this identity?', `n${keys.enter}`]]);
    expect(declined.stderr).to.include("The account's sessions end.").and.to.include('Nothing was removed.');
    expect(await remaining()).to.equal(1);
    const { stdout } = await cli.run([...argv, '--yes']);
    expect(stdout).to.equal(
      "Removed the identity ada@example.org of ada@example.org; the account's sessions have ended.\n",
    );
    await harness.api('get', '/api/auth/me', session).expect(401);
    const { entries } = await cli.json<{ entries: object[] }>(['audit', 'list', '--target', user.id]);
    expect(entries[0]).to.include({ action: 'user.unlink', origin: 'cli' });
  });

  it('removes one of several by the end of its id', async () => {
    const user = await ada();
    const { id: kept } = await buildIdentity(harness.context, user);
    const { id } = await buildIdentity(harness.context, user, { email: 'other@example.org' });
    expect(await cli.refusal(['users', 'unlink', user.email, '--yes'])).to.deep.equal({
      exitCode: 2,
      message: 'An identity is missing: give its id. To list them: coursectl users identities <user>',
    });
    const { identity } = await cli.json<{ identity: { id: string } }>([
      'users',
      'unlink',
      user.email,
      id.slice(-8),
      '--yes',
    ]);
    expect(identity.id).to.equal(id);
    const left = await harness.context.database.models.Identity.findAll();
    expect(left.map((one) => one.id)).to.deep.equal([kept]);
  });

  it('names the missing account or identity', async () => {
    const { email } = await ada();
    const missing = 'To list them: coursectl users identities <user>';
    expect(await cli.refusal(['users', 'unlink', email, 'x', '--yes'])).to.deep.equal({
      exitCode: 1,
      message: `Identity not found: x. ${missing}`,
    });
    expect(await cli.refusal(['users', 'unlink', email, '--yes'])).to.deep.equal({
      exitCode: 1,
      message: `${email} has no identities.`,
    });
    expect((await cli.refusal(['users', 'identities', 'nobody@example.org'])).message).to.match(/^User not found/);
  });
});
