import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { sweepFiles } from '../../src/services/maintenance/orphan-cleanup.js';
import { signIn } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { mountSmallDisk } from '../support/small-disk.js';
import { material, mebibyte, useUploadService } from './support/upload-service.js';
import {
  expectNothingLeft,
  filePart,
  fileRows,
  form,
  image,
  type RawResponse,
  send,
  uploadsIn,
} from './support/uploads.js';

describe('A disk for uploads', function () {
  this.timeout(scaled(60_000));
  let mounted = '';
  let disk: ReturnType<typeof mountSmallDisk>;
  // Runs before the service's own hook, because a mounted folder can't be removed.
  afterEach(async () => {
    if (!disk) return;
    await service.restart(service.folder);
    disk.unmount();
    disk = undefined;
  });

  const service = useUploadService();
  const { post, expectWell } = service;

  /** Mounts a disk of this size for the service. @returns false if mounting isn't permitted; only root may mount */
  async function onSmallDisk(size: string): Promise<boolean> {
    mounted = path.join(service.folder, 'small');
    disk = mountSmallDisk(mounted, size);
    if (!disk) return false;
    await service.restart(mounted);
    return true;
  }

  const message = ({ status, body }: RawResponse) => ({ status, ...(JSON.parse(body) as object) });
  const unavailable = { status: 503, error: 'The service is temporarily unavailable.' };
  const full = { status: 507, error: 'There is no space left on the server. Its operator must free some.' };

  it('that is full causes 507, keeps nothing and works again when there is space', async function () {
    if (!(await onSmallDisk('1m'))) return this.skip();
    expect((await post(material(100_000))).status).to.equal(201);
    // Leaves enough space for a part of the file.
    for (const bytes of [2 * mebibyte, mebibyte]) expect(message(await post(material(bytes)))).to.deep.equal(full);
    await expectNothingLeft(service.context, 1);
    const together = await Promise.all(Array.from({ length: 6 }, () => post(material(mebibyte))));
    expect(together.map(message)).to.deep.equal(Array(6).fill(full));
    await expectNothingLeft(service.context, 1);
    // Leaves no space, not even for a file name.
    rmSync(path.join(mounted, 'uploads'), { recursive: true });
    const filler = path.join(mounted, 'filler');
    expect(() => writeFileSync(filler, Buffer.alloc(2 * mebibyte))).to.throw('ENOSPC');
    expect(message(await post(material(5000)))).to.deep.equal(full);
    await expectNothingLeft(service.context, 1);
    rmSync(filler);
    expect((await post(material(100_000))).status).to.equal(201);
    await expectNothingLeft(service.context, 2);
  });

  it('that is full causes 507 also for an image that is made smaller', async function () {
    if (!(await onSmallDisk('64k'))) return this.skip();
    // The upload fits on the disk, but not the scaled image in addition.
    const content = await image(400, 300).jpeg({ quality: 60 }).toBuffer();
    expect(content.length).to.be.within(30_000, 56_000);
    const body = form(filePart(content, 'x.jpg', 'image'));
    expect(message(await post(body, { path: `/api/courses/${service.course.id}/thumbnail` }))).to.deep.equal(full);
    await expectNothingLeft(service.context);
  });

  for (const inTheWay of ['uploads', 'files'])
    it(`that is blocked at ${inTheWay} causes 503 without details, and keeps nothing`, async () => {
      writeFileSync(path.join(service.folder, inTheWay), 'in the way');
      const response = await post(material());
      expect(message(response)).to.deep.equal(unavailable);
      expect(response.head).to.match(/^Retry-After: \d+$/im);
      rmSync(path.join(service.folder, inTheWay));
      expect(uploadsIn(service.context)).to.deep.equal([]);
      // The cleanup removes files whose existence was unknown.
      await sweepFiles(service.context);
      expect(await fileRows(service.context)).to.deep.equal([]);
      service.logged.length = 0;
      await expectWell();
    });

  it('that is blocked for an import causes 503, and keeps nothing of the import', async () => {
    writeFileSync(path.join(service.folder, 'imports'), 'in the way');
    const admin = (await signIn(service.context, { role: 'super_admin' })).token;
    const body = form(filePart('firstName,lastName,email,phone\nAda,King,ada@example.org,1\n', 'people.csv'));
    const response = await send(service.server.url, { path: '/api/imports', token: admin, body });
    expect(message(response)).to.deep.equal(unavailable);
    await expectNothingLeft(service.context);
    expect(await service.context.database.models.Import.count()).to.equal(0);
  });
});
