import { expect } from 'chai';
import { loadConfig } from '../../../src/config/config.js';
import { login } from '../../../src/services/auth/login.js';
import { type Context, createContext } from '../../../src/services/context.js';
import { type FaultyProxy, startProxy } from '../../faults/proxy.js';
import { onMysql } from '../../support/database.js';
import { testEnvironment } from '../../support/environment.js';
import { buildUser, factoryPassword } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';

/** The commands in what a client sends to the server: each begins a packet with the number 0. */
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
/** A database 100 ms away answers a login within 2 s then. */
const [limit, wrongLimit] = [16, 9];

(onMysql ? describe : describe.skip)('The round trips of a login (need a MySQL or MariaDB server)', () => {
  const harness = useHarness();
  let proxy: FaultyProxy;
  let context: Context;
  beforeEach(async () => {
    const url = new URL(harness.databaseUrl);
    proxy = await startProxy(Number(url.port || 3306));
    Object.assign(url, { hostname: '127.0.0.1', port: String(proxy.port) });
    const { hasher, logger } = harness.context;
    const env = { ...testEnvironment, MAX_SESSIONS: '3', DATABASE_URL: url.href };
    context = await createContext(loadConfig({ env, cwd: '/' }), logger, { hasher });
    // Opens a connection, whose settings are made once.
    await context.database.read(() => context.database.models.User.count());
  });
  afterEach(async () => {
    await context.close();
    await proxy.close();
  });

  /** What is sent to the database while somebody signs in, and how that ends. */
  async function signingIn(identifier: string, password = factoryPassword) {
    const sent: string[] = [];
    proxy.onSent = (data) => {
      sent.push(...commandsIn(data));
      return 'pass';
    };
    const outcome = await login(context, { identifier, password }, client).then(
      () => 'signed in',
      (error: { code?: string }) => error.code,
    );
    proxy.onSent = undefined;
    return { sent, outcome };
  }

  async function expectAtMost(most: number, wanted: string, ...credentials: [identifier: string, password?: string]) {
    const { sent, outcome } = await signingIn(...credentials);
    expect(outcome).to.equal(wanted);
    expect(sent.length, sent.join('\n')).to.be.within(1, most);
  }

  it('are few with the right password, and for an account with as many sessions as it may have', async () => {
    const { id, email, phone } = await buildUser(harness.context);
    for (const identifier of [email, email, phone]) await expectAtMost(limit, 'signed in', identifier);
    // Ending the oldest takes another one.
    for (let count = 0; count < 2; count += 1) await expectAtMost(limit + 1, 'signed in', email);
    expect(await harness.context.database.models.Session.count({ where: { userId: id } })).to.equal(3);
  });

  it('are fewer with a wrong password, and as many whether an account exists and is active, or not', async () => {
    const { email } = await buildUser(harness.context);
    const { email: inactive } = await buildUser(harness.context, { isActive: false });
    const counts = new Set<number>();
    for (const identifier of [email, inactive, 'nobody@example.org', '+44 20 7946 0999'])
      counts.add((await signingIn(identifier, 'a wrong guess')).sent.length);
    expect([...counts]).to.have.length(1);
    await expectAtMost(wrongLimit, 'WRONG_PASSWORD', email, 'a wrong guess');
  });

  it('are three when the account is locked', async () => {
    const { email } = await buildUser(harness.context);
    for (let guess = 0; guess < 10; guess += 1) await signingIn(email, 'a wrong guess');
    await expectAtMost(3, 'TOO_MANY_ATTEMPTS', email);
  });
});
