import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { parse } from 'dotenv';
import { testEnvironment } from '../../../support/environment.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { type Dialogue, keys } from '../../../support/terminal.js';

const { enter, down, ctrlC } = keys;
const password = 'difference engine';
const options = '--first-name Ada --last-name Lovelace --email ada@example.org --phone 1 --yes'.split(' ');
const script = ['setup', ...options, '--password-stdin'];
const chooseFile: Dialogue = [['Where should the data be stored?', enter]];
const givePassword: Dialogue = [
  ['Password', `${password}${enter}`],
  ['Repeat password', `${password}${enter}`],
];

describe('coursectl setup for production', () => {
  const { NODE_ENV: _environment, JWT_SECRET: _secret, BCRYPT_COST: _cost, ...others } = testEnvironment;
  const cli = useCommandLine(() => others);
  const envFile = () => path.join(cli.folder, '.env');
  const written = () => parse(readFileSync(envFile()));

  it('asks for the purpose, and writes a new secret to an .env file that only this user can read', async () => {
    const dialogue: Dialogue = [
      ...chooseFile,
      ['What is this system for?', `${down}${enter}`],
      [`Saved NODE_ENV and JWT_SECRET in ${envFile()}.`, ''],
      ...givePassword,
    ];
    const { exitCode, stdout, stderr } = await cli.atTerminal(['setup', ...options], dialogue);
    expect(exitCode, stderr).to.equal(0);
    expect(stdout).to.match(/\n {2}coursectl doctor --production +check what production needs\n$/);
    expect(statSync(envFile()).mode & 0o777).to.equal(0o600);
    const { NODE_ENV: environment, JWT_SECRET: secret = '', ...rest } = written();
    expect({ environment, rest }).to.deep.equal({ environment: 'production', rest: {} });
    expect(Buffer.from(secret, 'base64url')).to.have.lengthOf(48);
    expect(stdout + stderr).not.to.include(secret);
    const { checks } = await cli.json<{ checks: { name: string; status: string }[] }>(['doctor']);
    for (const name of ['configuration', 'settings file', 'signing secret'])
      expect(
        checks.find((check) => check.name === name),
        name,
      ).to.include({ status: 'ok' });
  });

  it('applies the password rules of production to typed and piped passwords', async () => {
    const common = 'Password is one of the most common ones. Choose another.';
    const { exitCode, stderr } = await cli.run([...script, '--production'], { stdin: 'password1' });
    expect(exitCode).to.equal(2);
    expect(stderr).to.include(`error: ${common}\n`);
    const dialogue: Dialogue = [
      ...chooseFile,
      ['What is this system for?', `${down}${enter}`],
      ['Password', `password1${enter}`],
      [common, ctrlC],
    ];
    expect((await cli.atTerminal(['setup', ...options], dialogue)).exitCode).to.equal(130);
  });

  it('keeps the content of an .env file, makes it private, and restores it when setup is declined', async () => {
    // Not UTF-8: the file must be restored byte by byte.
    const before = '# für alle\nPORT=4000\nJWT_SECRET=';
    writeFileSync(envFile(), before, 'latin1');
    chmodSync(envFile(), 0o644);
    const asked: Dialogue = [...chooseFile, ['What is this system for?', `${down}${enter}`]];
    const declined = await cli.atTerminal(['setup', ...options], [...asked, ['Password', ctrlC]]);
    expect(declined.exitCode).to.equal(130);
    expect(declined.terminal.screen()).to.include(
      `\n  Removed: NODE_ENV and JWT_SECRET in ${envFile()}\n  Removed: the database file `,
    );
    expect(readFileSync(envFile(), 'latin1')).to.equal(before);
    expect(statSync(envFile()).mode & 0o777).to.equal(0o644);

    expect((await cli.atTerminal(['setup', ...options], [...asked, ...givePassword])).exitCode).to.equal(0);
    const after = readFileSync(envFile(), 'latin1');
    expect(after.startsWith(`${before}\nNODE_ENV=production\nJWT_SECRET=`)).to.equal(true);
    expect(written()).to.include({ PORT: '4000', NODE_ENV: 'production' });
    expect(written().JWT_SECRET).to.have.lengthOf(64);
    expect(statSync(envFile()).mode & 0o777).to.equal(0o600);
  });

  it('does not restore a file that someone else changed during setup', async () => {
    const change = () => {
      writeFileSync(envFile(), 'PORT=5000\n');
      interrupts.abort();
    };
    const interrupts = new AbortController();
    const asked: Dialogue = [...chooseFile, ['What is this system for?', `${down}${enter}`]];
    const declined = await cli.atTerminal(['setup', ...options], [...asked, ['Password', change]], {
      signal: interrupts.signal,
    });
    expect(declined.terminal.screen()).to.include(`\n  Kept: the file ${envFile()}\n`);
    expect(readFileSync(envFile(), 'utf8')).to.equal('PORT=5000\n');
  });

  it('offers to write a missing secret of production first', async () => {
    const env = { ...cli.env, NODE_ENV: 'production' };
    const question = 'NODE_ENV is production, which needs a JWT_SECRET. Write a new one to .env?';
    const refused = await cli.atTerminal(['setup', ...options], [[question, `n${enter}`]], { env });
    expect(refused.exitCode).to.equal(1);
    expect(refused.terminal.screen()).to.include('JWT_SECRET must be set in production; make one with: ');
    const dialogue: Dialogue = [[question, enter], ...chooseFile, ...givePassword];
    const { exitCode, stdout, terminal } = await cli.atTerminal(['setup', ...options], dialogue, { env });
    expect(exitCode, terminal.screen()).to.equal(0);
    expect(stdout).to.match(/\n {2}coursectl doctor --production +check what production needs\n$/);
    expect(Object.keys(written())).to.deep.equal(['JWT_SECRET']);
  });

  it('reports that it wrote the missing secret of production', async () => {
    const env = { ...cli.env, NODE_ENV: 'production' };
    const first = await cli.json<{ superAdmin: string; settingsWritten: string[] }>([...script, '--production'], {
      stdin: password,
      env,
    });
    expect(first).to.include({ superAdmin: 'created' });
    expect(first.settingsWritten).to.deep.equal(['JWT_SECRET']);
    rmSync(envFile());
    const again = await cli.json<object>(['setup', '--production'], { env });
    const existing = { migrationsApplied: [], superAdmin: 'existing', settingsWritten: ['JWT_SECRET'] };
    expect(again).to.deep.equal(existing);
    rmSync(envFile());
    const { stdout } = await cli.run(['setup', '--production'], { env });
    expect(stdout).to.match(/\nCheck what production needs with: coursectl doctor --production\n$/);
  });

  it('writes the settings for scripts with --production, also later, and never twice', async () => {
    const run = (...argv: string[]) => cli.run(argv, { stdin: password });
    expect((await run(...script)).exitCode).to.equal(0);
    expect(existsSync(envFile())).to.equal(false);
    const later = await cli.json<object>(['setup', '--production']);
    expect(later).to.deep.equal({
      migrationsApplied: [],
      superAdmin: 'existing',
      settingsWritten: ['NODE_ENV', 'JWT_SECRET'],
    });
    const first = written();
    expect((await run('setup', '--production')).exitCode).to.equal(0);
    expect(written()).to.deep.equal(first);
  });

  it('refuses --production with another NODE_ENV or a weak secret, and writes nothing', async () => {
    const development = await cli.refusal([...script, '--production'], {
      env: { ...cli.env, NODE_ENV: 'development' },
    });
    const message = 'NODE_ENV is development in the environment. Remove it there, or leave out --production.';
    expect(development).to.deep.equal({ exitCode: 2, message });
    const weak = await cli.run([...script, '--production'], { stdin: password, env: { ...cli.env, JWT_SECRET: 'x' } });
    expect(weak.exitCode).to.equal(1);
    expect(weak.stderr).to.include('JWT_SECRET is shorter than 32 bytes');
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });
});
