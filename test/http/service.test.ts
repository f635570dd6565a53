import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import request from 'supertest';
import { loadConfig } from '../../src/config/config.js';
import { createApp } from '../../src/http/server/app.js';
import { createLogger } from '../../src/logger.js';
import { type Context, createContext } from '../../src/services/context.js';
import { createEmptyDatabase, onMysql, type TestDatabase } from '../support/database.js';
import { testEnvironment } from '../support/environment.js';
import { buildCourse, buildUser, factoryPassword, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure } from './support/expectations.js';

const silent = createLogger('silent', { write: () => undefined });

function contextOver(databaseUrl: string): Promise<Context> {
  return createContext(loadConfig({ env: { ...testEnvironment, DATABASE_URL: databaseUrl }, cwd: '/' }), silent);
}

describe('GET /healthz and GET /readyz', () => {
  const harness = useHarness();

  it('return 200 while the service works', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const { body } = await harness.api('get', path).expect(200);
      expect(body).to.deep.equal({ status: 'ok' });
    }
  });

  it('return 200 and 503 while the server shuts down', async () => {
    const draining = createApp(harness.context, { isDraining: () => true });
    await request(draining).get('/healthz').expect(200);
    const response = await request(draining).get('/readyz');
    expectFailure(response, 'NOT_READY', 'The service is shutting down.');
    expect(response.headers['retry-after']).to.match(/^\d+$/);
  });
});

describe('GET /readyz over a database that is not migrated', () => {
  let database: TestDatabase;
  let context: Context;
  beforeEach(async () => {
    database = await createEmptyDatabase();
    context = await contextOver(database.url);
  });
  afterEach(async () => {
    await context.close();
    await database.drop();
  });
  const get = (path: string) => request(createApp(context)).get(path);

  it('returns 503 with Retry-After while migrations are pending, then 200; /healthz returns 200', async () => {
    const response = await get('/readyz');
    expectFailure(response, 'NOT_READY');
    expect(response.headers['retry-after']).to.match(/^\d+$/);
    await get('/healthz').expect(200);
    // The message doesn't mention the schema.
    expectFailure(await get('/api/auth/setup-status'), 'SERVER_ERROR');
    await context.schema.up();
    await get('/readyz').expect(200);
    await context.schema.down(1);
    await get('/readyz').expect(503);
  });
});

describe('GET /readyz without a database', () => {
  it('returns 503, and /healthz returns 200', async () => {
    const context = await contextOver('mysql://nobody@127.0.0.1:1/nothing');
    const app = createApp(context);
    await request(app).get('/healthz').expect(200);
    for (const path of ['/readyz', '/api/auth/setup-status']) {
      const response = await request(app).get(path);
      expectFailure(response, 'UNAVAILABLE');
      expect(response.headers['retry-after']).to.match(/^\d+$/);
    }
    await context.close();
  });
});

describe('Requests that fail with 503', () => {
  it('are logged once a second with their number; the first of a kind with its cause', async () => {
    const lines: { msg: string; err?: { stack?: string }; count?: number; code?: string }[] = [];
    const env = { ...testEnvironment, DATABASE_URL: 'mysql://nobody@127.0.0.1:1/nothing' };
    const logger = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) });
    const context = await createContext(loadConfig({ env, cwd: '/' }), logger);
    const app = createApp(context);
    const failures = () => lines.filter(({ err }) => err !== undefined);
    const more = () => lines.filter(({ msg }) => msg === 'more requests failed likewise');
    await Promise.all(Array.from({ length: 30 }, () => request(app).get('/api/auth/setup-status').expect(503)));
    while (more().length === 0) await sleep(20);
    const told = more().reduce((sum, { count = 0 }) => sum + count, failures().length);
    expect(told).to.equal(30);
    expect(failures().length + more().length).to.be.lessThan(10);
    expect(failures()[0]?.err?.stack).to.be.a('string');
    expect(more()[0]?.code).to.equal('DATABASE_UNREACHABLE');
    await context.close();
  });
});

