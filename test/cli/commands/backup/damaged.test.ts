import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../../../src/config/config.js';
import { openDatabase } from '../../../../src/db/connection.js';
import { readManifest, writeManifest } from '../../../../src/services/maintenance/backup/manifest.js';
import { restoreBackup } from '../../../../src/services/maintenance/backup/restore.js';
import { failureOf } from '../../../db/support/failure.js';
import { elsewhere, pathsIn, useInstallation } from './support/installation.js';

describe('coursectl restore, of a damaged backup', () => {
  const cli = useInstallation(2);
  const inBackup = (name: string) => path.join(cli.folder, 'copy', name);

  beforeEach(async () => {
    expect((await cli.run(['backup', 'copy'])).exitCode).to.equal(0);
    cpSync(inBackup(''), path.join(cli.folder, 'sound'), { recursive: true });
  });

  const makeSound = () => {
    rmSync(inBackup(''), { recursive: true });
    cpSync(path.join(cli.folder, 'sound'), inBackup(''), { recursive: true });
  };

  async function refused(words: RegExp) {
    const { exitCode, said } = await cli.refusal(['restore', 'copy'], { env: elsewhere });
    expect(exitCode).to.equal(1);
    expect(said).to.match(words);
    expect(existsSync(path.join(cli.folder, 'elsewhere')), 'nothing is written').to.equal(false);
  }

  it('refuses each file that is changed, truncated or missing', async () => {
    const parts = pathsIn(inBackup('')).filter((name) => name !== 'manifest.json');
    expect(parts).to.have.length(3);
    for (const part of parts) {
      const bytes = readFileSync(inBackup(part));
      const middle = Math.floor(bytes.length / 2);
      bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
      writeFileSync(inBackup(part), bytes);
      await refused(/is damaged: .* has another SHA-256 hash than the manifest names\. Use another backup\.$/);
      writeFileSync(inBackup(part), bytes.subarray(0, -1));
      await refused(/is damaged: .* has \d+ bytes instead of \d+\. Use another backup\.$/);
      rmSync(inBackup(part));
      await refused(/is damaged: .* is missing\. Use another backup\.$/);
      symlinkSync('/etc/hostname', inBackup(part));
      await refused(/is damaged: .* isn't a regular file\. Use another backup\.$/);
      makeSound();
    }
  });

  it('refuses a file that is not part of it', async () => {
    writeFileSync(inBackup('files/material/extra'), '');
    await refused(/files\/material\/extra isn't part of the backup\. Remove it, and try again\.$/);
  });

  it('refuses a manifest with any byte changed', async () => {
    const sound = readFileSync(inBackup('manifest.json'));
    for (let at = 0; at < sound.length; at += 37) {
      const bytes = Buffer.from(sound);
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      // White space has no meaning in JSON, and a later version has words of its own.
      if (/\s/.test(String.fromCharCode(sound.readUInt8(at)))) continue;
      writeFileSync(inBackup('manifest.json'), bytes);
      await refused(/manifest\.json of the backup .* is damaged\. Use another backup\.$|made by a newer program/);
    }
  }).timeout(60_000);

  it('refuses a manifest that is truncated, or names files elsewhere', async () => {
    const sound = readFileSync(inBackup('manifest.json'), 'utf8');
    writeFileSync(inBackup('manifest.json'), sound.slice(0, -30));
    await refused(/is damaged/);
    writeFileSync(inBackup('manifest.json'), sound.replace(/"key": "[^"]*"/, '"key": "../../outside"'));
    await refused(/is damaged/);
    writeFileSync(inBackup('manifest.json'), '[]');
    await refused(/is damaged/);
  });

  it('refuses a backup without a manifest, and a folder without a backup', async () => {
    rmSync(inBackup('manifest.json'));
    await refused(/is incomplete: it has no manifest\.json, because it was interrupted\. Use another backup\.$/);
    rmSync(inBackup(''), { recursive: true });
    await refused(/^There is no backup in .*copy\. Name the folder of a backup\.$/);
  });

  it('refuses a manifest that is a link, a pipe or a folder, or names a file twice', async () => {
    const file = inBackup('manifest.json');
    cpSync(file, path.join(cli.folder, 'manifest.json'));
    rmSync(file);
    symlinkSync('../manifest.json', file);
    await refused(/contains a symbolic link in place of a file: check who created it\.$/);
    rmSync(file);
    execFileSync('mkfifo', [file]);
    await refused(/is damaged/);
    rmSync(file);
    mkdirSync(file);
    await refused(/is damaged/);
    rmSync(file, { recursive: true });
    cpSync(path.join(cli.folder, 'manifest.json'), file);
    const manifest = await readManifest(inBackup(''));
    const files = manifest?.files ?? [];
    if (manifest) await writeManifest(inBackup(''), { ...manifest, files: [...files, ...files] });
    await refused(/is damaged/);
    // Of zeros that need no disk.
    truncateSync(file, 3 * 2 ** 30);
    await refused(/is damaged/);
  });

  it('refuses a manifest of SQLite without a database', async () => {
    const manifest = await readManifest(inBackup(''));
    rmSync(inBackup('database.sqlite'));
    if (manifest) await writeManifest(inBackup(''), { ...manifest, database: null });
    await refused(/is damaged/);
  });

  it('refuses a newer manifest', async () => {
    const manifest = JSON.parse(readFileSync(inBackup('manifest.json'), 'utf8')) as object;
    writeFileSync(inBackup('manifest.json'), JSON.stringify({ ...manifest, version: 2 }));
    await refused(/was made by a newer program\. Update coursectl\.$/);
  });

  /** Changes the database of the backup, and the manifest with it. */
  async function changeDatabase(statements: readonly string[], edit: (file: Buffer) => void = () => undefined) {
    const manifest = await readManifest(inBackup(''));
    if (!manifest?.database) throw new Error('The backup has no database.');
    const database = openDatabase({ dialect: 'sqlite', file: inBackup('database.sqlite') });
    try {
      for (const sql of ['PRAGMA foreign_keys = OFF', 'PRAGMA journal_mode = DELETE', ...statements])
        await database.sequelize.query(sql);
    } finally {
      await database.close();
    }
    const bytes = readFileSync(inBackup('database.sqlite'));
    edit(bytes);
    writeFileSync(inBackup('database.sqlite'), bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await writeManifest(inBackup(''), { ...manifest, database: { bytes: bytes.length, sha256 } });
  }

  async function refusedWhenChecked(words: RegExp, part = '') {
    const { exitCode, said } = await cli.refusal(['restore', 'copy'], { env: elsewhere });
    expect(exitCode).to.equal(1);
    expect(said).to.match(words);
    expect(said.includes(part), said).to.equal(true);
    expect(pathsIn(path.join(cli.folder, 'elsewhere')), 'nothing stays').to.deep.equal([]);
  }

  it('refuses a database that is newer than the program', async () => {
    await changeDatabase(["INSERT INTO SequelizeMeta (name) VALUES ('99991231235959-newer.cjs')"]);
    await refusedWhenChecked(/is newer than this program \(99991231235959-newer\.cjs\)\. Update coursectl\.$/);
  });

  it('refuses a database whose rows refer to none', async () => {
    await changeDatabase(["UPDATE courses SET trainer_id = '00000000-0000-0000-0000-000000000000'"]);
    await refusedWhenChecked(/is damaged: a row of courses refers to no row of users\. Use another backup\.$/);
  });

  const zeros = '00000000-0000-0000-0000-000000000000';
  const insertImport = (fields: Record<string, string>) => {
    const values = {
      id: zeros,
      number: '1',
      status: 'completed',
      origin: 'http',
      file_name: 'people.csv',
      file_path: `/data/imports/${zeros}/upload.csv`,
      file_sha256: '',
      options_json: '{}',
      created_at: '2026-01-01 00:00:00.000 +00:00',
      ...fields,
    };
    const literals = Object.values(values).map((value) => `'${value}'`);
    return `INSERT INTO imports (${Object.keys(values).join(', ')}) VALUES (${literals.join(', ')})`;
  };
  const foreign: Record<string, { sql: string; named: string }> = {
    'the id of an import': { sql: insertImport({ id: '../../../victim' }), named: 'import: "../../../victim"' },
    'the id of an import at a terminal': {
      sql: insertImport({ id: '/victim', origin: 'cli' }),
      named: 'import: "/victim"',
    },
    'an upload': {
      sql: insertImport({ file_path: '/victim/upload.csv' }),
      named: `import ${zeros}: "/victim/upload.csv"`,
    },
    'the folder of an import': {
      sql: insertImport({ file_path: `/data/imports/${zeros}/..` }),
      named: `import ${zeros}: "/data/imports/${zeros}/.."`,
    },
    'bytes in place of text': {
      sql: insertImport({}).replace(`'/data/imports/${zeros}/upload.csv'`, "X'2f76696374696d'"),
      named: `import ${zeros}: bytes.`,
    },
    passwords: { sql: insertImport({ credentials_file: '/victim/x.csv' }), named: `import ${zeros}: "/victim/x.csv"` },
    'rejected rows': {
      sql: insertImport({ rejects_file: `/data/imports/${zeros}/../../x.csv` }),
      named: `import ${zeros}: "/data/imports/${zeros}/../../x.csv"`,
    },
    'rejected rows at a terminal': {
      sql: insertImport({ origin: 'cli', rejects_file: '/data/imports/../../x.csv' }),
      named: `import ${zeros}: "/data/imports/../../x.csv"`,
    },
    'a material': {
      sql: "UPDATE files SET storage_key = 'material/../../victim' WHERE id = (SELECT MIN(id) FROM files)",
      named: ': "material/../../victim"',
    },
    'a trigger, which could name files later,': {
      sql: "CREATE TRIGGER t AFTER DELETE ON leases BEGIN UPDATE files SET storage_key = '../../x'; END",
      named: ': trigger: "t".',
    },
    'a file of others in the bucket': {
      sql: "UPDATE files SET storage_key = 'logs/today.gz' WHERE id = (SELECT MIN(id) FROM files)",
      named: ': "logs/today.gz"',
    },
    'the picture of a person': {
      sql: "UPDATE users SET avatar = 'https://example.org/seen.png'",
      named: ': "https://example.org/seen.png"',
    },
    'the picture of a course': {
      sql: "UPDATE courses SET thumbnail = '/api/images/../imports'",
      named: ': "/api/images/../imports"',
    },
  };
  for (const [what, { sql, named }] of Object.entries(foreign))
    it(`refuses a database that has ${what} outside of its folders`, async () => {
      await changeDatabase([sql]);
      await refusedWhenChecked(
        /^The database of the backup \S+ has what this program never writes, .*Nothing was restored\. Use another backup, /,
        named,
      );
    });

  const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n';
  const foreignParts: Record<string, { statements: string[]; named: string }> = {
    'an endless view in place of a table': {
      statements: ['DROP TABLE sessions', `CREATE VIEW sessions AS ${endless}`],
      named: ': view: "sessions".',
    },
    'a virtual table': { statements: ['CREATE VIRTUAL TABLE v USING fts5(a)'], named: ': virtual table: "v".' },
  };
  for (const [what, { statements, named }] of Object.entries(foreignParts))
    it(`refuses a database with ${what}`, async () => {
      await changeDatabase(statements);
      await refusedWhenChecked(/ has what this program never writes, .*Nothing was restored\./, named);
    });

  it('refuses a trigger whose type is in capitals, which SQLite runs', async () => {
    await changeDatabase(['CREATE TRIGGER t AFTER DELETE ON leases BEGIN DELETE FROM users; END'], (bytes) => {
      const row = bytes.indexOf('triggertleases');
      expect(row).to.be.above(0);
      bytes.write('TRIGGER', row);
    });
    await refusedWhenChecked(/ has what this program never writes, /, ': trigger: "t".');
  });

  it('names the first of many such rows', async () => {
    await changeDatabase([
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n WHERE i < 9)
       INSERT INTO files (id, kind, state, storage_key, name, content_type, bytes, created_at)
       SELECT i, 'material', 'live', '../' || i, 'x', 'x', 1, '2026-01-01' FROM n`,
    ]);
    await refusedWhenChecked(/: file 1: "\.\.\/1"; .*; file 5: "\.\.\/5"; 4 more\. Nothing was restored\./);
  });

  it('restores what operators have chosen at a terminal', async () => {
    await changeDatabase([insertImport({ origin: 'cli', file_path: '/home/ada/a.csv', rejects_file: 'C:\\bad..csv' })]);
    expect((await cli.run(['restore', 'copy'], { env: elsewhere })).exitCode).to.equal(0);
  });

  it('refuses a backup of another kind of database', async () => {
    const env = { ...elsewhere, DATABASE_URL: 'mysql://nobody@127.0.0.1:1/none' };
    const { said } = await cli.refusal(['restore', 'copy'], { env });
    expect(said).to.match(/is of SQLite, and DATABASE_URL names another kind of database\. Change DATABASE_URL\.$/);
  });

  it('restores nothing of a backup that is changed while it is restored', async () => {
    const folder = inBackup('');
    const last = (await readManifest(folder))?.files?.at(-1)?.key ?? '';
    const context = { ...(await cli.context()), config: loadConfig({ env: elsewhere, cwd: cli.folder }) };
    const onFile = (done: number) => {
      if (done === 1) writeFileSync(inBackup(`files/${last}`), 'Another text.');
    };
    const { signal } = new AbortController();
    const { message } = await failureOf(() => restoreBackup(context, { folder, signal, onFile }));
    expect(message).to.include('changed while it was restored');
    expect(existsSync(path.join(cli.folder, 'elsewhere', 'coursectl.sqlite'))).to.equal(false);
  });
});
