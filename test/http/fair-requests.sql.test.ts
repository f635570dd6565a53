import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import express from 'express';
import { createConnection } from 'mysql2/promise';
import request from 'supertest';
import { addressOf, trustOf } from '../../src/http/routing/client.js';
import { onMysql } from '../support/database.js';
import { buildUser, signIn } from '../support/factories.js';
import { useListeningService } from './support/listening-service.js';

/** Addresses for documentation (RFC 5737). */
const [attacker, other] = ['192.0.2.1', '198.51.100.1'];

describe('Requests from several networks', () => {
  const service = useListeningService();
  const { harness } = service;
  const start = (slots: number, others: Record<string, string> = {}) =>
    service.start({ MAX_REQUESTS_IN_FLIGHT: String(slots), TRUST_PROXY: 'loopback', ...others });

  const ask = (from: string, path = '/api/auth/setup-status') =>
    request(service.url).get(path).set('X-Forwarded-For', from);
  const change = (from: string, token: string) =>
    request(service.url)
      .put('/api/auth/profile')
      .set('X-Forwarded-For', from)
      .set('Authorization', `Bearer ${token}`)
      .send({ lastName: 'Waiting' });

  async function untilLoad(wanted: { working: number; queued: number }): Promise<void> {
    for (;;) {
      const { working, queued } = (await request(service.url).get('/readyz')).body.requests;
      if (working === wanted.working && queued === wanted.queued) return;
      await sleep(20);
    }
  }

  /** Runs work while all accounts are locked, so that no change can finish. */
  async function whileLocked(work: () => Promise<void>): Promise<void> {
    await harness.context.database.inTransaction(async (transaction) => {
      await harness.context.database.models.User.update({ lastName: 'Held' }, { where: {}, transaction });
      await work();
    });
  }

  it('are served round robin: another network does not wait longer for very many requests than for one', async () => {
    await start(1);
    const { token } = await signIn(harness.context);
    const ended: string[] = [];
    const responses: Promise<unknown>[] = [];
    const send = (from: string) => void responses.push(ask(from).then(({ status }) => ended.push(`${from} ${status}`)));
    await whileLocked(async () => {
      responses.push(change(attacker, token).then());
      await untilLoad({ working: 1, queued: 0 });
      for (let number = 0; number < 100; number += 1) send(attacker);
      await untilLoad({ working: 1, queued: 100 });
      send(other);
      await untilLoad({ working: 1, queued: 101 });
    });
    await Promise.all(responses);
    expect(ended).to.have.length(101);
    // Responses on several connections may arrive in another order.
    expect(ended.indexOf(`${other} 200`)).to.be.within(0, 10);
    expect(ended.filter((one) => one === `${attacker} 200`)).to.have.length(100);
  });

  it('share the slots: a single network may use all of them, each of several networks a quarter', async () => {
    await start(8);
    const { token } = await signIn(harness.context);
    const responses: Promise<{ status: number }>[] = [];
    await whileLocked(async () => {
      // Health checks and metrics don't count as another network.
      for (const path of ['/metrics', '/metrics/', '/healthz']) expect((await ask(other, path)).status).to.equal(200);
      for (let number = 0; number < 6; number += 1) responses.push(change(attacker, token).then());
      await untilLoad({ working: 6, queued: 0 });
    });
    await Promise.all(responses);
    await whileLocked(async () => {
      expect((await ask(other)).status).to.equal(200);
      for (let number = 0; number < 6; number += 1) responses.push(change(attacker, token).then());
      await untilLoad({ working: 2, queued: 4 });
      expect((await ask(other)).status).to.equal(200);
      await untilLoad({ working: 2, queued: 4 });
    });
    expect((await Promise.all(responses)).map(({ status }) => status)).to.deep.equal(responses.map(() => 200));
  });

  it('leave database connections to other networks, although a page takes two queries', async function () {
    // SQLite has no connections to wait for.
    if (!onMysql) return this.skip();
    await start(20, { DB_POOL_MAX: '10' });
    expect((await ask(other)).status).to.equal(200);
    const operator = await createConnection(harness.databaseUrl);
    const responses: Promise<{ status: number }>[] = [];
    try {
      // Reads of the catalogue wait until the lock is released.
      await operator.query('LOCK TABLES courses WRITE');
      for (let number = 0; number < 20; number += 1) responses.push(ask(attacker, '/api/courses').then());
      await untilLoad({ working: 5, queued: 15 });
      const { text } = await ask(other, '/metrics');
      const [, inUse] = /^coursectl_database_connections\{state="in_use"\} (\d+)$/m.exec(text) ?? [];
      // Besides the attacker's 7 queries, the service itself may query readiness or imports.
      expect(Number(inUse)).to.be.within(5, 9);
      expect((await ask(other)).status).to.equal(200);
    } finally {
      await operator.end();
    }
    expect((await Promise.all(responses)).map(({ status }) => status)).to.deep.equal(responses.map(() => 200));
  });

  it('need no slot for operations that may take minutes', async () => {
    await start(1);
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { id } = await buildUser(harness.context);
    let response: Promise<{ status: number; body: { counts?: object } }> | undefined;
    await whileLocked(async () => {
      response = request(service.url)
        .post('/api/users/bulk')
        .set('Authorization', `Bearer ${token}`)
        .send({ action: 'deactivate', ids: [id] })
        .then();
      // The request has arrived or will arrive soon, without taking the only slot.
      for (let number = 0; number < 10; number += 1) expect((await ask(other)).status).to.equal(200);
      await untilLoad({ working: 0, queued: 0 });
    });
    const { status, body } = (await response) ?? {};
    expect(status).to.equal(200);
    expect(body?.counts).to.deep.equal({ done: 1, unchanged: 0, refused: 0 });
  });

  it('are distinguished by the address that Express determines', async () => {
    for (const trusted of [false, 1, 2, 'loopback', ['loopback', '192.0.2.0/24']]) {
      const app = express().set('trust proxy', trusted);
      const isProxy = trustOf(app);
      app.get('/', (asked, response) => void response.json({ ip: asked.ip, found: addressOf(asked, isProxy) }));
      for (const forwarded of ['', '192.0.2.1', '198.51.100.1, 192.0.2.1', '2001:db8::1 ,198.51.100.1,192.0.2.7']) {
        const asked = request(app).get('/');
        const { body } = await (forwarded === '' ? asked : asked.set('X-Forwarded-For', forwarded));
        expect(body.found, `${trusted}: ${forwarded}`).to.be.a('string').that.equals(body.ip);
      }
      // Clients may send any header value.
      const { body } = await request(app)
        .get('/')
        .set('X-Forwarded-For', `unknown${',x'.repeat(1000)}`);
      expect(body.found, String(trusted)).to.match(/127\.0\.0\.1$|^::1$/);
    }
  });
});
