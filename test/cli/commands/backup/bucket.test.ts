import path from 'node:path';
import { expect } from 'chai';
import { buildCourse, buildMaterial, buildUser } from '../../../support/factories.js';
import { startS3 } from '../../../support/s3-server.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { elsewhere, pathsIn, useInstallation } from './support/installation.js';

describe('coursectl backup and restore, with files in a bucket', () => {
  const cli = useInstallation();
  let folder: ReturnType<typeof temporaryFolder>;
  let s3: Awaited<ReturnType<typeof startS3>>;
  let inBucket: Record<string, string>;

  before(async () => {
    folder = temporaryFolder();
    s3 = await startS3(path.join(folder.path, 's3'), 'courses');
    inBucket = {
      FILE_STORAGE: 's3',
      S3_ENDPOINT: `http://127.0.0.1:${s3.port}`,
      S3_REGION: 'eu-central-1',
      S3_BUCKET: 'courses',
      S3_PREFIX: '/a/',
      S3_FORCE_PATH_STYLE: 'true',
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    };
  });
  after(async () => {
    await s3.close();
    folder.remove();
  });
  beforeEach(() => {
    cli.env = { ...cli.env, ...inBucket };
  });

  it('does not change the bucket, which belongs to the original installation', async () => {
    const context = await cli.context();
    const trainer = await buildUser(context, { role: 'trainer', email: 'ada@x.org' });
    const course = await buildCourse(context, trainer);
    // A pending upload that is old enough for a cleanup to treat as interrupted.
    const createdAt = new Date(Date.now() - 2 * 60 * 60_000);
    const file = await buildMaterial(context, course, { state: 'pending', createdAt });
    const backup = await cli.run(['backup', 'copy']);
    expect(backup.exitCode, backup.stderr).to.equal(0);
    expect(backup.stdout).to.include(
      `: aws s3 sync --endpoint-url=http://127.0.0.1:${s3.port} s3://courses/a/ <folder>\n`,
    );
    expect(pathsIn(path.join(cli.folder, 'copy'))).to.deep.equal(['database.sqlite', 'manifest.json']);
    await file.update({ state: 'live' });
    const { exitCode, stdout, stderr } = await cli.run(['restore', 'copy'], { env: { ...elsewhere, ...inBucket } });
    expect(exitCode, stderr).to.equal(0);
    const stored = await context.storage.open(file.storageKey);
    stored?.stream.destroy();
    expect(stored?.bytes).to.equal(file.bytes);
    expect(stdout).to.match(
      /\nThe files are in s3:\/\/courses\/\S* at http:\S+\. If another installation still uses them, set S3_BUCKET or S3_PREFIX .*run: coursectl files sweep\nRun: coursectl doctor\n$/,
    );
  });

  it('restores the database while the bucket is unreachable', async () => {
    await buildUser(await cli.context(), { email: 'ada@x.org' });
    expect((await cli.run(['backup', 'copy'])).exitCode).to.equal(0);
    const env = { ...elsewhere, ...inBucket, S3_ENDPOINT: 'http://127.0.0.1:1' };
    const { exitCode, stderr } = await cli.run(['restore', 'copy'], { env });
    expect(exitCode, stderr).to.equal(0);
    const { users } = await cli.json<{ users: { email: string }[] }>(['users', 'list'], { env });
    expect(users.map(({ email }) => email)).to.deep.equal(['ada@x.org']);
  });
});
