import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { findServer, startThrowAwayServer } from './test-server.js';

describe('A throw-away server', () => {
  it('that does not start leaves nothing behind', async function () {
    if (findServer() === undefined) return this.skip();
    const servers = () => readdirSync(tmpdir()).filter((name) => name.startsWith('coursectl-test-db-'));
    const before = servers();
    const failure = await startThrowAwayServer({ options: ['--no-such-option'] }).catch((error: unknown) => error);
    expect(String(failure)).to.include('ended at its start').and.to.include('no-such-option');
    expect(servers().filter((name) => !before.includes(name))).to.deep.equal([]);
  });
});
