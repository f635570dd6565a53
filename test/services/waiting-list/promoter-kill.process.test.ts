import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { useBuiltProgram } from '../../support/built-program.js';
import { testEnvironment } from '../../support/environment.js';
import { buildCourse, buildEnrollment, buildUser, tokenFor } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { scaled } from '../../support/machine.js';
import { until } from '../../support/until.js';

describe('A service killed between the commit and the promotion', function () {
  this.timeout(scaled(60_000));
  const built = useBuiltProgram();
  const harness = useHarness();
  const children: ChildProcess[] = [];

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  async function serve(): Promise<{ child: ChildProcess; url: string }> {
    const cwd = harness.context.config.dataDir;
    const argv = [path.join(built.path, 'bin', 'coursectl.js'), 'serve', '--port', '0', '--json'];
    const env = { ...testEnvironment, PATH: process.env.PATH, DATABASE_URL: harness.databaseUrl, DATA_DIR: cwd };
    const child = spawn(process.execPath, argv, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
    children.push(child);
    for await (const line of createInterface(child.stdout)) {
      const { url } = JSON.parse(line) as { url: string };
      return { child, url };
    }
    throw new Error('The service has not started.');
  }

  it('is replaced by another instance, which gives the seat', async () => {
    const { context } = harness;
    const { sequelize } = context.database;
    await buildUser(context, { role: 'super_admin' });
    const trainer = await buildUser(context, { role: 'trainer' });
    const course = await buildCourse(context, trainer, { isPublished: true, maxStudents: 1 });
    const holder = await buildEnrollment(context, await buildUser(context), course, { status: 'active' });
    const next = await buildEnrollment(context, await buildUser(context), course, { status: 'waiting' });
    const token = await tokenFor(context, trainer);
    const [killed] = [await serve(), await serve()];
    const when = "WHEN OLD.status = 'waiting' BEGIN SELECT RAISE(ABORT, 'refused'); END";
    await sequelize.query(`CREATE TRIGGER refuse_seat BEFORE UPDATE ON enrollments FOR EACH ROW ${when}`);
    try {
      const response = await fetch(`${killed.url}/api/enrollments/${holder.id}/status`, {
        method: 'PUT',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ status: 'cancelled' }),
      });
      expect([response.status, response.headers.get('seats-being-given')]).to.deep.equal([200, 'true']);
      killed.child.kill('SIGKILL');
    } finally {
      await sequelize.query('DROP TRIGGER refuse_seat');
    }
    await until(async () => (await next.reload()).status === 'pending');
  });
});
