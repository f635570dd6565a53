import { existsSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import request from 'supertest';
import { loadConfig } from '../../../../src/config/config.js';
import { openDatabase } from '../../../../src/db/connection.js';
import { createApp } from '../../../../src/http/server/app.js';
import { createLogger } from '../../../../src/logger.js';
import { createContext } from '../../../../src/services/context.js';
import { makeBackup } from '../../../../src/services/maintenance/backup/backup.js';
import { failureOf } from '../../../db/support/failure.js';
import { signIn, tokenFor } from '../../../support/factories.js';
import { scaled } from '../../../support/machine.js';
import { elsewhere, useInstallation, withMaterials } from './support/installation.js';

describe('coursectl backup, while the service is used', function () {
  this.timeout(scaled(120_000));
  const cli = useInstallation();

  /** Returns the keys of live and of marked files in a database. */
  async function keysIn(file: string): Promise<Record<'live' | 'marked', string[]>> {
    const database = openDatabase({ dialect: 'sqlite', file });
    try {
      const rows = await database.models.StoredFile.findAll();
      const of = (wanted: string) => rows.filter(({ state }) => state === wanted).map((row) => row.storageKey);
      return { live: of('live'), marked: of('marked') };
    } finally {
      await database.close();
    }
  }

  it('copies every file of the copied database, and the restored service serves the files', async () => {
    const { context, trainer, course, files } = await withMaterials(cli, 200);
    const { token: admin } = await signIn(context, { role: 'super_admin' });
    const token = await tokenFor(context, trainer);
    const app = createApp(context);
    const done = { registered: 0, uploaded: 0, deleted: 0 };
    let isOver = false;
    const materials = `/api/courses/${course.id}/files`;

    async function repeat(work: (round: number) => Promise<void>): Promise<void> {
      for (let round = 0; !isOver; round += 1) {
        await work(round);
        await nextTurn();
      }
    }
    const register = async (round: number) => {
      const person = { firstName: 'Grace', lastName: 'Moe', role: 'trainee', password: 'correct horse battery' };
      await request(app)
        .post('/api/auth/register')
        .set('Authorization', `Bearer ${admin}`)
        .send({ ...person, email: `grace${round}@x.org`, phone: `+1 556 ${round}` })
        .expect(201);
      done.registered += 1;
    };
    const upload = async (round: number) => {
      const call = request(app).post(materials).set('Authorization', `Bearer ${token}`);
      await call.attach('file', Buffer.from(`Upload ${round}`), `upload-${round}.txt`).expect(201);
      done.uploaded += 1;
    };
    const remove = async () => {
      const file = files.pop();
      if (!file) return;
      await request(app).delete(`${materials}/${file.id}`).set('Authorization', `Bearer ${token}`).expect(200);
      done.deleted += 1;
    };

    const writers = Promise.all([register, upload, remove].map(repeat));
    while (Object.values(done).some((count) => count === 0)) await nextTurn();
    const before = { ...done };
    const { exitCode, stderr } = await cli.run(['backup', 'copy']);
    const after = { ...done };
    isOver = true;
    await writers;
    expect(exitCode, stderr).to.equal(0);
    for (const what of ['registered', 'uploaded', 'deleted'] as const)
      expect(after[what], `${what} during the backup`).to.be.greaterThan(before[what]);

    const copied = await keysIn(path.join(cli.folder, 'copy/database.sqlite'));
    expect(copied.live.filter((key) => !existsSync(path.join(cli.folder, 'copy/files', key)))).to.deep.equal([]);
    const now = await keysIn(path.join(cli.folder, 'data/coursectl.sqlite'));
    const held = now.marked.filter((key) => copied.live.includes(key));
    expect(held, 'files deleted during the backup').to.not.deep.equal([]);
    expect(held.filter((key) => !existsSync(path.join(cli.folder, 'data/files', key)))).to.deep.equal([]);
    const { sweep } = await cli.json<{ sweep: { removed: number } }>(['files', 'sweep']);
    expect(sweep.removed, 'removed later').to.equal(now.marked.length);

    expect((await cli.run(['restore', 'copy'], { env: elsewhere })).exitCode).to.equal(0);
    const silent = createLogger('silent', { write: () => undefined });
    const restored = await createContext(loadConfig({ env: elsewhere, cwd: cli.folder }), silent);
    try {
      const fresh = await tokenFor(restored, trainer);
      const service = createApp(restored);
      const rows = await restored.database.models.StoredFile.findAll({ where: { state: 'live' } });
      expect(rows).to.have.length(copied.live.length);
      for (const { id } of rows)
        await request(service).get(`${materials}/${id}`).set('Authorization', `Bearer ${fresh}`).expect(200);
      await request(service).get(materials).set('Authorization', `Bearer ${token}`).expect(401);
    } finally {
      await restored.close();
    }
    const { sweep: swept } = await cli.json<{ sweep: object }>(['files', 'sweep'], { env: elsewhere });
    expect(swept).to.deep.include({ missing: [] });
  });

  const losses = { 'has expired': 'expires_at = 1', 'has another owner': "owner = 'another'" };
  for (const [loss, change] of Object.entries(losses))
    it(`fails when its lease against the removal of files ${loss}`, async () => {
      const { context } = await withMaterials(cli, 200);
      const folder = path.join(cli.folder, 'copy');
      let changed: Promise<unknown> | undefined;
      const onFile = () => {
        changed ??= context.database.sequelize.query(`UPDATE leases SET ${change} WHERE name = 'backup'`);
      };
      const { signal } = new AbortController();
      const { code, message } = await failureOf(() => makeBackup(context, { folder, signal, onFile }));
      await changed;
      expect(code).to.equal('FILE_UNUSABLE');
      expect(message).to.match(/^The backup was paused, or .*\. Run it again\.$/);
      expect(existsSync(folder)).to.equal(false);
    });
});
