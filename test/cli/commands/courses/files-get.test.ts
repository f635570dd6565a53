import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import type { Course } from '../../../../src/db/models/course.js';
import type { User } from '../../../../src/db/models/user.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildCourse, buildMaterial, buildUser } from '../../../support/factories.js';
import { useHarness } from '../../../support/harness.js';
import { useCommandLine } from '../../../support/run-cli.js';

/** Bytes that are no text in any encoding. */
const binary = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256));

describe('coursectl courses files get', () => {
  const harness = useHarness();
  // Files lie in the data folder of the command's own folder: new for each test.
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl }));
  const at = (name: string) => path.join(cli.folder, name);
  const refusal = (argv: readonly string[], env: Record<string, string> = {}) =>
    cli.refusal(argv, { env: { ...cli.env, ...env } });

  let trainer: User;
  let course: Course;
  beforeEach(async () => {
    trainer = await buildUser(harness.context, { role: 'trainer' });
    course = await buildCourse(harness.context, trainer, { title: 'Bees' });
  });

  const get = (...more: string[]) => ['courses', 'files', 'get', 'Bees', ...more];

  it('writes the bytes to standard output, and nothing else', async () => {
    const { id } = await buildMaterial(await cli.context(), course, {}, binary);
    const pieces: Buffer[] = [];
    const stdout = new PassThrough().on('data', (piece: Buffer) => pieces.push(piece));
    const { runProgram } = await import('../../../../src/cli/program.js');
    const io = { stdin: new PassThrough(), stdout, stderr: new PassThrough(), env: cli.env, cwd: cli.folder };
    expect(await runProgram(get(id), { ...io, signal: new AbortController().signal })).to.equal(0);
    expect(Buffer.concat(pieces).equals(binary)).to.equal(true);
  });

  it('writes them to the file of --output, readable by this user only, and reports it', async () => {
    const { id } = await buildMaterial(await cli.context(), course, { name: 'hive.bin' }, binary);
    const { exitCode, stdout } = await cli.run(get(id, '--output', 'mine.bin'));
    expect({ exitCode, stdout }).to.deep.equal({
      exitCode: 0,
      stdout: 'hive.bin (100000 bytes) written to mine.bin.\n',
    });
    expect(readFileSync(at('mine.bin')).equals(binary)).to.equal(true);
    expect(statSync(at('mine.bin')).mode & 0o777).to.equal(0o600);
    const answer = await cli.json<{ file: object; output: string }>(get(id, '--output', 'again.bin'));
    expect(answer.output).to.equal('again.bin');
    expect(answer.file).to.include({ id, name: 'hive.bin', bytes: binary.length });
  });

  it('never overwrites a file', async () => {
    const { id } = await buildMaterial(await cli.context(), course);
    writeFileSync(at('mine.txt'), 'mine');
    const said = 'The file mine.txt exists already and is never overwritten. Name another one.';
    expect(await refusal(get(id, '--output', 'mine.txt'))).to.deep.equal({ exitCode: 2, said });
    expect(readFileSync(at('mine.txt'), 'utf8')).to.equal('mine');
  });

  it('writes nothing to a terminal, whatever the content of the file', async () => {
    const { id } = await buildMaterial(await cli.context(), course, {}, '\u001b]0;pwned\u0007');
    const stdout = Object.assign(new PassThrough(), { isTTY: true });
    const stderr = new PassThrough();
    const { runProgram } = await import('../../../../src/cli/program.js');
    const io = { stdin: new PassThrough(), stdout, stderr, env: cli.env, cwd: cli.folder };
    expect(await runProgram(get(id), { ...io, signal: new AbortController().signal })).to.equal(2);
    expect(stdout.read()).to.equal(null);
    expect(String(stderr.read())).to.include('A file is not written to a terminal: add --output <file>');
  });

  it('leaves no file when the course file does not exist', async () => {
    const { id } = await buildMaterial(await cli.context(), await buildCourse(harness.context, trainer));
    for (const unknown of [id, 'nothing'])
      expect(await refusal(get(unknown, '--output', 'x'))).to.deep.equal({
        exitCode: 1,
        said: `File not found: ${unknown}. To list them: coursectl courses files list <course>`,
      });
    expect(existsSync(at('x'))).to.equal(false);
  });

  it('writes no part of a file that was cut in the storage', async () => {
    const { id, storageKey } = await buildMaterial(await cli.context(), course, {}, binary);
    truncateSync(at(`data/files/${storageKey}`), 1000);
    const { exitCode, said } = await refusal(get(id, '--output', 'x'));
    expect(said).to.equal(
      `The stored file ${storageKey} in ${at('data/files')} has 1000 bytes instead of 100000: check the storage, and restore the file from a backup.`,
    );
    expect([exitCode, existsSync(at('x'))]).to.deep.equal([1, false]);
  });

  it('removes the incomplete file when it is interrupted', async () => {
    const { id } = await buildMaterial(await cli.context(), course, {}, binary);
    const { exitCode } = await cli.run(get(id, '--output', 'x'), { signal: AbortSignal.abort() });
    expect([exitCode, existsSync(at('x'))]).to.deep.equal([130, false]);
  });

  it('removes the incomplete file when the storage fails, and reports it', async () => {
    const { id } = await buildMaterial(await cli.context(), course, {}, binary);
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100000' }).write('The beginning');
      setTimeout(() => response.destroy(), 50);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // A server on a port has an address with one.
    const { port } = server.address() as AddressInfo;
    const s3 = {
      FILE_STORAGE: 's3',
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_BUCKET: 'files',
      S3_ACCESS_KEY_ID: 'me',
      S3_SECRET_ACCESS_KEY: 'secret',
    };
    try {
      const { exitCode, said } = await refusal(get(id, '--output', 'x'), s3);
      expect(said).to.match(
        /^The file storage s3:\/\/files\/ at http:\S+ failed in the middle of the file\. Try again\.$/,
      );
      expect([exitCode, existsSync(at('x'))]).to.deep.equal([1, false]);
    } finally {
      server.close();
    }
  });
});
