import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { settingWarnings } from '../../src/config/setting-warnings.js';
import { settingNames } from '../../src/config/settings.js';
import { useCommandLine } from '../support/run-cli.js';

describe('Names that look like settings', () => {
  const cli = useCommandLine(() => ({ NODE_ENV: 'test' }));
  const dotenv = (text: string) => writeFileSync(path.join(cli.folder, '.env'), text);
  const inEnvironment = (name: string) => settingWarnings({ env: { [name]: 'x' }, cwd: cli.folder });

  it('include every other name in .env, with the setting that was probably meant', () => {
    dotenv('DATBASE_URL=sqlite:x.sqlite\nJWTSECRET=s\nPOTR=1\nFAVOURITE_COLOUR=red\nLOG_LEVEL=warn\n');
    expect(settingWarnings({ env: {}, cwd: cli.folder })).to.deep.equal([
      'In .env, DATBASE_URL is no setting of coursectl. Did you mean DATABASE_URL?',
      'In .env, JWTSECRET is no setting of coursectl. Did you mean JWT_SECRET?',
      'In .env, POTR is no setting of coursectl. Did you mean PORT?',
      'In .env, FAVOURITE_COLOUR is no setting of coursectl.',
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
  it('include names in the environment that begin with COURSECTL_ or are similar to a setting', () => {
    for (const [name, setting] of meant) {
      const hint = setting === undefined ? '' : ` Did you mean ${setting}?`;
      expect(inEnvironment(name)).to.deep.equal([`In the environment, ${name} is no setting of coursectl.${hint}`]);
    }
  });

  it('exclude settings and names of other programs', () => {
    const others =
      'PATH HOME HOSTNAME SHELL LANG TERM USER MAIL NODE_OPTIONS SPORT COLUMNS MYSQL_HOST AWS_REGION DB_TYPE POST GHOST'.split(
        ' ',
      );
    for (const name of [...settingNames, ...others]) expect(inEnvironment(name), name).to.deep.equal([]);
    expect(inEnvironment('x'.repeat(100_000))).to.deep.equal([]);
  });

  it('cause one warning, before the error of a missing setting, without their value', async () => {
    dotenv('NODE_ENV=production\nJWT_SECERT=very-secret-words\n');
    const { exitCode, stderr } = await cli.run(['serve'], { env: { COURSECTL_PORT: '81' } });
    expect(exitCode).to.equal(1);
    expect(stderr).to.match(
      /^warning: In \.env, JWT_SECERT is no setting of coursectl\. Did you mean JWT_SECRET\?\nwarning: In the environment, COURSECTL_PORT is no setting of coursectl\. Did you mean PORT\?\nerror: JWT_SECRET must be set in production; [^\n]+\n$/,
    );
    expect(stderr).not.to.include('very-secret-words');
  });

  it('cause only one warning even if a command reads the settings twice, and no warning with --json or --quiet', async () => {
    dotenv('POTR=1\n');
    const { stderr } = await cli.run(['migrate', 'up']);
    expect(stderr.match(/warning: In \.env, POTR/g)).to.have.lengthOf(1);
    for (const option of ['--json', '--quiet']) expect((await cli.run(['config', option])).stderr).to.equal('');
  });

  it('are escaped for the terminal', async () => {
    const { stderr } = await cli.run(['config'], { env: { 'COURSECTL_\u001b[31m': 'x' } });
    expect(stderr).to.include('COURSECTL_\\u001b[31m is no setting');
  });
});

describe('A .env file', () => {
  const cli = useCommandLine(() => ({ NODE_ENV: 'test' }));
  const dotenv = (content: string | Uint8Array) => writeFileSync(path.join(cli.folder, '.env'), content);
  const warnings = () => settingWarnings({ env: {}, cwd: cli.folder });

  it('causes a warning for each ignored line, without its content', async () => {
    dotenv('PORT 8080\r\n\r\n# a comment\r\nLOG_LEVEL=warn\r\nexport PORT\r\n=1\r\n');
    expect(warnings()).to.deep.equal(
      [1, 5, 6].map((line) => `In .env, line ${line} has no effect: a setting is written NAME=value.`),
    );
    const { stderr } = await cli.run(['config']);
    expect(stderr).to.match(/^warning: In \.env, line 1 has no effect/);
    expect(stderr).not.to.include('8080');
  });

  it('may have settings in each form of dotenv', () => {
    dotenv(
      "\ufeffPORT=1\nLOG_LEVEL: warn\n  export HOST = ::1 # all\nJWT_SECRET=\"one\ntwo = '\n\"\nDATA_DIR='a\nb'\nTRUST_PROXY=\n",
    );
    expect(warnings()).to.deep.equal([]);
  });

  it('is refused in UTF-16', async () => {
    for (const mark of ['\ufeff', '']) {
      dotenv(Buffer.from(`${mark}DATABASE_URL=mysql://u:p@h/x\r\n`, 'utf16le'));
      const { exitCode, stderr } = await cli.run(['config']);
      expect([exitCode, stderr]).to.deep.equal([1, 'error: The file .env is not in UTF-8. Save it as UTF-8.\n']);
    }
  });
});
