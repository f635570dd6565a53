import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { createEmptyDatabase, migrate, type TestDatabase } from '../support/database.js';
import { testEnvironment } from '../support/environment.js';
import { buildUser } from '../support/factories.js';
import { useCommandLine } from '../support/run-cli.js';
import { keys } from '../support/terminal.js';

interface Status {
  executed: string[];
  pending: string[];
  unknown: string[];
}

describe('on a separate database', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createEmptyDatabase();
  });
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: database.url }));
  afterEach(() => database.drop());
  const status = () => cli.json<Status>(['migrate', 'status']);

  describe('coursectl migrate', () => {
    it('up applies and names pending migrations; a second run applies nothing', async () => {
      const { pending } = await status();
      const { exitCode, stdout, stderr } = await cli.run(['migrate', 'up']);
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
      const applied = pending.map((name) => `applied  ${name}\n`).join('');
      expect(stdout).to.equal(`${applied}The database schema is up to date.\n`);
      expect((await cli.run(['migrate', 'up'])).stdout).to.equal('The database schema is up to date.\n');
      expect(await cli.json(['migrate', 'up'])).to.deep.equal({ applied: [] });
    });

    it('status lists every migration and its state, also migrations of a newer program', async () => {
      const { pending: names, ...others } = await status();
      expect(others).to.deep.equal({ executed: [], unknown: [] });
      expect(names).to.have.lengthOf.greaterThan(5);
      expect((await cli.run(['migrate', 'status'])).stdout).to.equal(
        names.map((name) => `pending  ${name}\n`).join(''),
      );
      await migrate(database);
      await cli.run(['migrate', 'down', '--steps', '2', '--yes']);
      const words = names.map((name, index) => `${index < names.length - 2 ? 'applied' : 'pending'}  ${name}\n`);
      expect((await cli.run(['migrate', 'status'])).stdout).to.equal(words.join(''));
      const { sequelize } = (await cli.context()).database;
      await sequelize.query("INSERT INTO `SequelizeMeta` (name) VALUES ('29991231235959-future.cjs')");
      const { stdout } = await cli.run(['migrate', 'status']);
      expect(stdout).to.match(/\nunknown {2}29991231235959-future\.cjs \(of a newer coursectl\)\n$/);
      expect((await status()).unknown).to.deep.equal(['29991231235959-future.cjs']);
    });

    it('down reverts one, several or all migrations, and reports if none is left', async () => {
      const names = (await status()).pending;
      await migrate(database);
      const one = await cli.run(['migrate', 'down', '--yes']);
      expect(one).to.deep.equal({ exitCode: 0, stdout: `reverted  ${names.at(-1)}\n`, stderr: '' });
      const two = await cli.json(['migrate', 'down', '--steps', '2', '--yes']);
      expect(two).to.deep.equal({ reverted: [names.at(-2), names.at(-3)] });
      await cli.run(['migrate', 'down', '--all', '--yes']);
      expect((await status()).executed).to.deep.equal([]);
      const none = await cli.run(['migrate', 'down', '--yes']);
      expect(none).to.deep.equal({ exitCode: 0, stdout: 'There is nothing to revert.\n', stderr: '' });
    });

    it('down deletes nothing without confirmation', async () => {
      await migrate(database);
      const message = 'Confirmation needs a terminal: add --yes to revert.';
      expect(await cli.refusal(['migrate', 'down', '--all'])).to.deep.equal({ exitCode: 2, message });
      const declined = await cli.atTerminal(['migrate', 'down'], [['Revert this migration? (y/N)', keys.enter]]);
      const latest = (await status()).executed.at(-1);
      expect(declined.terminal.screen()).to.include(
        `1 migration to revert, with all data in its tables:\n  ${latest}\n`,
      );
      expect(declined.exitCode).to.equal(1);
      expect(declined.terminal.screen()).to.match(/\nNothing was reverted\.\n$/);
      expect((await status()).pending).to.deep.equal([]);
      const { exitCode, stdout } = await cli.atTerminal(
        ['migrate', 'down', '--all'],
        [['Revert these migrations? (y/N)', `y${keys.enter}`]],
      );
      expect(exitCode).to.equal(0);
      expect(stdout).to.match(/^(reverted {2}\S+\.cjs\n)+$/);
    });

    it('up and down finish after Ctrl-C, and report their result', async () => {
      const names = (await status()).pending;
      for (const words of ['up', 'down --all --yes']) {
        const { exitCode, stdout } = await cli.run(['migrate', ...words.split(' '), '--json'], {
          signal: AbortSignal.abort(),
        });
        expect(exitCode, stdout).to.equal(0);
        expect(Object.values(JSON.parse(stdout)).flat(), words).to.have.members(names);
      }
    });
  });

  describe('coursectl seed demo', () => {
    it('adds the demo programme only the first time, and names its accounts', async () => {
      await migrate(database);
      const first = await cli.run(['seed', 'demo']);
      expect(first.exitCode, first.stderr).to.equal(0);
      expect(first.stdout)
        .to.match(/^The demo programme was added\. .*: demo-password\n/)
        .and.to.include('admin@example.com');
      const count = async () =>
        (await cli.json<{ pagination: { totalItems: number } }>(['users', 'list'])).pagination.totalItems;
      expect(await count()).to.equal(204);
      // The output says "initial password": people may have changed it.
      expect((await cli.run(['seed', 'demo'])).stdout).to.match(
        /^The demo programme is here already; nothing was changed\. The initial password .*: demo-password\n/,
      );
      const again = await cli.json<{ seeded: string; added: boolean; accounts: string[]; password: string }>([
        'seed',
        'demo',
      ]);
      expect(again).to.include({ seeded: 'demo', added: false, password: 'demo-password' });
      expect(again.accounts).to.include('trainer1@example.com');
      expect(await count()).to.equal(204);
    });

    it('is refused in production, because its password is public', async () => {
      await migrate(database);
      const env = { ...cli.env, NODE_ENV: 'production', BCRYPT_COST: '12', JWT_SECRET: 'R4nd0m'.repeat(8) };
      const message =
        "The demo programme can't be loaded if NODE_ENV is production, because its accounts have a public password.";
      expect(await cli.refusal(['seed', 'demo'], { env })).to.deep.equal({ exitCode: 1, message });
      expect(await (await cli.context()).database.models.User.count()).to.equal(0);
    });

    it('asks before it mixes with other accounts, and requires --yes without a terminal', async () => {
      await migrate(database);
      await buildUser(await cli.context(), { role: 'trainer' });
      const count = async () => (await cli.context()).database.models.User.count();
      const piped = await cli.refusal(['seed', 'demo']);
      const message = 'Confirmation needs a terminal: add --yes to add the demo programme to the accounts that exist.';
      expect(piped).to.deep.equal({ exitCode: 2, message });
      const question = 'Add the demo programme here?';
      const no = await cli.atTerminal(['seed', 'demo'], [[question, keys.enter]]);
      expect(no.exitCode).to.equal(1);
      expect(no.terminal.screen()).to.include('This database already has other accounts.');
      expect(no.terminal.screen()).to.include('Nothing was added.');
      expect(await count()).to.equal(1);
      const yes = await cli.run(['seed', 'demo', '--yes']);
      expect(yes.exitCode, yes.stderr).to.equal(0);
      expect(await count()).to.equal(205);
      // The demo programme exists, so that nothing would change and nothing is asked.
      expect((await cli.run(['seed', 'demo'])).exitCode).to.equal(0);
    });
  });
});

