import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import { dumpCommands } from '../../../../src/services/maintenance/backup/dump-command.js';
import { createEmptyDatabase, onMysql } from '../../../support/database.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildCourse, buildMaterial, buildUser, tokenFor } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { pathsIn } from './support/installation.js';

/** Whether a client is installed. Some systems install MariaDB's programs under the names of MySQL's. */
function isInstalled(program: string): boolean {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return status === 0 && stdout.includes('MariaDB') === program.startsWith('mariadb');
}

(onMysql ? describe : describe.skip)('coursectl backup and restore, of a database on a server', () => {
  const { harness, cli } = useHarnessAndCli();
  const inBucket = { FILE_STORAGE: 's3', S3_BUCKET: 'courses', S3_REGION: 'eu-west-1' };

  /** Output of `--print-dump --json`. */
  interface DumpCommands {
    dumpCommand: string;
    restoreCommand: string;
  }

  /** Runs a printed command, with the password as in its hint. */
  function runPrinted(line: string) {
    const { password } = new URL(harness.databaseUrl);
    const env = { ...process.env, MYSQL_PWD: decodeURIComponent(password) };
    const { status, stderr } = spawnSync('sh', ['-c', line], { cwd: cli.folder, env, encoding: 'utf8' });
    expect(status, `${line}\n${stderr}`).to.equal(0);
  }

  /** Creates a planned import over HTTP. */
  async function buildPlannedImport(id: string, filePath: string) {
    return (await cli.context()).database.models.Import.create({
      id,
      number: 1,
      status: 'planned',
      origin: 'http',
      fileName: 'people.csv',
      filePath,
      fileSha256: '0'.repeat(64),
      optionsJson: '{}',
      createdAt: new Date(),
    });
  }

  async function withMaterial() {
    const context = await cli.context();
    const trainer = await buildUser(context, { role: 'trainer', email: 'ada@x.org', firstName: 'Zoë' });
    return buildMaterial(context, await buildCourse(context, trainer, { title: 'Bees' }));
  }

  it('does not change a database that is not restored yet or was used since the backup', async () => {
    await withMaterial();
    expect((await cli.run(['backup', 'copy'])).exitCode).to.equal(0);
    const context = await cli.context();
    await tokenFor(context, await context.database.models.User.findOne({ rejectOnEmpty: true }));
    const other = await createEmptyDatabase();
    try {
      for (const [folder, DATABASE_URL] of Object.entries({ used: harness.databaseUrl, empty: other.url })) {
        const env = { ...testEnvironment, DATABASE_URL, DATA_DIR: folder };
        const { exitCode, stdout, stderr } = await cli.run(['restore', 'copy'], { env });
        expect(exitCode, stderr).to.equal(0);
        expect(stdout).to.match(
          /\nThe sessions of the database are not ended: .*\(DELETE FROM sessions\).* files sweep\n$/,
        );
      }
    } finally {
      await other.drop();
    }
    expect(await context.database.models.Session.count()).to.equal(1);
  });

  it('restores nothing if the database names files outside its folders', async () => {
    const { storageKey } = await withMaterial();
    expect((await cli.run(['backup', 'copy'])).exitCode).to.equal(0);
    const id = '../../../victim';
    await buildPlannedImport(id, '/victim/upload.csv');
    const env = { ...testEnvironment, DATABASE_URL: harness.databaseUrl, DATA_DIR: 'elsewhere' };
    const { exitCode, message } = await cli.refusal(['restore', 'copy'], { env });
    expect(exitCode).to.equal(1);
    expect(message).to.match(
      /^The database mysql:\S+ has data that .*: import: "\.\.\/\.\.\/\.\.\/victim"\. Nothing was restored\./,
    );
    expect(existsSync(path.join(cli.folder, 'elsewhere/files', storageKey))).to.equal(false);
    expect(await (await cli.context()).database.models.Import.findByPk(id)).to.include({ status: 'planned' });
  });

  it('prints the dump command without a password, on standard output only', async () => {
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
    expect(printed.restoreCommand).to.match(/^(mariadb|mysql) --host=\S+ --port=\d+ --protocol=TCP .*--binary-mode /);
  });

  it('excludes the GTIDs of MySQL from the dump', async () => {
    const { database } = (await cli.context()).config;
    if (database.dialect === 'sqlite') throw new Error('The database is on no server.');
    const optionOf = (version: string) =>
      / --\S*gtid\S*/.exec(dumpCommands(database, version, '/backups/monday.sql').dump)?.[0];
    expect(optionOf('MySQL 9.7.4')).to.equal(' --set-gtid-purged=OFF');
    expect(optionOf('MariaDB 11.8.3')).to.equal(undefined);
  });

  it('restores the dump and the files in another installation', async function () {
    const { dumpCommand } = await cli.json<DumpCommands>(['backup', 'backups/copy', '--print-dump']);
    const [, program = ''] = /&& (\S+) --host/.exec(dumpCommand) ?? [];
    if (!isInstalled(program)) this.skip();
    const { storageKey } = await withMaterial();
    const context = await cli.context();
    await tokenFor(context, await context.database.models.User.findOne({ rejectOnEmpty: true }));
    const id = uuidv7();
    const upload = path.join(cli.folder, 'data/imports', id, 'upload.csv');
    mkdirSync(path.dirname(upload), { recursive: true });
    writeFileSync(upload, 'Of the other one.');
    await buildPlannedImport(id, upload);
    runPrinted(dumpCommand);
    const { exitCode, stdout, stderr } = await cli.run(['backup', 'backups/copy']);
    expect(exitCode, stderr).to.equal(0);
    expect(stdout).to.match(/no database: it is on a server, and needs its own dump\n {2}1 file: 13 bytes\n$/);
    expect(stderr).to.include(dumpCommand);
    expect(pathsIn(path.join(cli.folder, 'backups/copy'))).to.deep.equal([`files/${storageKey}`, 'manifest.json']);

    const other = await createEmptyDatabase();
    try {
      const env = { ...testEnvironment, DATABASE_URL: other.url, DATA_DIR: 'elsewhere' };
      const { restoreCommand } = await cli.json<DumpCommands>(['backup', 'backups/copy', '--print-dump']);
      const [from, to] = [harness.databaseUrl, other.url].map((url) => new URL(url).pathname.slice(1));
      // A hostile dump may contain commands that the client runs on this machine.
      const commands = `\nsystem touch ${cli.folder}/ran\n\\! touch ${cli.folder}/ran\n`;
      const hostile = path.join(cli.folder, 'hostile.sql');
      writeFileSync(hostile, commands);
      const runHostile = restoreCommand.replace(`${from}`, `${to}`).replace(/<.*/, `< ${hostile}`);
      spawnSync('sh', ['-c', runHostile], {
        env: { ...process.env, MYSQL_PWD: decodeURIComponent(new URL(other.url).password) },
      });
      expect(existsSync(path.join(cli.folder, 'ran'))).to.equal(false);
      runPrinted(restoreCommand.replace(`${from}`, `${to}`));
      const restored = await cli.run(['restore', 'backups/copy'], { env });
      expect(restored.exitCode, restored.stderr).to.equal(0);
      expect(restored.stdout).to.match(
        /:\n {2}database: all sessions are ended\n {2}1 file: 13 bytes\n {2}1 import stopped: .*\nRun: coursectl files sweep\n$/,
      );
      const { sessions } = await cli.json<{ sessions: object[] }>(['users', 'sessions', 'list', 'ada@x.org'], { env });
      expect(sessions).to.deep.equal([]);
      const shown = await cli.json<{ import: object }>(['imports', 'show', id], { env });
      expect(shown.import).to.include({
        status: 'failed',
        filePath: path.join(cli.folder, 'elsewhere/imports', id, 'upload.csv'),
      });
      const { sweep } = await cli.json<{ sweep: object }>(['files', 'sweep'], { env });
      expect(sweep).to.deep.include({ missing: [], unknown: [] });
      const { users } = await cli.json<{ users: { firstName: string }[] }>(['users', 'list'], { env });
      expect(users.map(({ firstName }) => firstName)).to.deep.equal(['Zoë']);
    } finally {
      await other.drop();
    }
  });

  it('prints the next steps if the files are in a bucket', async () => {
    const { exitCode, message } = await cli.refusal(['backup', 'copy'], { env: { ...cli.env, ...inBucket } });
    expect(exitCode).to.equal(2);
    expect(message).to.match(
      /^There is nothing to copy: .* files are in s3:\/\/courses\/.*aws s3 sync s3:\/\/courses\/ <folder>$/,
    );
    expect(existsSync(path.join(cli.folder, 'copy'))).to.equal(false);
  });
});
