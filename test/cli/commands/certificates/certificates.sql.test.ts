import { expect } from 'chai';
import { testEnvironment } from '../../../support/environment.js';
import { buildCertificate, buildCourse, buildUser } from '../../../support/factories.js';
import { useHarness } from '../../../support/harness.js';
import { useCommandLine } from '../../../support/run-cli.js';

describe('coursectl certificates', () => {
  const harness = useHarness();
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl }));
  let code: string;
  beforeEach(async () => {
    const { context } = harness;
    const trainer = await buildUser(context, { role: 'trainer', firstName: 'Grace', lastName: 'Hopper' });
    const trainee = await buildUser(context, { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org' });
    code = (await buildCertificate(context, trainee, await buildCourse(context, trainer, { title: 'Compilers' }))).code;
    await buildCertificate(context, await buildUser(context), await buildCourse(context, trainer));
  });
  const list = async (...filters: string[]) => {
    const { certificates } = await cli.json<{ certificates: { code: string }[] }>([
      ...['certificates', 'list'],
      ...filters,
    ]);
    return certificates.map((one) => one.code);
  };

  it('lists certificates by course, person and state, and shows one by its code', async () => {
    expect(await list())
      .to.have.length(2)
      .and.include(code);
    for (const filters of [
      ['--course', 'Compilers'],
      ['--trainee', 'ada@example.org', '--valid'],
    ])
      expect(await list(...filters)).to.deep.equal([code]);
    expect(await list('--revoked')).to.deep.equal([]);
    expect((await cli.run(['certificates', 'list', '--valid', '--revoked'])).stderr).to.include(
      'cannot be used together',
    );
    const { stdout } = await cli.run(['certificates', 'show', code.toLowerCase().replaceAll('-', '')]);
    expect(stdout).to.match(new RegExp(`code +${code}\nvalid +yes\nperson +Ada Lovelace`));
    expect((await cli.run(['certificates', 'show', 'x'])).stderr).to.include('Certificate not found.');
  });

  it('revokes a certificate after a question, and reports a revoked one', async () => {
    const name = 'The certificate of Ada Lovelace for "Compilers"';
    expect((await cli.run(['certificates', 'revoke', code])).stderr).to.include('add --yes to revoke');
    expect((await cli.run(['certificates', 'revoke', code, '--yes'])).stdout).to.equal(`${name} is revoked.\n`);
    expect((await cli.run(['certificates', 'revoke', code, '--yes'])).stdout).to.equal(
      `${name} was revoked already.\n`,
    );
    expect(await list('--revoked')).to.deep.equal([code]);
    const { entries } = await cli.json<{ entries: { action: string; origin: string }[] }>(['audit', 'list']);
    expect(entries[0]).to.include({ action: 'enrollment.revoke-certificate', origin: 'cli' });
  });
});
