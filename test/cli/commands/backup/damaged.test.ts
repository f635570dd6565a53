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
import { scaled } from '../../../support/machine.js';
import { elsewhere, pathsIn, useInstallation } from './support/installation.js';

describe('coursectl restore with a damaged backup', () => {
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
    const { exitCode, message } = await cli.refusal(['restore', 'copy'], { env: elsewhere });
    expect(exitCode).to.equal(1);
    expect(message).to.match(words);
    expect(existsSync(path.join(cli.folder, 'elsewhere')), 'nothing is written').to.equal(false);
  }

  it('refuses a changed, truncated or missing file', async () => {
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

  it('refuses a file that the manifest does not list', async () => {
    writeFileSync(inBackup('files/material/extra'), '');
    await refused(/files\/material\/extra isn't part of the backup\. Remove it, and try again\.$/);
  });

  it('refuses a manifest that is truncated, changed or newer, or names files outside the folder', async () => {
    const sound = readFileSync(inBackup('manifest.json'), 'utf8');
    const digest = sound.lastIndexOf('"sha256": "') + '"sha256": "'.length;
    for (const damaged of [
      sound.slice(0, -30),
      `${sound.slice(0, digest)}${sound[digest] === '0' ? '1' : '0'}${sound.slice(digest + 1)}`,
      sound.replace(/"key": "[^"]*"/, '"key": "../../outside"'),
      '[]',
    ]) {
      writeFileSync(inBackup('manifest.json'), damaged);
      await refused(/manifest\.json of the backup .* is damaged\. Use another backup\.$/);
    }
    writeFileSync(inBackup('manifest.json'), JSON.stringify({ ...(JSON.parse(sound) as object), version: 2 }));
    await refused(/was made by a newer program\. Update coursectl\.$/);
  });

  it('refuses a backup without a manifest, and a folder without a backup', async () => {
    rmSync(inBackup('manifest.json'));
    await refused(/is incomplete: it has no manifest\.json, because it was interrupted\. Use another backup\.$/);
    rmSync(inBackup(''), { recursive: true });
    await refused(/^There is no backup in .*copy\. Name the folder of a backup\.$/);
  });

  it('refuses a manifest that is a link, pipe, folder or huge, repeats a file or lacks the database', async () => {
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
    // A sparse file takes no space.
    truncateSync(file, 3 * 2 ** 30);
    await refused(/is damaged/);
    rmSync(file);
    rmSync(inBackup('database.sqlite'));
    if (manifest) await writeManifest(inBackup(''), { ...manifest, database: null });
    await refused(/is damaged/);
  });

  /** Changes the database of the backup by statements or by bytes, and updates the manifest. */
  async function changeDatabase(statements: readonly string[], [from = '', to = '']: readonly string[] = []) {
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
    bytes.write(to, bytes.indexOf(from));
    writeFileSync(inBackup('database.sqlite'), bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await writeManifest(inBackup(''), { ...manifest, database: { bytes: bytes.length, sha256 } });
  }

  async function refusedWhenChecked(words: RegExp, part = '') {
    const { exitCode, message } = await cli.refusal(['restore', 'copy'], { env: elsewhere });
    expect(exitCode).to.equal(1);
    expect(message).to.match(words);
    expect(message.includes(part), message).to.equal(true);
    expect(pathsIn(path.join(cli.folder, 'elsewhere')), 'nothing stays').to.deep.equal([]);
  }

  it('refuses a database with a newer schema or broken foreign keys', async () => {
    await changeDatabase(["INSERT INTO SequelizeMeta (name) VALUES ('99991231235959-newer.cjs')"]);
    await refusedWhenChecked(/is newer than this program \(99991231235959-newer\.cjs\)\. Update coursectl\.$/);
    makeSound();
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
  const ofImport = (value: string) => `import ${zeros}: "${value}"`;
  const keyOfFile = (key: string) => `UPDATE files SET storage_key = '${key}' WHERE id = (SELECT MIN(id) FROM files)`;
  const upOf = `/data/imports/${zeros}/../../x.csv`;
  const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n';
  /** Contents of a hostile database, and their names in the refusal. */
  const foreign: [statements: string[], named: string, bytes?: [from: string, to: string]][] = [
    [[insertImport({ id: '../../../victim' })], 'import: "../../../victim"'],
    [[insertImport({ id: '/victim', origin: 'cli' })], 'import: "/victim"'],
    [[insertImport({ file_path: '/victim/upload.csv' })], ofImport('/victim/upload.csv')],
    [[insertImport({ file_path: `/data/imports/${zeros}/..` })], ofImport(`/data/imports/${zeros}/..`)],
    [[insertImport({}).replace(`'/data/imports/${zeros}/upload.csv'`, "X'2f76696374696d'")], `import ${zeros}: bytes.`],
    [[insertImport({ credentials_file: '/victim/x.csv' })], ofImport('/victim/x.csv')],
    [[insertImport({ rejects_file: upOf })], ofImport(upOf)],
    [[insertImport({ origin: 'cli', rejects_file: upOf })], ofImport(upOf)],
    [[keyOfFile('material/../../victim')], ': "material/../../victim"'],
    [[keyOfFile('logs/today.gz')], ': "logs/today.gz"'],
    [["UPDATE users SET avatar = 'https://example.org/seen.png'"], ': "https://example.org/seen.png"'],
    [["UPDATE courses SET thumbnail = '/api/images/../imports'"], ': "/api/images/../imports"'],
    [["CREATE TRIGGER t AFTER DELETE ON leases BEGIN UPDATE files SET storage_key = 'x'; END"], ': trigger: "t".'],
    // SQLite runs this trigger, although its type is misspelt.
    [
      ['CREATE TRIGGER t AFTER DELETE ON leases BEGIN DELETE FROM users; END'],
      ': trigger: "t".',
      ['triggertleases', 'TRIGGER'],
    ],
    [['DROP TABLE sessions', `CREATE VIEW sessions AS ${endless}`], ': view: "sessions".'],
    [['CREATE VIRTUAL TABLE v USING fts5(a)'], ': virtual table: "v".'],
    [['CREATE INDEX i ON leases (name, hex(zeroblob(length(name))))'], ': index with an expression: "i".'],
    [['CREATE UNIQUE INDEX i ON users (email) WHERE hex(zeroblob(9)) > email'], ': index with an expression: "i".'],
    [
      [
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n WHERE i < 9)
         INSERT INTO files (id, kind, state, storage_key, name, content_type, bytes, created_at)
         SELECT i, 'material', 'live', '../' || i, 'x', 'x', 1, '2026-01-01' FROM n`,
      ],
      '; file 5: "../5"; 4 more. Nothing was restored.',
    ],
  ];
  it('refuses a database that names files outside its folders, or could do so later', async () => {
    for (const [statements, named, bytes] of foreign) {
      await changeDatabase(statements, bytes);
      await refusedWhenChecked(
        /^The database of the backup \S+ has data that this program never writes, .*Nothing was restored\. Use another backup, /,
        named,
      );
      makeSound();
    }
  }).timeout(scaled(60_000));

  it('restores file paths that operators chose at a terminal', async () => {
    await changeDatabase([insertImport({ origin: 'cli', file_path: '/home/ada/a.csv', rejects_file: 'C:\\bad..csv' })]);
    expect((await cli.run(['restore', 'copy'], { env: elsewhere })).exitCode).to.equal(0);
  });

  it('refuses a backup of another kind of database', async () => {
    const env = { ...elsewhere, DATABASE_URL: 'mysql://nobody@127.0.0.1:1/none' };
    const { message } = await cli.refusal(['restore', 'copy'], { env });
    expect(message).to.match(/is of SQLite, and DATABASE_URL names another kind of database\. Change DATABASE_URL\.$/);
  });

  it('restores nothing if the backup changes during the restore', async () => {
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
