import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { loadConfig } from '../../../../src/config/config.js';
import { type Context, createContext } from '../../../../src/services/context.js';
import { failureOf } from '../../../db/support/failure.js';
import { type FaultyProxy, startProxy } from '../../../faults/proxy.js';
import { onMysql } from '../../../support/database.js';
import { hashedPeople, useImporting } from '../support/importing.js';
import { runToEnd, submit } from '../support/submitting.js';

(onMysql ? describe : describe.skip)('An upload whose commit loses its connection', () => {
  const importing = useImporting();
  let proxy: FaultyProxy;
  let context: Context;
  beforeEach(async () => {
    const url = new URL(importing.databaseUrl);
    proxy = await startProxy(Number(url.port || 3306));
    Object.assign(url, { hostname: '127.0.0.1', port: String(proxy.port) });
    const { hasher, logger, config } = importing.context;
    // The worker of the other context shares the files of this one.
    const env = { ...importing.env, DATABASE_URL: url.href, DATA_DIR: config.dataDir };
    context = await createContext(loadConfig({ env, cwd: importing.folder }), logger, { hasher });
  });
  afterEach(async () => {
    await context.close();
    await proxy.close();
  });

  /** Breaks the connection when the server answers the commit. Later statements may pass or fail. */
  function loseAnswer(afterwards: 'pass' | 'drop'): void {
    proxy.onSent = (data) => {
      if (!data.includes('COMMIT;')) return 'pass';
      proxy.onSent = () => afterwards;
      return 'drop response';
    };
  }
  const records = () => importing.context.database.models.Import.findAll();

  it('is queued and returned as queued if the commit succeeded', async () => {
    loseAnswer('pass');
    const { id, filePath } = await submit({ ...importing, context }, hashedPeople(3));
    expect(existsSync(filePath)).to.equal(true);
    expect((await records()).map((record) => record.id)).to.deep.equal([id]);
    expect(await runToEnd(importing, id)).to.include({ status: 'completed', createdCount: 3 });
  });

  it('keeps its file if the result of the commit is unknown', async () => {
    loseAnswer('drop');
    const { code } = await failureOf(() => submit({ ...importing, context }, hashedPeople(3)));
    expect(code).to.equal('DATABASE_UNREACHABLE');
    const [record] = await records();
    expect(await runToEnd(importing, record?.id ?? '')).to.include({ status: 'completed', createdCount: 3 });
  });
});
