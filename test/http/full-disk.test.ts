import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { migrate } from '../support/database.js';
import { buildUser, factoryPassword, tokenFor } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { mountSmallDisk } from '../support/small-disk.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { useListeningService } from './support/listening-service.js';

const noSpace = 'There is no space left on the server. Its operator must free some.';

describe('A service with an SQLite database on a full disk', function () {
  this.timeout(scaled(60_000));
  const service = useListeningService();
  const folder = temporaryFolder();
  const disk = path.join(folder.path, 'disk');
  const filler = path.join(disk, 'filler');
  let mounted: ReturnType<typeof mountSmallDisk>;
  before(() => {
    mounted = mountSmallDisk(disk, '16m');
  });
  after(() => {
    mounted?.unmount();
    folder.remove();
  });

  /** Returns the status and body of a response. */
  async function ask(method: string, path: string, token = '', body?: object) {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as object };
  }

  it('is not ready, refuses all changes with 507, serves reads, and recovers when there is space', async function () {
    if (!mounted) return this.skip();
    const database = path.join(disk, 'test.sqlite');
    await migrate({ url: `sqlite:${database}` });
    await service.start({ DATABASE_URL: `sqlite:${database}`, DATA_DIR: disk });
    const admin = await buildUser(service.context, { role: 'super_admin' });
    const trainer = await buildUser(service.context, { role: 'trainer' });
    const token = await tokenFor(service.context, admin);
    expect((await ask('GET', '/readyz')).status).to.equal(200);

    /** Fills the disk. Truncates the write-ahead log first, because a failed change has reserved space in it. */
    async function fill() {
      rmSync(filler, { force: true });
      await service.context.database.sequelize.query('PRAGMA wal_checkpoint(TRUNCATE)');
      expect(() => writeFileSync(filler, Buffer.alloc(32 * 1024 * 1024))).to.throw('ENOSPC');
    }
    const changes: [method: string, path: string, body?: object][] = [
      ['POST', '/api/auth/login', { identifier: admin.email, password: factoryPassword }],
      ['PUT', '/api/auth/profile', { firstName: 'Grace' }],
      ['DELETE', `/api/users/${trainer.id}?force=true`],
      ['POST', '/api/auth/logout'],
      ['POST', '/api/courses', { title: 'Compilers', description: 'x'.repeat(5000), trainerId: trainer.id }],
    ];
    for (const [method, path, body] of changes) {
      await fill();
      expect(await ask(method, path, token, body), path).to.deep.equal({ status: 507, body: { error: noSpace } });
    }
    expect((await ask('GET', '/api/users', token)).status).to.equal(200);
    // Readiness may be cached for a second.
    await until(async () => (await ask('GET', '/readyz')).status === 503);
    expect(await ask('GET', '/readyz')).to.deep.equal({ status: 503, body: { error: noSpace } });

    rmSync(filler);
    expect((await ask('PUT', '/api/auth/profile', token, { firstName: 'Grace' })).status).to.equal(200);
    await until(async () => (await ask('GET', '/readyz')).status === 200);
  });
});