describe('coursectl config', () => {
  const secret = 'R4nd0m'.repeat(8);
  const cli = useCommandLine(() => ({
    DATABASE_URL: 'mysql://me:s3cr%40t@db.example.org/courses',
    JWT_SECRET: secret,
    PORT: '8080',
  }));
  interface Shown {
    settings: { name: string; value: string; origin: string }[];
  }

  it('shows every setting with value and origin, and no secret', async () => {
    writeFileSync(path.join(cli.folder, '.env'), `JWT_SECRET_PREVIOUS=${secret}old\nLOG_LEVEL=warn\nPORT=1\n`);
    const { exitCode, stdout, stderr } = await cli.run(['config']);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    const lines = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(lines[0]).to.deep.equal(['SETTING', 'VALUE', 'FROM']);
    expect(lines).to.deep.include.members([
      ['DATABASE_URL', 'mysql://me@db.example.org:3306/courses', 'environment'],
      ['DB_PASSWORD', '(hidden)', 'DATABASE_URL'],
      ['PORT', '8080', 'environment'],
      ['LOG_LEVEL', 'warn', '.env'],
      ['JWT_SECRET', '(hidden)', 'environment'],
      ['JWT_SECRET_PREVIOUS', '(hidden)', '.env'],
      ['BCRYPT_COST', '12', 'default'],
      ['DATA_DIR', path.join(cli.folder, 'data'), 'default'],
    ]);
    const { settings } = await cli.json<Shown>(['config']);
    expect(settings).to.deep.include({ name: 'JWT_SECRET', value: '(hidden)', origin: 'environment' });
    expect(settings.map(({ name, value, origin }) => [name, value, origin])).to.deep.equal(lines.slice(1, -1));
    for (const part of [secret, 's3cr', '%40t']) expect(stdout + JSON.stringify(settings)).not.to.include(part);
  });

  it('lists all wrong settings in one error', async () => {
    const env = { PORT: 'http', BCRYPT_COST: '1', DATABASE_URL: 'postgres://me:s3cret@host/x' };
    const { exitCode, stdout, stderr } = await cli.run(['config'], { env });
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 1, stdout: '' });
    expect(stderr.split('\n')).to.have.lengthOf(5);
    expect(stderr)
      .to.match(/^error: The configuration is not valid:\n/)
      .and.not.include('s3cret');
    const { error } = await cli.json<{ error: { code: string; details: { path: string }[] } }>(['config'], { env });
    expect(error.code).to.equal('CONFIG_INVALID');
    expect(error.details.map(({ path: name }) => name)).to.have.members(['PORT', 'BCRYPT_COST', 'DATABASE_URL']);
  });
});
