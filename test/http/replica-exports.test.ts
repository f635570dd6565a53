import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import request from 'supertest';
import { loadConfig } from '../../src/config/config.js';
import { type Context, createContext } from '../../src/context.js';
import type { Database } from '../../src/db/connection.js';
import { createApp } from '../../src/http/server/app.js';
import { createLogger } from '../../src/logger.js';
import { onMysql } from '../support/database.js';
import { testEnvironment } from '../support/environment.js';
import { buildImport, buildTrainees, buildUser, signIn } from '../support/factories.js';
import { emptyDatabase } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { startThrowAwayServer } from '../support/test-server.js';
import { replicated, useReplicated } from './support/replicated.js';

/** Accounts and rows: three pieces of an export. */
const many = 2500;

if (onMysql)
  describe('An export that is read from a replica', function () {
    this.timeout(scaled(120_000));
    const replica = useReplicated();
    let token: string;
    let ids: string[];

    beforeEach(async () => {
      const { context } = replica;
      await emptyDatabase(context);
      const admin = await signIn(context, { role: 'super_admin' });
      ({ token } = admin);
      ids = [admin.user.id, ...(await buildTrainees(context, many))];
    });

    /** Asks for a table; something happens when its first piece has been read, and nothing of it sent. */
    function exported(path: string, afterFirstPiece: () => Promise<unknown> = async () => undefined) {
      const { database } = replica.context;
      // The primary is read for the session, for the import of a ledger, then for the session after each piece.
      const checked = path.startsWith('/api/imports/') ? 3 : 2;
      let reads = 0;
      const read: Database['read'] = async (query) => {
        reads += 1;
        if (reads === checked) await afterFirstPiece();
        return database.read(query);
      };
      // Object.create() knows nothing of what it is made from.
      const watched = Object.create(replica.context, { database: { value: { ...database, read } } }) as Context;
      return request(createApp(watched)).get(path).auth(token, { type: 'bearer' });
    }

    const column = (text: string, index: number) =>
      text
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(',')[index]);

    it('has every account once', async () => {
      await replica.replication.catchUp();
      const before = await replica.replication.reads();
      const { text } = await exported('/api/users/export.csv').expect(200);
      expect(column(text, 0)).to.deep.equal(ids);
      expect(await replica.replication.reads()).to.be.at.least(before + 3);
      expect(replica.logged()).not.to.include('the replica is not used');
    });

    it('goes on at the primary when the replica has stopped, with what was answered meanwhile', async () => {
      const { text } = await exported('/api/users/export.csv', async () => {
        await replica.replication.pause();
        ids.push((await buildUser(replica.context)).id);
      }).expect(200);
      expect(column(text, 0)).to.deep.equal(ids);
      expect(replica.logged()).to.include('more than half a second behind');
    });

    for (const fault of [{ kind: 'reset' }, { kind: 'black hole' }, { kind: 'cut', bytes: 40_000 }] as const)
      it(`loses and doubles no row when the replica is out of reach: ${fault.kind}`, async () => {
        const { text } = await exported('/api/users/export.csv', async () => replica.proxy.set(fault)).expect(200);
        expect(column(text, 0)).to.deep.equal(ids);
        expect(replica.logged()).to.include('the replica is not used');
      });

    it('goes on at the primary when the replica was replaced by a server without the rows', async () => {
      const other = await startThrowAwayServer();
      if (!other) throw new Error('There is no server on the PATH.');
      const { target } = replica.proxy;
      try {
        const { hasher, config } = replica.context;
        const connection = await createConnection(other.url);
        await connection.query(`CREATE DATABASE ${replicated}`);
        await connection.query("CREATE USER 'reader'@'127.0.0.1' IDENTIFIED BY 'reader'");
        await connection.query("GRANT SELECT ON *.* TO 'reader'@'127.0.0.1'");
        await connection.end();
        const env = { ...testEnvironment, DATABASE_URL: `${other.url}${replicated}`, DATA_DIR: config.dataDir };
        const empty = await createContext(
          loadConfig({ env, cwd: '/' }),
          createLogger('silent', { write: () => undefined }),
          { hasher },
        );
        await empty.schema.up();
        await empty.close();
        const { text } = await exported('/api/users/export.csv', async () => {
          replica.proxy.target = Number(new URL(other.url).port);
          replica.proxy.set({ kind: 'reset' });
          replica.proxy.set({ kind: 'none' });
        }).expect(200);
        expect(column(text, 0)).to.deep.equal(ids);
      } finally {
        replica.proxy.target = target;
        await other.stop();
      }
    });

    it('is read from the primary where the user of the replica may not read a column', async () => {
      const user = "'reader'@'127.0.0.1'";
      const connection = await createConnection(replica.replication.replica.url);
      try {
        await connection.query(`REVOKE SELECT ON *.* FROM ${user}`);
        await connection.query(`GRANT SELECT (id) ON ${replicated}.users TO ${user}`);
        const { text } = await exported('/api/users/export.csv').expect(200);
        expect(column(text, 0)).to.deep.equal(ids);
        expect(replica.logged()).to.include('the replica is not used');
      } finally {
        await connection.query(`GRANT SELECT ON *.* TO ${user}`);
        await connection.end();
      }
    });

    it('ends with the session, which the replica has not heard of', async () => {
      const call = exported('/api/users/export.csv', async () => {
        await replica.replication.pause();
        await request(createApp(replica.context))
          .post('/api/auth/logout-all')
          .auth(token, { type: 'bearer' })
          .expect(200);
      });
      await call.expect(401);
    });

    it('has every row of an import once, also when the replica stops', async () => {
      const id = await buildImport(replica.context, many);
      const expected = Array.from({ length: many }, (_, index) => String(index + 2));
      const path = `/api/imports/${id}/outcome.csv`;
      await replica.replication.catchUp();
      const before = await replica.replication.reads();
      expect(column((await exported(path).expect(200)).text, 0)).to.deep.equal(expected);
      expect(await replica.replication.reads()).to.be.at.least(before + 3);
      const { text } = await exported(path, async () => {
        await replica.replication.pause();
        await buildUser(replica.context);
      }).expect(200);
      expect(column(text, 0)).to.deep.equal(expected);
      expect(replica.logged()).to.include('more than half a second behind');
    });

    it('has no end when the rows of an import are deleted meanwhile', async () => {
      const { context } = replica;
      const id = await buildImport(context, many);
      const { Import, ImportRow } = context.database.models;
      // A replica that is behind isn't asked, and the first piece would be one of the reads that are counted.
      await replica.replication.catchUp();
      const answer = exported(`/api/imports/${id}/outcome.csv`, async () => {
        await Import.update({ ledgerClosedAt: new Date() }, { where: { id } });
        await ImportRow.destroy({ where: { importId: id } });
      });
      const outcome = await answer.then(
        ({ status }) => String(status),
        (error: Error) => error.message,
      );
      expect(outcome).to.equal('aborted');
    });

    it('returns to the replica', async () => {
      await exported('/api/users/export.csv', async () => replica.proxy.set({ kind: 'reset' })).expect(200);
      replica.proxy.set({ kind: 'none' });
      while (!replica.logged().includes('reading from the replica again')) {
        await exported('/api/users/export.csv').expect(200);
        await sleep(500);
      }
    });
  });
