import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import type { Course } from '../../../../src/db/models/course.js';
import type { User } from '../../../../src/db/models/user.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildCourse, buildMaterial, buildUser } from '../../../support/factories.js';
import { useHarness } from '../../../support/harness.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { keys } from '../../../support/terminal.js';

interface Listing {
  files: { id: string; name: string; contentType: string; bytes: number; createdAt: string }[];
  pagination: { totalItems: number };
}

/** Bytes that are no text in any encoding. */
const binary = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256));

describe('files of courses at the command line', () => {
  const harness = useHarness();
  // Files lie in the data folder of the command's own folder: new for each test.
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl }));
  const at = (name: string) => path.join(cli.folder, name);
  const stored = () =>
    (existsSync(at('data/files'))
      ? readdirSync(at('data/files'), { recursive: true, withFileTypes: true })
      : []
    ).filter((entry) => entry.isFile());
  const underWay = () => (existsSync(at('data/uploads')) ? readdirSync(at('data/uploads')) : []);
  const refusal = (argv: readonly string[], env: Record<string, string> = {}) =>
    cli.refusal(argv, { env: { ...cli.env, ...env } });
  const actions = async () =>
    (await harness.context.database.models.AuditEntry.findAll({ order: [['id', 'ASC']] })).map(
      ({ action, origin }) => `${action} ${origin}`,
    );

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
      expect(await actions()).to.deep.equal(['course.add-file cli']);
    });

    it('names the file after the last part of its path, and prints it with --json', async () => {
      mkdirSync(at('folder'));
      writeFileSync(at('folder/a.txt'), 'a');
      const { file } = await cli.json<{ file: object }>(['courses', 'files', 'add', course.id, './folder/a.txt']);
      expect(file).to.include({ name: 'a.txt', contentType: 'text/plain', bytes: 1 });
      expect(Object.keys(file)).to.deep.equal(['id', 'name', 'contentType', 'createdAt', 'bytes']);
    });

    it('refuses what the API refuses: too large, of another type, too much altogether', async () => {
      writeFileSync(at('a.txt'), 'x'.repeat(1025));
      const add = ['courses', 'files', 'add', 'Bees', 'a.txt'];
      expect(await refusal(add, { FILE_MATERIAL_MAX_BYTES: '1024' })).to.deep.equal({
        exitCode: 1,
        said: 'The file has more than 1024 bytes.',
      });
      expect(await refusal(add, { FILE_MATERIAL_TYPES: 'pdf,mp4' })).to.deep.equal({
        exitCode: 2,
        said: 'The file must be of one of these types: pdf, mp4.',
      });
      await buildMaterial(await cli.context(), course, {}, 'x'.repeat(1000));
      expect(await refusal(add, { FILE_COURSE_QUOTA_BYTES: '1500' })).to.deep.equal({
        exitCode: 1,
        said: "The course's files may have 1500 bytes altogether, and have 1000. Delete some first.",
      });
      expect(underWay()).to.deep.equal([]);
      expect(stored()).to.have.lengthOf(1);
      expect(readFileSync(at('a.txt'), 'utf8')).to.have.lengthOf(1025);
    });

    it('reports a file that can not be read', async () => {
      mkdirSync(at('folder'));
      const add = (file: string) => refusal(['courses', 'files', 'add', 'Bees', file]);
      expect(await add('gone.txt')).to.deep.equal({ exitCode: 2, said: 'The file gone.txt does not exist.' });
      expect(await add('folder')).to.deep.equal({ exitCode: 2, said: 'The file folder is a folder.' });
      expect(underWay()).to.deep.equal([]);
    });

    it('reports a copy that can not be stored', async () => {
      writeFileSync(at('a.txt'), 'a');
      writeFileSync(at('data'), 'in the way');
      const { exitCode, said } = await refusal(['courses', 'files', 'add', 'Bees', 'a.txt']);
      expect({ exitCode, said }).to.deep.equal({
        exitCode: 1,
        said: `The folder "${at('data/uploads')}" isn't a folder: check the path.`,
      });
    });

    it('looks up the course before it reads the file', async () => {
      const { exitCode, said } = await refusal(['courses', 'files', 'add', 'Wasps', 'gone.txt']);
      expect({ exitCode, said }).to.deep.equal({
        exitCode: 1,
        said: 'Course not found: Wasps. To list them: coursectl courses list',
      });
    });

    it('leaves no file when it is interrupted', async () => {
      writeFileSync(at('a.txt'), 'a');
      const { exitCode } = await cli.run(['courses', 'files', 'add', 'Bees', 'a.txt'], { signal: AbortSignal.abort() });
      expect(exitCode).to.equal(130);
      expect([underWay(), stored()]).to.deep.equal([[], []]);
    });
  });

  describe('coursectl courses files list', () => {
    it('shows a table for people, newest first, with the page below', async () => {
      const context = await cli.context();
      await buildMaterial(context, course, { name: 'old.txt' });
      await buildMaterial(context, course, { name: 'new.txt' }, 'new');
      const { stdout, stderr } = await cli.run(['courses', 'files', 'list', 'Bees', '--limit', '1']);
      const [heading, first] = stdout.split('\n');
      expect(heading).to.match(/^NAME +TYPE +BYTES +ADDED +ID$/);
      expect(first).to.match(/^new\.txt +text\/plain +3 +\d{4}-\S+Z +[\da-f-]{36}$/);
      expect(stderr).to.equal('Page 1 of 2, 2 files. Add --page 2 for the next page, or --limit all.\n');
    });

    it('says so when there are none, or no course', async () => {
      expect((await cli.run(['courses', 'files', 'list', 'Bees'])).stderr).to.equal('No files.\n');
      expect(await refusal(['courses', 'files', 'list', 'Wasps'])).to.deep.equal({
        exitCode: 1,
        said: 'Course not found: Wasps. To list them: coursectl courses list',
      });
    });
  });

  describe('coursectl courses files remove', () => {
    const remove = (...more: string[]) => ['courses', 'files', 'remove', 'Bees', ...more];

    it('deletes a file without asking with --yes', async () => {
      const { id } = await buildMaterial(await cli.context(), course, { name: 'a.txt' }, 'a');
      const { exitCode, stdout } = await cli.run(remove(id, '--yes'));
      expect({ exitCode, stdout }).to.deep.equal({
        exitCode: 0,
        stdout: `Removed a.txt (1 byte) from "Bees" (${course.id}).\n`,
      });
      expect(stored()).to.deep.equal([]);
      expect(await actions()).to.deep.equal(['course.remove-file cli']);
      expect(await refusal(remove(id, '--yes'))).to.deep.equal({
        exitCode: 1,
        said: `File not found: ${id}. To list them: coursectl courses files list <course>`,
      });
    });

    it('asks at a terminal, and keeps it after a no', async () => {
      const { id } = await buildMaterial(await cli.context(), course, { name: 'a.txt' }, 'a');
      const asked = ['Remove this file? (y/N)', keys.enter] as const;
      const { exitCode } = await cli.atTerminal(remove(id), [[`a.txt (1 byte) of "Bees"`, ''], asked]);
      expect(exitCode).to.equal(1);
      expect(stored()).to.have.lengthOf(1);
      await cli.atTerminal(remove(id), [['Remove this file?', `y${keys.enter}`]]);
      expect(stored()).to.deep.equal([]);
    });
  });

  describe('coursectl courses thumbnail', () => {
    it('replaces the picture of the course and keeps the original file', async () => {
      await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } }).toFile(at('bee.png'));
      const { imageUrl } = await cli.json<{ imageUrl: string }>(['courses', 'thumbnail', 'Bees', 'bee.png']);
      expect((await course.reload()).thumbnail).to.equal(imageUrl);
      const { stdout } = await cli.run(['courses', 'thumbnail', 'Bees', 'bee.png']);
      const { thumbnail } = await course.reload();
      expect(stdout).to.equal(`"Bees" (${course.id}) has a new picture: ${thumbnail}\n`);
      expect(thumbnail).not.to.equal(imageUrl);
      expect(stored()).to.have.lengthOf(1);
      expect([existsSync(at('bee.png')), underWay()]).to.deep.equal([true, []]);
      expect(await actions()).to.deep.equal(['course.thumbnail cli', 'course.thumbnail cli']);
    });

    it('takes the picture away again, having asked', async () => {
      await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } }).toFile(at('bee.png'));
      await cli.run(['courses', 'thumbnail', 'Bees', 'bee.png']);
      const remove = ['courses', 'remove-thumbnail', 'Bees'];
      const { exitCode } = await cli.atTerminal(remove, [['Remove this picture?', `n${keys.enter}`]]);
      expect(exitCode).not.to.equal(0);
      expect(stored()).to.have.lengthOf(1);
      expect(await cli.json([...remove, '--yes'])).to.deep.equal({ removed: true });
      expect((await course.reload()).thumbnail).to.equal(null);
      expect(stored()).to.deep.equal([]);
      const { stdout } = await cli.run([...remove, '--yes']);
      expect(stdout).to.equal(`"Bees" (${course.id}) has no picture.\n`);
    });

    it('refuses files that are no picture or too large', async () => {
      writeFileSync(at('bee.png'), 'no picture'.repeat(200));
      const give = ['courses', 'thumbnail', 'Bees', 'bee.png'];
      expect(await refusal(give)).to.deep.equal({
        exitCode: 2,
        said: 'The image must be a JPEG, PNG or WebP picture.',
      });
      expect(await refusal(give, { FILE_IMAGE_MAX_BYTES: '1024' })).to.deep.equal({
        exitCode: 1,
        said: 'The file has more than 1024 bytes.',
      });
      expect([stored(), underWay()]).to.deep.equal([[], []]);
      expect((await course.reload()).thumbnail).to.equal(null);
    });
  });
});
