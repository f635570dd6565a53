import { readdirSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { onMysql, runOnServer } from '../support/database.js';
import { buildUser } from '../support/factories.js';
import { useHarnessAndCli } from '../support/harness-cli.js';

describe('An unexpected failure', () => {
  const { harness, cli } = useHarnessAndCli();

  /** Damages a row in a way that the program itself can't. */
  async function damageAccount(id: string): Promise<void> {
    if (!onMysql) {
      await harness.context.database.sequelize.query("UPDATE users SET created_at = 'never'");
      return;
    }
    const schema = new URL(harness.databaseUrl).pathname.slice(1);
    await runOnServer("SET SESSION sql_mode = ''", `UPDATE ${schema}.users SET created_at = 0 WHERE id = '${id}'`);
  }

  it('exits with 70, is reported in one line, and has a stack with --verbose', async () => {
    const { id, passwordHash } = await buildUser(harness.context);
    await damageAccount(id);
    const { exitCode, stdout, stderr } = await cli.run(['users', 'show', id]);
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 70, stdout: '' });
    expect(stderr).to.match(
      /^error: This is a bug in coursectl: [^\n]+ Run it again with --verbose and report what it prints\.\n$/,
    );
    const verbose = await cli.run(['users', 'show', id, '--verbose']);
    expect(verbose.exitCode).to.equal(70);
    expect(verbose.stderr)
      .to.match(/\n {4}at /)
      .and.not.include(passwordHash);
  });

  it('prints a JSON object with --json', async () => {
    const { id } = await buildUser(harness.context);
    await damageAccount(id);
    const { exitCode, stdout, stderr } = await cli.run(['users', 'export', '--json', '--output', 'users.csv']);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 70, stderr: '' });
    expect(JSON.parse(stdout).error).to.have.all.keys('code', 'message').and.include({ code: 'BUG' });
    const verbose = await cli.run(['users', 'show', id, '--json', '--verbose']);
    expect(JSON.parse(verbose.stdout)).to.deep.equal(JSON.parse(stdout));
    expect(verbose.stderr).to.match(/\n {4}at /);
    // Unfinished work is undone after bugs, too.
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('is also reported if it happens while the output is written', async () => {
    const { runProgram } = await import('../../src/cli/program.js');
    const broken = new PassThrough();
    broken.write = () => {
      throw new Error('the output is broken');
    };
    const stderr = new PassThrough();
    const io = { stdin: new PassThrough(), stdout: broken, stderr, env: cli.env, cwd: cli.folder };
    expect(
      await runProgram(['users', 'list', '--output', 'yaml'], { ...io, signal: new AbortController().signal }),
    ).to.equal(70);
    expect(String(stderr.read())).to.match(/^error: This is a bug in coursectl: the output is broken\. Run it again/);
  });
});
