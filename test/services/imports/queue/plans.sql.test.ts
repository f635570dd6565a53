import { existsSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import type { Transaction } from 'sequelize';
import { withLease } from '../../../../src/db/lease.js';
import { AppError } from '../../../../src/errors.js';
import { cancelImport, requeueImport } from '../../../../src/services/imports/commands.js';
import { queuePlannedImport, replanImport } from '../../../../src/services/imports/queue/plan-commands.js';
import { makePlan } from '../../../../src/services/imports/queue/plan-worker.js';
import { startImportWorker } from '../../../../src/services/imports/queue/worker.js';
import { sweepPlans } from '../../../../src/services/imports/store/plan-store.js';
import { leaseName } from '../../../../src/services/imports/store/repository.js';
import { importsFolder } from '../../../../src/services/imports/store/spool.js';
import { failureOf } from '../../../db/support/failure.js';
import { buildUser } from '../../../support/factories.js';
import { runCli } from '../../../support/run-cli.js';
import { racing } from '../../../support/transactions.js';
import { hashedPeople, people, useImporting } from '../support/importing.js';
import { client, runToEnd, runToPlan, runUntil, submit } from '../support/submitting.js';

const hours = 3_600_000;

describe('Plans of imports', () => {
  const importing = useImporting();
  const { models } = importing;
  const { signal } = new AbortController();
  const apply = (id: string) => queuePlannedImport(importing.context, client, id, {});
  const find = (id: string) => models().Import.findByPk(id, { rejectOnEmpty: true });
  const lines = async (id: string) =>
    (await models().ImportPlanRow.findAll({ where: { importId: id }, order: ['line'] })).map(({ line }) => line);
  const spooled = () => {
    const folder = importsFolder(importing.context);
    return existsSync(folder) ? readdirSync(folder) : [];
  };

  /** Makes a plan as the worker does, and calls a function at every commit of a batch. */
  async function planWith(id: string, atCommit: (commits: number) => Promise<void> | void, stop = signal) {
    const { context } = importing;
    let commits = 0;
    async function inTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
      const result = await context.database.inTransaction(work);
      commits += 1;
      await atCommit(commits);
      return result;
    }
    const watched = { ...context, database: { ...context.database, inTransaction } };
    const record = await find(id);
    const refusal = () => new AppError('IMPORT_CONFLICT');
    return withLease(context.database, leaseName(record), 0, refusal, (lease) =>
      makePlan(watched, record, lease, stop),
    );
  }

  it('start again from the beginning after a stop, and are then complete', async () => {
    const { id } = await submit(importing, people(200), { plan: true });
    const stopping = new AbortController();
    const { code } = await failureOf(() =>
      planWith(id, (commits) => void (commits === 3 && stopping.abort()), stopping.signal),
    );
    expect(code).to.equal('INTERRUPTED');
    expect((await lines(id)).length).to.be.within(1, 199);
    expect(await find(id)).to.include({ status: 'planning' });
    expect(await runToPlan(importing, id)).to.include({ status: 'planned', rowsTotal: 200, rowsDone: 0 });
    expect(await lines(id)).to.deep.equal(Array.from({ length: 200 }, (_, index) => index + 2));
  });

  it('store no blank cells at the end of a row', async () => {
    const header = `firstName,lastName,email,phone,${Array.from({ length: 200 }, (_, index) => `h${index}`).join(',')}`;
    const { id } = await submit(importing, `${header}\nAnn\n,Lee,,,,,,,,x,,,,,\n`, { plan: true });
    await runToPlan(importing, id);
    const kept = await models().ImportPlanRow.findAll({ where: { importId: id }, order: ['line'] });
    expect(kept.map(({ cellsJson }) => JSON.parse(cellsJson))).to.deep.equal([
      ['Ann'],
      ['', 'Lee', '', '', '', '', '', '', '', 'x'],
    ]);
  });

  it('stop if another plan is requested or they are cancelled, and leave no rows', async () => {
    const stopAt = async (change: (id: string) => Promise<unknown>) => {
      const { id } = await submit(importing, people(200), { plan: true });
      const stopped = await failureOf(() =>
        planWith(id, async (commits) => void (commits === 3 && (await change(id)))),
      );
      expect(stopped.code).to.equal('IMPORT_CONFLICT');
      return id;
    };
    const replanned = await stopAt((id) => replanImport(importing.context, client, id, { role: 'trainer' }));
    await runToPlan(importing, replanned);
    expect(await lines(replanned)).to.have.length(200);
    expect((await find(replanned)).optionsJson).to.include('"role":"trainer"');
    const cancelled = await stopAt((id) => cancelImport(importing.context, client, id));
    expect(await find(cancelled)).to.include({ status: 'discarded' });
    expect(await lines(cancelled)).to.deep.equal([]);
    expect(spooled()).to.not.include(cancelled);
  });

  it('are made by one of two workers, and by the other worker if the first loses its lease', async () => {
    const { context } = importing;
    const ids: string[] = [];
    for (const tag of ['a', 'b', 'c']) ids.push((await submit(importing, people(120, tag), { plan: true })).id);
    const second = startImportWorker(context, { pollMs: 20 });
    for (const id of ids) await runToPlan(importing, id);
    await second.close();
    for (const id of ids) expect(await lines(id)).to.have.length(120);

    const { id } = await submit(importing, people(200, 'd'), { plan: true });
    const { code } = await failureOf(() =>
      planWith(id, async (commits) => {
        if (commits !== 3) return;
        await context.database.sequelize.query("UPDATE leases SET expires_at = 0 WHERE name LIKE 'import-job:%'");
        await runToPlan(importing, id);
      }),
    );
    expect(code).to.equal('IMPORT_CONFLICT');
    expect(await find(id)).to.include({ status: 'planned' });
    expect(await lines(id)).to.have.length(200);
  });

  it("don't wait for running imports", async () => {
    const running = await submit(importing, people(800, 'r'));
    const { id } = await submit(importing, people(3), { plan: true });
    const record = await runUntil(importing, id, ({ status }) => status === 'planned');
    expect(record.finishedAt).to.equal(null);
    expect((await find(running.id)).rowsDone).to.be.below(800);
  });

  it('expire with their files and rows, but not while they are applied', async () => {
    const [waiting, applied] = [
      await submit(importing, people(3), { plan: true }),
      await submit(importing, people(3, 'q'), { plan: true }),
    ];
    for (const { id } of [waiting, applied]) await runToPlan(importing, id);
    await apply(applied.id);
    expect(await sweepPlans(importing.context)).to.deep.equal({ expired: 0, removed: 0 });
    importing.advance(25 * hours);
    expect((await failureOf(() => apply(waiting.id))).message).to.match(/has expired\. Upload the file again\.$/);
    expect(await sweepPlans(importing.context)).to.deep.equal({ expired: 1, removed: 0 });
    expect(await find(waiting.id)).to.include({ status: 'expired' });
    expect([await lines(waiting.id), await models().ImportPlan.count()]).to.deep.equal([[], 1]);
    expect(spooled()).to.include(applied.id).and.not.include(waiting.id);
    expect(await runToEnd(importing, applied.id)).to.include({ status: 'completed', createdCount: 3 });
  });

  it('are removed if a crash left them after the end of their import', async () => {
    const { id } = await submit(importing, hashedPeople(3), { plan: true });
    await runToPlan(importing, id);
    await models().Import.update({ status: 'completed', rowsDone: 3 }, { where: { id } });
    expect(await sweepPlans(importing.context)).to.deep.equal({ expired: 0, removed: 1 });
    expect([await lines(id), await models().ImportPlan.count()]).to.deep.equal([[], 0]);
  });

  it('are made again if their import failed and is resumed, but are not applied', async () => {
    const { id } = await submit(importing, people(3), { plan: true });
    await models().Import.update({ status: 'failed', errorCode: 'BUG' }, { where: { id } });
    const resumed = await importing.cli('imports', 'resume', id, '--yes');
    expect(resumed.stderr).to.include(
      `The plan of the import 1 was not applied: apply it in the web console or with POST /api/imports/${id}/apply.`,
    );
    expect(await requeueImport(importing.context, client, id)).to.include({ status: 'planning' });
    await runToPlan(importing, id);
    expect(await models().User.count()).to.equal(0);
  });

  it('must not be outdated if their import is resumed before its first row', async () => {
    const { id } = await submit(importing, people(3), { plan: true });
    await runToPlan(importing, id);
    await apply(id);
    await cancelImport(importing.context, client, id);
    await buildUser(importing.context, { email: 'p00001@example.org', phone: '+1 112 00001' });
    const resume = (env: object, ...options: string[]) =>
      runCli(['imports', 'resume', id, '--yes', ...options], {
        env: { ...importing.env, ...env },
        cwd: importing.folder,
      });
    expect((await resume({})).stderr).to.include(
      `can't be read in ${importing.folder}/imports. Set DATA_DIR to the same folder as the service, or upload the file again.`,
    );
    const { dataDir: DATA_DIR } = importing.context.config;
    expect((await resume({ DATA_DIR }, '--rejects', 'bad.csv')).stderr).to.include(
      'The import 1 was uploaded over HTTP: its reports stay in its folder, where people download them. Leave --credentials and --rejects out.',
    );
    const resumed = await resume({ DATA_DIR });
    expect(resumed.stderr).to.match(/^error: The plan [0-9a-f]{16} is out of date: /);
    await requeueImport(importing.context, client, id);
    expect(await runToPlan(importing, id)).to.include({ status: 'planned', rowsDone: 0 });
    expect(await models().User.count()).to.equal(1);
  });

  it('are applied a single time, whatever the number of requests', async () => {
    const { id } = await submit(importing, people(3), { plan: true });
    await runToPlan(importing, id);
    const answers = await Promise.allSettled([1, 2, 3].map(() => apply(id)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect(await runToEnd(importing, id)).to.include({ createdCount: 3 });
  });

  it('of failed imports count towards the limit of an account', async () => {
    const { context } = importing;
    const actor = { ...client, actorId: (await buildUser(context, { role: 'super_admin' })).id };
    const imports = { ...context.config.imports, plansPerAccount: 1 };
    const few = { ...context, config: { ...context.config, imports } };
    const failed = await submit(importing, people(2).replace('phone', 'x'));
    expect(await runToEnd(importing, failed.id)).to.include({ status: 'failed' });
    const waiting = await submit(importing, people(3), { plan: true });
    await models().Import.update({ createdBy: actor.actorId }, { where: {} });
    const plan = () => replanImport(few, actor, failed.id, { map: [{ column: 3, field: 'phone' }] });
    expect((await failureOf(plan)).code).to.equal('PLAN_LIMIT');
    expect(await find(failed.id)).to.include({ status: 'failed' });
    await cancelImport(few, actor, waiting.id);
    expect(await plan()).to.include({ status: 'planning' });
  });

  it("don't expire if they are made again while the cleanup reads the old plans", async () => {
    const { id } = await submit(importing, people(3), { plan: true });
    await runToPlan(importing, id);
    importing.advance(25 * hours);
    const { context } = importing;
    const swept = await sweepPlans(racing(context, () => replanImport(context, client, id, {})));
    expect(swept).to.deep.equal({ expired: 0, removed: 0 });
    expect(await find(id)).to.include({ status: 'planning' });
  });
});
