import { expect } from 'chai';
import { type RunningServer, startServer } from '../../src/http/server/server.js';
import { atDepth, fullDepth } from '../support/depth.js';
import { testEnvironment } from '../support/environment.js';
import { signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { forgeries, outdated, statusWith, tryEverywhere } from './support/forged-tokens.js';

describe('Every operation that looks at a token', () => {
  const harness = useHarness({ PORT: '0' });
  let server: RunningServer;
  before(async () => {
    server = await startServer(harness.context);
  });
  after(() => server.close());

  it('refuses those that were genuine once', async () => {
    const { problems } = await tryEverywhere(server.url, await outdated(harness.context));
    expect(problems).to.deep.equal([]);
  });

  it('refuses forged ones, by default each of a sample of them', async function () {
    this.timeout(scaled(fullDepth ? 300_000 : 20_000));
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const sample = forgeries(token, testEnvironment.JWT_SECRET).filter((_, n) => n % atDepth(20, 1) === 0);
    const { problems } = await tryEverywhere(server.url, sample);
    expect(problems).to.deep.equal([]);
    expect(await statusWith(server.url, token)).to.equal(200);
  });
});

describe('GET /api/auth/me', () => {
  const harness = useHarness({ PORT: '0' });

  it('refuses every forged token there is', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    for (const [what, forged] of forgeries(token, testEnvironment.JWT_SECRET)) {
      const { status } = await harness.api('get', '/api/auth/me', forged);
      expect(status, what).to.equal(401);
    }
  });
});
