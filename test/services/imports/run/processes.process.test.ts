import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import request from 'supertest';
import { signIn } from '../../../support/factories.js';
import { scaled } from '../../../support/machine.js';
import { type RunningProcess, useSubprocesses } from '../../../support/subprocess.js';
import { people, recordsOf, useImporting } from '../support/importing.js';

describe('Imports by several processes', function () {
  this.timeout(scaled(120_000));
  const importing = useImporting({ IMPORT_BATCH_ROWS: '100' });
  const subprocesses = useSubprocesses();
  const { models } = importing;
  const surroundings = () => ({
    cwd: importing.folder,
    env: { PATH: process.env.PATH ?? '', ...importing.env, HOST: '127.0.0.1', PORT: '0' },
  });

  async function serve(): Promise<{ service: RunningProcess; url: string }> {
    const service = subprocesses.start(['serve', '--json'], surroundings());
    const [, url = ''] = await service.waitForOutput(/\{"url":"([^"]+)"\}/);
    return { service, url };
  }

  async function submit(url: string, csv: string, fields: Record<string, string> = {}): Promise<string> {
    const { token } = await signIn(importing.context, { role: 'super_admin', email: 'root@example.org' });
    const response = await request(url)
      .post('/api/imports')
      .set('Authorization', `Bearer ${token}`)
      .attach('file', Buffer.from(csv), 'people.csv')
      .field(fields);
    expect(response.status, response.text).to.equal(202);
    return (response.body as { import: { id: string } }).import.id;
  }

  const find = (id: string) => models().Import.findByPk(id, { rejectOnEmpty: true });

  async function completed(id: string) {
    for (;;) {
      const record = await find(id);
      if (record.status === 'completed') return record;
      if (record.status === 'failed') throw new Error(`${record.errorCode}: ${record.errorMessage}`);
      await sleep(50);
    }
  }

  it('are planned by another process if the first is killed, with each row a single time', async () => {
    const first = await serve();
    const id = await submit(first.url, people(4000), { plan: 'true' });
    while ((await models().ImportPlanRow.count({ where: { importId: id } })) === 0) await sleep(5);
    first.service.kill('SIGKILL');
    const second = await serve();
    while ((await find(id)).status === 'planning') await sleep(50);
    expect(await find(id)).to.include({ status: 'planned', rowsTotal: 4000, rowsDone: 0 });
    const planned = await models().ImportPlanRow.findAll({ where: { importId: id }, order: ['line'], raw: true });
    expect(planned.map(({ line }) => line)).to.deep.equal(Array.from({ length: 4000 }, (_, index) => index + 2));
    expect(await models().User.count({ where: { role: 'trainee' } })).to.equal(0);
    second.service.kill('SIGTERM');
    expect((await second.service.ended).exitCode).to.equal(0);
  });

  it('are finished by another process if the first is killed, with each row a single time', async () => {
    const first = await serve();
    const id = await submit(first.url, people(4000));
    while ((await find(id)).rowsDone === 0) await sleep(5);
    const second = await serve();
    first.service.kill('SIGKILL');
    const record = await completed(id);
    expect(record).to.include({ rowsDone: 4000, createdCount: 4000, skippedCount: 0 });
    const ledger = await models().ImportRow.count({ where: { importId: id } });
    const users = await models().User.findAll({ where: { role: 'trainee' }, raw: true });
    const passwords = new Map(recordsOf(record.credentialsFile).map(({ email, password }) => [email, password]));
    expect([ledger, users.length, passwords.size]).to.deep.equal([4000, 4000, 4000]);
    for (const { email, passwordHash } of [...users.slice(0, 50), ...users.slice(-50)])
      expect(await importing.context.hasher.compare(passwords.get(email) ?? '', passwordHash), email).to.equal(true);
    second.service.kill('SIGTERM');
    expect((await second.service.ended).exitCode).to.equal(0);
  });
});
