import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { dumpCommands } from '../../../../src/services/maintenance/backup/dump-command.js';
import { createEmptyDatabase, onMysql } from '../../../support/database.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildCourse, buildMaterial, buildUser } from '../../../support/factories.js';
import { useHarness } from '../../../support/harness.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { pathsIn } from './support/installation.js';

/** Whether a client is installed; some systems install MariaDB's under the names of MySQL's. */
function isInstalled(program: string): boolean {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return status === 0 && stdout.includes('MariaDB') === program.startsWith('mariadb');
}

(onMysql ? describe : describe.skip)('coursectl backup and restore, of a database on a server', () => {
  const harness = useHarness();
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl }));
  const inBucket = { FILE_STORAGE: 's3', S3_BUCKET: 'courses', S3_REGION: 'eu-west-1' };

  /** What `--print-dump --json` prints. */
  interface DumpCommands {
    dumpCommand: string;
    restoreCommand: string;
  }

  /** Runs a printed command, with the password as its hint says. */
  function runPrinted(line: string) {
    const { password } = new URL(harness.databaseUrl);
    const env = { ...process.env, MYSQL_PWD: decodeURIComponent(password) };
    const { status, stderr } = spawnSync('sh', ['-c', line], { cwd: cli.folder, env, encoding: 'utf8' });
    expect(status, `${line}\n${stderr}`).to.equal(0);
  }

  async function withMaterial() {
    const context = await cli.context();
    const trainer = await buildUser(context, { role: 'trainer', email: 'ada@x.org', firstName: 'Zoë' });
    return buildMaterial(context, await buildCourse(context, trainer, { title: 'Bees' }));
  }

  it('prints the exact command without a password, on standard output alone', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['backup', 'copy', '--print-dump']);
    const { hostname, port, username, pathname } = new URL(harness.databaseUrl);
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(
      /^umask 077 && mkdir -p \S+ && (mariadb-dump|mysqldump) --host=\S+ --port=\d+ --protocol=TCP .*--single-transaction .*--routines .*\n$/,
    );
    for (const part of [`--host=${hostname}`, `--port=${port || 3306}`, `--user=${username}`, pathname.slice(1)])
      expect(stdout).to.include(part);
    expect(stdout).to.include(`--result-file=${cli.folder}/copy.sql`);
    expect(stdout).to.not.match(/password|MYSQL_PWD| -p(?<!mkdir -p)/);
    expect(stderr).to.include('Set MYSQL_PWD to the password').and.to.include('To restore it into an empty database:');
    expect(existsSync(path.join(cli.folder, 'copy'))).to.equal(false);
    const printed = await cli.json<DumpCommands>(['backup', 'copy', '--print-dump']);
    expect(`${printed.dumpCommand}\n`).to.equal(stdout);
    expect(printed.restoreCommand).to.match(/^(mariadb|mysql) --host=\S+ --port=\d+ --protocol=TCP /);
  });

  it('leaves the GTIDs of MySQL out of the dump', async () => {
    const { database } = (await cli.context()).config;
    if (database.dialect === 'sqlite') throw new Error('The database is on no server.');
    const optionOf = (version: string) =>
      / --\S*gtid\S*/.exec(dumpCommands(database, version, '/backups/monday.sql').dump)?.[0];
    expect(optionOf('MySQL 9.7.4')).to.equal(' --set-gtid-purged=OFF');
    expect(optionOf('MariaDB 11.8.3')).to.equal(undefined);
  });

  it('the dump and the files are restored elsewhere', async function () {
    const { dumpCommand } = await cli.json<DumpCommands>(['backup', 'backups/copy', '--print-dump']);
    const [, program = ''] = /&& (\S+) --host/.exec(dumpCommand) ?? [];
    if (!isInstalled(program)) this.skip();
    const { storageKey } = await withMaterial();
    runPrinted(dumpCommand);
    const { exitCode, stdout, stderr } = await cli.run(['backup', 'backups/copy']);
    expect(exitCode, stderr).to.equal(0);
    expect(stdout).to.match(/no database: it is on a server, and has a dump of its own\n {2}1 file: 13 bytes\n$/);
    expect(stderr).to.include(dumpCommand);
    expect(pathsIn(path.join(cli.folder, 'backups/copy'))).to.deep.equal([`files/${storageKey}`, 'manifest.json']);

    const other = await createEmptyDatabase();
    try {
      const env = { ...testEnvironment, DATABASE_URL: other.url, DATA_DIR: 'elsewhere' };
      const { restoreCommand } = await cli.json<DumpCommands>(['backup', 'backups/copy', '--print-dump']);
      const [from, to] = [harness.databaseUrl, other.url].map((url) => new URL(url).pathname.slice(1));
      runPrinted(restoreCommand.replace(`${from}`, `${to}`));
      const restored = await cli.run(['restore', 'backups/copy'], { env });
      expect(restored.exitCode, restored.stderr).to.equal(0);
      expect(restored.stdout).to.match(/Then run: coursectl files sweep\n$/);
      const { sweep } = await cli.json<{ sweep: object }>(['files', 'sweep'], { env });
      expect(sweep).to.deep.include({ missing: [], unknown: [] });
      const { users } = await cli.json<{ users: { firstName: string }[] }>(['users', 'list'], { env });
      expect(users.map(({ firstName }) => firstName)).to.deep.equal(['Zoë']);
    } finally {
      await other.drop();
    }
  });

  it('says what to do where the files are in a bucket', async () => {
    const { exitCode, said } = await cli.refusal(['backup', 'copy'], { env: { ...cli.env, ...inBucket } });
    expect(exitCode).to.equal(2);
    expect(said).to.match(
      /^There is nothing to copy: .* files are in s3:\/\/courses\/.*aws s3 sync s3:\/\/courses\/ <folder>$/,
    );
    expect(existsSync(path.join(cli.folder, 'copy'))).to.equal(false);
  });
});