describe('The log of requests', () => {
  const lines: { msg: string; userId?: string; req?: { path: string }; res?: { status: number } }[] = [];
  const harness = useHarness({}, createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) }));
  beforeEach(() => {
    lines.length = 0;
  });
  const logged = async (path: string) => {
    let line = lines.find(({ req }) => req?.path === path);
    for (; !line; line = lines.find(({ req }) => req?.path === path)) await sleep(5);
    return line;
  };

  it('contains the id of the caller, also for refused requests, and no secret', async () => {
    const { user, token } = await signIn(harness.context);
    await harness.api('get', '/api/auth/me', token).expect(200);
    expect(await logged('/api/auth/me')).to.deep.include({ msg: 'request', userId: user.id, res: { status: 200 } });
    await harness.api('get', '/api/users', token).expect(403);
    expect(await logged('/api/users')).to.deep.include({ userId: user.id, res: { status: 403 } });
    await harness.api('get', '/api/courses?search=secret').expect(200);
    expect(await logged('/api/courses')).not.to.have.property('userId');
    await harness.api('get', '/api/auth/sessions', 'forged').expect(401);
    expect(await logged('/api/auth/sessions')).not.to.have.property('userId');
    expect(JSON.stringify(lines)).not.to.include(token).and.not.to.include('secret').and.not.to.include(user.email);
  });
});

describe('An unexpected failure', () => {
  const lines: string[] = [];
  const harness = useHarness({}, createLogger('info', { write: (line) => lines.push(line) }));
  beforeEach(() => {
    lines.length = 0;
  });
  /** Runs work with a unique index that the program doesn't know. Its violation is an unexpected failure. */
  async function whileUnique(table: string, column: string, work: () => Promise<void>): Promise<void> {
    const { sequelize } = harness.context.database;
    await sequelize.query(`CREATE UNIQUE INDEX unforeseen ON ${table} (${column})`);
    try {
      await work();
    } finally {
      await sequelize.query(`DROP INDEX unforeseen${onMysql ? ` ON ${table}` : ''}`);
    }
  }
  /** Expects one log line about the failure, and no line with the sent values. */
  function expectLogged(secrets: readonly string[]): void {
    const failures = lines.filter((line) => line.includes('"err"'));
    expect(failures).to.have.length(1);
    for (const secret of secrets) expect(lines.join('')).not.to.include(secret);
  }

  it('of setup returns 500 with "Server error." only, and the service keeps working', async () => {
    await buildUser(harness.context, { firstName: ada.firstName });
    await whileUnique('users', 'first_name', async () => {
      expectFailure(await harness.api('post', '/api/auth/setup').send(ada), 'SERVER_ERROR');
    });
    expectLogged([ada.email, ada.password, ada.phone, ada.firstName]);
    expect(await harness.context.database.models.User.count()).to.equal(1);
    await harness.api('post', '/api/auth/setup').send(ada).expect(201);
  });

  it('of both logins returns the same, and does not change lastLogin', async () => {
    const { user, token } = await signIn(harness.context, { email: ada.email });
    await whileUnique('sessions', 'user_id', async () => {
      for (const path of ['login', 'trainee-login']) {
        lines.length = 0;
        const response = await harness
          .api('post', `/api/auth/${path}`)
          .send({ identifier: ada.email, password: factoryPassword });
        expectFailure(response, 'SERVER_ERROR');
        expectLogged([ada.email, factoryPassword, token, user.id]);
      }
    });
    expect((await user.reload()).lastLogin).to.equal(null);
  });

  it('of a listing returns the same', async () => {
    const { user, token } = await signIn(harness.context, { role: 'trainer' });
    await buildCourse(harness.context, user, { tagsJson: 'canary, not JSON' });
    const response = await harness.api('get', `/api/courses/trainer/${user.id}`, token);
    expectFailure(response, 'SERVER_ERROR');
    expectLogged([token]);
  });
});
