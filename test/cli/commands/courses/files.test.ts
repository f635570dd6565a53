import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import sharp from 'sharp';
import type { Course } from '../../../../src/db/models/course.js';
import type { User } from '../../../../src/db/models/user.js';
import { buildCourse, buildMaterial, buildUser } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { keys } from '../../../support/terminal.js';

interface Listing {
  files: { id: string; name: string; contentType: string; bytes: number; createdAt: string }[];
  pagination: { totalItems: number };
}

/** Bytes that are not text in any encoding. */
const binary = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256));

describe('files of courses at the command line', () => {
  // Each test has a new data folder, because files are stored there.
  const { harness, cli, audited } = useHarnessAndCli();
  const at = (name: string) => path.join(cli.folder, name);
  const stored = () =>
    (existsSync(at('data/files'))
      ? readdirSync(at('data/files'), { recursive: true, withFileTypes: true })
      : []
    ).filter((entry) => entry.isFile());
  const underWay = () => (existsSync(at('data/uploads')) ? readdirSync(at('data/uploads')) : []);
  const refusal = (argv: readonly string[], env: object = {}) => cli.refusal(argv, { env: { ...cli.env, ...env } });

  let trainer: User;
  let course: Course;
  beforeEach(async () => {
    trainer = await buildUser(harness.context, { role: 'trainer' });
    course = await buildCourse(harness.context, trainer, { title: 'Bees' });
  });

  describe('coursectl courses files add', () => {
    it('adds a copy and keeps the original file', async () => {
      writeFileSync(at('Bienenkörbe.pdf'), binary);
      const { exitCode, stdout, stderr } = await cli.run(['courses', 'files', 'add', 'Bees', 'Bienenkörbe.pdf']);
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
      const { files } = await cli.json<Listing>(['courses', 'files', 'list', 'Bees']);
      expect(files.map(({ name, contentType, bytes }) => ({ name, contentType, bytes }))).to.deep.equal([
        { name: 'Bienenkörbe.pdf', contentType: 'application/pdf', bytes: binary.length },
      ]);
      expect(stdout).to.equal(
        `Added Bienenkörbe.pdf (100000 bytes) to "Bees" (${course.id}).\nIts id: ${files[0]?.id}\n`,
      );
      expect(readFileSync(at('Bienenkörbe.pdf')).equals(binary)).to.equal(true);
      expect(underWay()).to.deep.equal([]);
      expect(await audited()).to.deep.equal(['course.add-file cli']);
      // The file gets the last part of the path as its name.
      mkdirSync(at('folder'));
      writeFileSync(at('folder/a.txt'), 'a');
      const { file } = await cli.json<{ file: object }>(['courses', 'files', 'add', course.id, './folder/a.txt']);
      expect(file).to.include({ name: 'a.txt', contentType: 'text/plain', bytes: 1 });
      expect(Object.keys(file)).to.deep.equal(['id', 'name', 'contentType', 'createdAt', 'bytes']);
    });

    it('refuses unreadable files and the files that the API refuses, and leaves nothing', async () => {
      writeFileSync(at('a.txt'), 'x'.repeat(1025));
      await buildMaterial(await cli.context(), course, {}, 'x'.repeat(1000));
      const add = ['courses', 'files', 'add', 'Bees'];
      const quota = "The course's files may have 1500 bytes altogether, and have 1000. Delete some first.";
      for (const [env, file, exitCode, message] of [
        [{ FILE_MATERIAL_MAX_BYTES: '1024' }, 'a.txt', 1, 'The file has more than 1024 bytes.'],
        [{ FILE_MATERIAL_TYPES: 'pdf' }, 'a.txt', 2, 'The file must be of one of these types: pdf.'],
        [{ FILE_COURSE_QUOTA_BYTES: '1500' }, 'a.txt', 1, quota],
        [{}, 'gone.txt', 2, 'The file gone.txt does not exist.'],
        [{}, 'data', 2, 'The file data is a folder.'],
      ] as const)
        expect(await refusal([...add, file], env)).to.deep.equal({ exitCode, message });
      const interrupted = await cli.run([...add, 'a.txt'], { signal: AbortSignal.abort() });
      expect(interrupted.exitCode).to.equal(130);
      expect(underWay()).to.deep.equal([]);
      expect(stored()).to.have.lengthOf(1);
      expect(readFileSync(at('a.txt'), 'utf8')).to.have.lengthOf(1025);
    });
  });

  describe('coursectl courses files list', () => {
    it('shows a table, newest file first, with the page below', async () => {
      const context = await cli.context();
      await buildMaterial(context, course, { name: 'old.txt' });
      await buildMaterial(context, course, { name: 'new.txt' }, 'new');
      const { stdout, stderr } = await cli.run(['courses', 'files', 'list', 'Bees', '--limit', '1']);
      const [heading, first] = stdout.split('\n');
      expect(heading).to.match(/^NAME +TYPE +BYTES +ADDED +ID$/);
      expect(first).to.match(/^new\.txt +text\/plain +3 +\d{4}-\S+Z +[\da-f-]{36}$/);
      expect(stderr).to.equal('Page 1 of 2, 2 files. Add --page 2 for the next page, or --limit all.\n');
    });
  });

  describe('coursectl courses files remove', () => {
    const remove = (...more: string[]) => ['courses', 'files', 'remove', 'Bees', ...more];

    it('deletes a file without asking with --yes', async () => {
      const { id } = await buildMaterial(await cli.context(), course, { name: 'a.txt' }, 'a');
      const { stdout } = await cli.run(remove(id, '--yes'));
      expect(stdout).to.equal(`Removed a.txt (1 byte) from "Bees" (${course.id}).\n`);
      expect(stored()).to.deep.equal([]);
      expect(await audited()).to.deep.equal(['course.remove-file cli']);
      const message = `File not found: ${id}. To list them: coursectl courses files list <course>`;
      expect(await refusal(remove(id, '--yes'))).to.deep.equal({ exitCode: 1, message });
    });

    it('asks at a terminal, and keeps the file after a no', async () => {
      const { id } = await buildMaterial(await cli.context(), course, { name: 'a.txt' }, 'a');
      const asked = ['Remove this file? (y/N)', keys.enter] as const;
      const { exitCode } = await cli.atTerminal(remove(id), [[`a.txt (1 byte) of "Bees"`, ''], asked]);
      expect(exitCode).to.equal(1);
      expect(stored()).to.have.lengthOf(1);
      await cli.atTerminal(remove(id), [['Remove this file?', `y${keys.enter}`]]);
      expect(stored()).to.deep.equal([]);
    });
  });

  describe('coursectl courses files get', () => {
    const get = (...more: string[]) => ['courses', 'files', 'get', 'Bees', ...more];

    it('writes the bytes only to standard output, and refuses a terminal', async () => {
      const { id } = await buildMaterial(await cli.context(), course, {}, binary);
      const pieces: Buffer[] = [];
      const stdout = new PassThrough().on('data', (piece: Buffer) => pieces.push(piece));
      const { runProgram } = await import('../../../../src/cli/program.js');
      const io = { stdin: new PassThrough(), stdout, stderr: new PassThrough(), env: cli.env, cwd: cli.folder };
      expect(await runProgram(get(id), { ...io, signal: new AbortController().signal })).to.equal(0);
      expect(Buffer.concat(pieces).equals(binary)).to.equal(true);
      const shown = await cli.run(get(id), { screen: { columns: 80, rows: 24 } });
      expect(shown).to.include({ exitCode: 2, stdout: '' });
      expect(shown.stderr).to.include('A file is not written to a terminal: add --output <file>');
    });

    it('writes a file for --output that only the current user can read', async () => {
      const { id } = await buildMaterial(await cli.context(), course, { name: 'hive.bin' }, binary);
      const { exitCode, stdout } = await cli.run(get(id, '--output', 'mine.bin'));
      expect(exitCode).to.equal(0);
      expect(stdout).to.equal('hive.bin (100000 bytes) written to mine.bin.\n');
      expect(readFileSync(at('mine.bin')).equals(binary)).to.equal(true);
      expect(statSync(at('mine.bin')).mode & 0o777).to.equal(0o600);
      const answer = await cli.json<{ file: object; output: string }>(get(id, '--output', 'again.bin'));
      expect(answer.output).to.equal('again.bin');
      expect(answer.file).to.include({ id, name: 'hive.bin', bytes: binary.length });
    });

    it('creates no file if the course file does not exist', async () => {
      const { id } = await buildMaterial(await cli.context(), await buildCourse(harness.context, trainer));
      const message = `File not found: ${id}. To list them: coursectl courses files list <course>`;
      expect(await refusal(get(id, '--output', 'x'))).to.deep.equal({ exitCode: 1, message });
      expect(existsSync(at('x'))).to.equal(false);
    });

    it('writes nothing if the file is truncated in the storage', async () => {
      const { id, storageKey } = await buildMaterial(await cli.context(), course, {}, binary);
      truncateSync(at(`data/files/${storageKey}`), 1000);
      const { exitCode, message } = await refusal(get(id, '--output', 'x'));
      expect(message).to.equal(
        `The stored file ${storageKey} in ${at('data/files')} has 1000 bytes instead of 100000: check the storage, and restore the file from a backup.`,
      );
      expect([exitCode, existsSync(at('x'))]).to.deep.equal([1, false]);
    });

    it('removes the incomplete file after an interruption or a failure of the storage', async () => {
      const { id } = await buildMaterial(await cli.context(), course, {}, binary);
      const interrupted = await cli.run(get(id, '--output', 'x'), { signal: AbortSignal.abort() });
      expect([interrupted.exitCode, existsSync(at('x'))]).to.deep.equal([130, false]);
      const server = createServer((_request, response) => {
        response.writeHead(200, { 'Content-Length': '100000' }).write('The beginning');
        setTimeout(() => response.destroy(), 50);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      // A server that listens on a port has an AddressInfo.
      const { port } = server.address() as AddressInfo;
      const keys = { S3_ACCESS_KEY_ID: 'me', S3_SECRET_ACCESS_KEY: 'secret' };
      const s3 = { FILE_STORAGE: 's3', S3_ENDPOINT: `http://127.0.0.1:${port}`, S3_BUCKET: 'files', ...keys };
      try {
        const { exitCode, message } = await refusal(get(id, '--output', 'x'), s3);
        expect(message).to.match(
          /^The file storage s3:\/\/files\/ at http:\S+ failed in the middle of the file\. Try again\.$/,
        );
        expect([exitCode, existsSync(at('x'))]).to.deep.equal([1, false]);
      } finally {
        server.close();
      }
    });
  });

  describe('coursectl courses thumbnail', () => {
    it('replaces the image of the course and keeps the original file', async () => {
      await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } }).toFile(at('bee.png'));
      const { imageUrl } = await cli.json<{ imageUrl: string }>(['courses', 'thumbnail', 'Bees', 'bee.png']);
      expect((await course.reload()).thumbnail).to.equal(imageUrl);
      const { stdout } = await cli.run(['courses', 'thumbnail', 'Bees', 'bee.png']);
      const { thumbnail } = await course.reload();
      expect(stdout).to.equal(`"Bees" (${course.id}) has a new image: ${thumbnail}\n`);
      expect(thumbnail).not.to.equal(imageUrl);
      expect(stored()).to.have.lengthOf(1);
      expect([existsSync(at('bee.png')), underWay()]).to.deep.equal([true, []]);
      expect(await audited()).to.deep.equal(['course.thumbnail cli', 'course.thumbnail cli']);
    });

    it('removes the image after a question', async () => {
      await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } }).toFile(at('bee.png'));
      await cli.run(['courses', 'thumbnail', 'Bees', 'bee.png']);
      const remove = ['courses', 'remove-thumbnail', 'Bees'];
      const { exitCode } = await cli.atTerminal(remove, [['Remove this image?', `n${keys.enter}`]]);
      expect(exitCode).not.to.equal(0);
      expect(stored()).to.have.lengthOf(1);
      expect(await cli.json([...remove, '--yes'])).to.deep.equal({ removed: true });
      expect((await course.reload()).thumbnail).to.equal(null);
      expect(stored()).to.deep.equal([]);
      const { stdout } = await cli.run([...remove, '--yes']);
      expect(stdout).to.equal(`"Bees" (${course.id}) has no image.\n`);
    });

    it('refuses files that are not images or too large', async () => {
      writeFileSync(at('bee.png'), 'no image'.repeat(200));
      const give = ['courses', 'thumbnail', 'Bees', 'bee.png'];
      const message = 'The image must be JPEG, PNG or WebP.';
      expect(await refusal(give)).to.deep.equal({ exitCode: 2, message });
      const large = { exitCode: 1, message: 'The file has more than 1024 bytes.' };
      expect(await refusal(give, { FILE_IMAGE_MAX_BYTES: '1024' })).to.deep.equal(large);
      expect([stored(), underWay()]).to.deep.equal([[], []]);
      expect((await course.reload()).thumbnail).to.equal(null);
    });
  });
});
