import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { settingNames } from '../../src/config/settings.js';
import { unknownSettings } from '../../src/config/unknown-settings.js';
import { useCommandLine } from '../support/run-cli.js';

describe('Names that look like settings', () => {
  const cli = useCommandLine(() => ({ NODE_ENV: 'test' }));
  const dotenv = (text: string) => writeFileSync(path.join(cli.folder, '.env'), text);
  const inEnvironment = (name: string) => unknownSettings({ env: { [name]: 'x' }, cwd: cli.folder });

  it('in .env are all that is no setting, with the one that was meant', () => {
    dotenv('DATBASE_URL=sqlite:x.sqlite\nJWTSECRET=s\nPOTR=1\nFAVOURITE_COLOUR=red\nLOG_LEVEL=warn\n');
    expect(unknownSettings({ env: {}, cwd: cli.folder })).to.deep.equal([
      { name: 'DATBASE_URL', origin: '.env', meant: 'DATABASE_URL' },
      { name: 'JWTSECRET', origin: '.env', meant: 'JWT_SECRET' },
      { name: 'POTR', origin: '.env', meant: 'PORT' },
      { name: 'FAVOURITE_COLOUR', origin: '.env' },
    ]);
  });

  const meant: [name: string, setting: string | undefined][] = [
    ['COURSECTL_PORT', 'PORT'],
    ['COURSECTL_DB_URL_DATA', undefined],
    ['COURSECTL_DATA_BASE_URL', 'DATABASE_URL'],
    ['COURSECTL_COLOUR_OF_EVERYTHING', undefined],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DB_PASSWD', 'DB_PASSWORD'],
    ['database_url', 'DATABASE_URL'],
    ['JWT_SECERT', 'JWT_SECRET'],
  ];
  for (const [name, setting] of meant)
    it(`in the environment are what begins with COURSECTL_ or is nearly right: ${name}`, () => {
      expect(inEnvironment(name)).to.deep.equal([
        { name, origin: 'environment', ...(setting !== undefined && { meant: setting }) },
      ]);
    });

  it('are not the settings, and not what other programs have', () => {
    const others = [
      'PATH',
      'HOME',
      'HOSTNAME',
      'SHELL',
      'LANG',
      'TERM',
      'USER',
      'PWD',
      'MAIL',
      'NODE_OPTIONS',
      'SPORT',
    ];
    const more = [
      'NODE_PATH',
      'LOGNAME',
      'COLUMNS',
      'MYSQL_HOST',
      'AWS_REGION',
      'DB_TYPE',
      'TZ',
      'CI',
      'POST',
      'GHOST',
    ];
    for (const name of [...settingNames, ...others, ...more]) expect(inEnvironment(name), name).to.deep.equal([]);
    expect(inEnvironment('x'.repeat(100_000))).to.deep.equal([]);
  });

  it('are warned of once, before a setting is missed, without what they are set to', async () => {
    dotenv('NODE_ENV=production\nJWT_SECERT=very-secret-words\n');
    const { exitCode, stderr } = await cli.run(['serve'], { env: { COURSECTL_PORT: '81' } });
    expect(exitCode).to.equal(1);
    expect(stderr).to.match(
      /^warning: In \.env, JWT_SECERT is no setting of coursectl\. Did you mean JWT_SECRET\?\nwarning: In the environment, COURSECTL_PORT is no setting of coursectl\. Did you mean PORT\?\nerror: JWT_SECRET must be set in production; [^\n]+\n$/,
    );
    expect(stderr).not.to.include('very-secret-words');
  });

  it('are warned of once by commands that read the settings several times', async () => {
    dotenv('POTR=1\n');
    for (const argv of [['config'], ['doctor'], ['migrate', 'up']]) {
      const { stderr } = await cli.run(argv);
      expect(stderr.match(/warning: In \.env, POTR/g), argv.join(' ')).to.have.lengthOf(1);
    }
  });

  it('are not warned of with --json or --quiet', async () => {
    dotenv('POTR=1\n');
    for (const option of ['--json', '--quiet']) expect((await cli.run(['config', option])).stderr).to.equal('');
  });

  it('are made safe for the terminal', async () => {
    const { stderr } = await cli.run(['config'], { env: { 'COURSECTL_\u001b[31m': 'x' } });
    expect(stderr).to.include('COURSECTL_\\u001b[31m is no setting');
  });
});
