import { availableParallelism } from 'node:os';
import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.js';
import { coresOf, maxDatabaseConnections, settingsOfWorker, workerCount } from '../../src/config/worker-share.js';

describe('The share of a worker', () => {
  const config = (env: Record<string, string> = {}) =>
    loadConfig({ env: { DATABASE_URL: 'mysql://me@127.0.0.1/x', ...env }, cwd: '/', packageFolder: '/' });
  const sqlite = (env: Record<string, string>) => loadConfig({ env, cwd: '/', packageFolder: '/' });
  const shareOf = (env: Record<string, string>, of: number) => {
    const { database, http } = settingsOfWorker(config(env), { number: 1, of });
    return {
      pool: database.dialect === 'sqlite' ? 0 : database.poolMax,
      inFlight: http.maxInFlight,
      perAddress: http.connectionsPerAddress,
    };
  };

  it('is a part of what bounds the service', () => {
    const env = { DB_POOL_MAX: '80', MAX_REQUESTS_IN_FLIGHT: '160', MAX_CONNECTIONS_PER_ADDRESS: '2000' };
    expect(shareOf(env, 8)).to.deep.equal({ pool: 10, inFlight: 20, perAddress: 250 });
  });

  it('is not too small to work with, and never more than the whole', () => {
    expect(shareOf({}, 8)).to.deep.equal({ pool: 4, inFlight: 8, perAddress: 250 });
    const env = { DB_POOL_MAX: '2', MAX_REQUESTS_IN_FLIGHT: '3', MAX_CONNECTIONS_PER_ADDRESS: '10' };
    expect(shareOf(env, 8)).to.deep.equal({ pool: 2, inFlight: 3, perAddress: 10 });
  });

  it('leaves other settings as they are', () => {
    const whole = config({ JWT_EXPIRES_IN: '12h' });
    const { database: _database, http, ...others } = settingsOfWorker(whole, { number: 2, of: 3 });
    const { database: _whole, http: wholeHttp, ...expected } = whole;
    expect(others).to.deep.equal(expected);
    expect(http.minBodyRate).to.equal(wholeHttp.minBodyRate);
  });

  it('is a core at least', () => {
    expect(coresOf(1)).to.equal(availableParallelism());
    expect(coresOf(10 * availableParallelism())).to.equal(1);
  });

  it('is counted with one more for a replacement, and the connection of the first process', () => {
    expect(maxDatabaseConnections(config({ DB_POOL_MAX: '30' }))).to.equal(30);
    expect(maxDatabaseConnections(config({ DB_POOL_MAX: '30', WORKERS: '3' }))).to.equal(4 * 10 + 1);
  });

  it('of auto is a core, and everything on SQLite', () => {
    expect(workerCount(config({ WORKERS: 'auto' }))).to.equal(availableParallelism());
    expect(workerCount(sqlite({ WORKERS: 'auto' }))).to.equal(1);
    expect(workerCount(sqlite({}))).to.equal(1);
  });
});
