import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { loadConfig } from '../../../src/config/config.js';
import { login } from '../../../src/services/auth/login.js';
import { type Context, createContext } from '../../../src/services/context.js';
import { type FaultyProxy, startProxy } from '../../faults/proxy.js';
import { onMysql } from '../../support/database.js';
import { testEnvironment } from '../../support/environment.js';
import { buildUser, factoryPassword } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { observeStatements } from '../../support/statements.js';

/** Returns the commands that a client sends to the server. Each command begins a packet with the number 0. */
function commandsIn(data: Buffer): string[] {
  const commands: string[] = [];
  for (let offset = 0; offset + 4 < data.length; ) {
    const length = data.readUIntLE(offset, 3);
    const [number, kind] = [data[offset + 3], data[offset + 4]];
    // The responses of the handshake have other numbers.
    if (number === 0) commands.push(kind === 3 ? data.toString('utf8', offset + 5, offset + 4 + length) : `#${kind}`);
    offset += 4 + length;
  }
  return commands;
}

const client = { ip: '192.0.2.1', userAgent: 'a browser' };

/**
 * Numbers of statements of a login. SQLite counts and locks in transactions; their begin and end aren't round trips.
 */
const counts = {
  server: { signedIn: 8, firstHere: 9, wrong: 3, locked: 1, locking: 7 },
  file: { signedIn: 10, firstHere: 11, wrong: 5, locked: 1, locking: 9 },
};
const expected = onMysql ? counts.server : counts.file;

describe('The statements of a login', () => {
  const harness = useHarness({ MAX_SESSIONS: '3' });
  let proxy: FaultyProxy | undefined;
  let context: Context;
  beforeEach(async () => {
    context = harness.context;
    if (!onMysql) return;
    const url = new URL(harness.databaseUrl);
    proxy = await startProxy(Number(url.port || 3306));
    Object.assign(url, { hostname: '127.0.0.1', port: String(proxy.port) });
    const { hasher, logger } = harness.context;
    const env = { ...testEnvironment, MAX_SESSIONS: '3', DATABASE_URL: url.href };
    context = await createContext(loadConfig({ env, cwd: '/' }), logger, { hasher, now: harness.context.now });
    // Opens a connection now, because a new connection sends settings.
    await context.database.read(() => context.database.models.User.count());
  });
  afterEach(async () => {
    if (!proxy) return;
    await context.close();
    await proxy.close();
    proxy = undefined;
  });

  /** Returns the statements of work; for a database server, the commands that are sent to it. */
  async function statementsOf(work: () => Promise<void>): Promise<string[]> {
    const sent: string[] = [];
    if (proxy)
      proxy.onSent = (data) => {
        sent.push(...commandsIn(data));
        return 'pass';
      };
    else observeStatements(context.database.sequelize, (sql) => void sent.push(sql));
    try {
      await work();
    } finally {
      if (proxy) proxy.onSent = undefined;
      else observeStatements(context.database.sequelize, false);
    }
    return sent;
  }

  async function signingIn(identifier: string, password = factoryPassword) {
    let outcome: string | undefined;
    const sent = await statementsOf(async () => {
      outcome = await login(context, { identifier, password }, client).then(
        () => 'signed in',
        (error: { code?: string }) => error.code,
      );
    });
    return { sent, outcome };
  }

  async function expectCount(count: number, wanted: string, ...credentials: [identifier: string, password?: string]) {
    const { sent, outcome } = await signingIn(...credentials);
    expect(outcome).to.equal(wanted);
    expect(sent.length, sent.join('\n')).to.equal(count);
  }

  it('are stated in docs/PERFORMANCE.md', () => {
    const text = readFileSync(new URL('../../../docs/PERFORMANCE.md', import.meta.url), 'utf8');
    const { server, file } = counts;
    for (const [title, outcome] of [
      ['successful', 'signedIn'],
      ['successful, for the first time from this IP address', 'firstHere'],
      ['wrong password, or no account', 'wrong'],
      ['wrong password that locks the login', 'locking'],
      ['while the login is locked', 'locked'],
    ] as const)
      expect(text).to.include(`\n| ${title} | ${server[outcome]} | ${file[outcome]} |\n`);
  });

  it('do not increase when the login ends the oldest session', async () => {
    const { id, email, phone } = await buildUser(harness.context);
    await expectCount(expected.firstHere, 'signed in', email);
    for (let count = 0; count < 4; count += 1) await expectCount(expected.signedIn, 'signed in', email);
    expect(await harness.context.database.models.Session.count({ where: { userId: id } })).to.equal(3);
    // One more statement reads the country of phones.
    await expectCount(expected.signedIn + 1, 'signed in', phone);
  });

  it('do not reveal whether an account exists or is active, for wrong passwords and locks', async () => {
    const { email } = await buildUser(harness.context);
    const { email: inactive } = await buildUser(harness.context, { isActive: false });
    const codes = new Map([[email, 'WRONG_PASSWORD']]);
    for (const identifier of [email, inactive, 'nobody@example.org', '+44 20 7946 0999']) {
      const more = identifier.includes('@') ? 0 : 1;
      const code = codes.get(identifier) ?? 'NO_MATCHING_ACCOUNT';
      for (let guess = 1; guess < 10; guess += 1)
        await expectCount(expected.wrong + more, code, identifier, 'a wrong guess');
      await expectCount(expected.locking + more, code, identifier, 'a wrong guess');
      await expectCount(expected.locked + more, 'TOO_MANY_ATTEMPTS', identifier);
    }
  });

  it('do not increase for a wrong password at a known address', async () => {
    const { email } = await buildUser(harness.context);
    await signingIn(email);
    await expectCount(expected.wrong, 'WRONG_PASSWORD', email, 'a wrong guess');
  });
});
