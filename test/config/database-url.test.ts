import path from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.js';
import { failureOf } from '../db/support/failure.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Folder without a `.env`. */
const folder = temporaryFolder();
after(() => folder.remove());

const load = (env: Record<string, string>) => loadConfig({ env, cwd: folder.path });
const problemsWith = async (env: Record<string, string>) =>
  (await failureOf(() => load(env))).details.map(({ path, message }) => ({ path, message }));

describe('DATABASE_URL and DB_*', () => {
  const database = (env: Record<string, string>) => load(env).database;
  const server = { dialect: 'mysql', tls: 'off', poolMax: 10, poolAcquireMs: 3000 };

  it('default to an SQLite file in DATA_DIR, and accept other files, relative to the working directory', () => {
    const files: [env: Record<string, string>, file: string][] = [
      [{}, path.join(folder.path, 'data', 'coursectl.sqlite')],
      [{ DATA_DIR: '/srv/d' }, '/srv/d/coursectl.sqlite'],
      [{ DATABASE_URL: 'sqlite:db/a.sqlite' }, path.join(folder.path, 'db/a.sqlite')],
      [{ DATABASE_URL: 'sqlite://db/a.sqlite' }, path.join(folder.path, 'db/a.sqlite')],
      [{ DATABASE_URL: 'sqlite:///srv/a.sqlite' }, '/srv/a.sqlite'],
      [{ DATABASE_URL: 'sqlite:/srv/a.sqlite' }, '/srv/a.sqlite'],
      [{ DATABASE_URL: 'SQLITE:a b.sqlite' }, path.join(folder.path, 'a b.sqlite')],
    ];
    for (const [env, file] of files)
      expect(database(env), JSON.stringify(env)).to.deep.equal({ dialect: 'sqlite', file });
  });

  it('refuse SQLite in memory, because every connection would have its own database', async () => {
    for (const url of ['sqlite::memory:', 'sqlite://:memory:', 'sqlite:', 'sqlite://', 'sqlite:db/']) {
      const [problem, ...others] = await problemsWith({ DATABASE_URL: url });
      expect(problem?.message, url).to.equal(
        'DATABASE_URL must name a file after "sqlite:", such as sqlite:data/coursectl.sqlite.',
      );
      expect(others).to.deep.equal([]);
    }
  });

  it('accept MySQL and MariaDB servers', () => {
    const servers = {
      'mysql://app:secret@db.example.org:33097/courses': { host: 'db.example.org', port: 33097, password: 'secret' },
      'mariadb://app@db/courses': { host: 'db', port: 3306, password: '' },
      'mysql://app:p%40ss%2Fw%C3%B6rd%25@db/courses': { host: 'db', port: 3306, password: 'p@ss/wörd%' },
      'mysql://app:secret@[::1]:3307/courses': { host: '::1', port: 3307, password: 'secret' },
    };
    for (const [url, expected] of Object.entries(servers)) {
      expect(database({ DATABASE_URL: url }), url).to.deep.equal({
        ...server,
        ...expected,
        user: 'app',
        name: 'courses',
      });
    }
    expect(database({ DATABASE_URL: 'mysql://us%2Fer:x@db/na%C3%AFve' })).to.include({ user: 'us/er', name: 'naïve' });
  });

  it('name the rule for a wrong URL', async () => {
    const expected = {
      'postgres://app@db/courses': 'must be sqlite:<file> or mysql://',
      courses: 'must be sqlite:<file> or mysql://',
      'mysql:///courses': 'must be sqlite:<file> or mysql://',
      'mysql://app@db/courses?ssl=true': 'must be sqlite:<file> or mysql://',
      'mysql://app:half#secret@db/courses': 'must be sqlite:<file> or mysql://',
      'mysql://app@db': 'must end with the name of the database',
      'mysql://app@db/': 'must end with the name of the database',
      'mysql://app@db/courses/2': 'must end with the name of the database',
      'mysql://app:100%@db/courses': 'must have special characters percent-encoded',
    };
    for (const [url, sentence] of Object.entries(expected)) {
      const [problem, ...others] = await problemsWith({ DATABASE_URL: url });
      expect(problem?.message, url).to.include(`DATABASE_URL ${sentence}`);
      expect(others).to.deep.equal([]);
    }
    for (const password of ['p@ss#w/d', 'p/d', '1/d', 'p#d', 'p?d', '100%']) {
      const [problem] = await problemsWith({ DATABASE_URL: `mysql://app:${password}@db/courses` });
      expect(problem?.message, password)
        .to.match(/percent-encoded/)
        .and.not.include(password);
    }
  });

  it('accept separate settings instead of a URL, with at least a name and a user', async () => {
    const env = { DB_HOST: 'db', DB_PORT: '3307', DB_NAME: 'courses', DB_USER: 'app', DB_PASSWORD: 's' };
    const expected = { host: 'db', port: 3307, name: 'courses', user: 'app', password: 's' };
    expect(database(env)).to.deep.equal({ ...server, ...expected });
    expect(await problemsWith({ DB_HOST: 'db' })).to.deep.equal([
      { path: 'DB_NAME', message: 'DB_NAME must be set when DB_HOST is.' },
      { path: 'DB_USER', message: 'DB_USER must be set when DB_HOST is.' },
    ]);
    const [problem] = await problemsWith({ DB_NAME: 'n'.repeat(65), DB_USER: 'app' });
    expect(problem?.message).to.match(/^DB_NAME .* 64 characters/);
  });

  it('exclude each other, but share the settings that a URL does not contain', async () => {
    for (const url of ['sqlite:a.sqlite', 'mysql://app@db/courses']) {
      const message = 'DATABASE_URL must not be combined with DB_HOST, DB_PASSWORD: set one or the other.';
      const problems = await problemsWith({ DATABASE_URL: url, DB_HOST: 'db', DB_PASSWORD: 'x' });
      expect(problems).to.deep.equal([{ path: 'DATABASE_URL', message }]);
    }
    const tls = { DB_TLS: 'required', DB_TLS_CA_FILE: 'ca.pem', DB_POOL_MAX: '3' };
    const expected = { tls: 'required', tlsCaFile: path.join(folder.path, 'ca.pem'), poolMax: 3 };
    expect(database({ DATABASE_URL: 'mysql://app@db/courses', ...tls })).to.include(expected);
  });
});
