import { expect } from 'chai';
import { operator } from '../../../../src/services/core.js';
import { planImport } from '../../../../src/services/imports/plan/plan.js';
import { applyImport } from '../../../../src/services/imports/queue/apply.js';
import { buildUser } from '../../../support/factories.js';
import { hashedPeople, useImporting } from '../support/importing.js';
import { applyOptions, batchRows } from '../support/running.js';

const count = 120;
const update = ['--on-existing', 'update'];

describe('The plan of an interrupted run', () => {
  const importing = useImporting();
  const models = () => importing.context.database.models;
  const emailAt = (row: number) => `p${String(row).padStart(5, '0')}@example.org`;
  const edit = (row: number) => models().User.update({ firstName: 'Edited' }, { where: { email: emailAt(row) } });
  const firstNameAt = async (row: number) =>
    (await models().User.findOne({ where: { email: emailAt(row) } }))?.firstName;

  /** Applies a plan, and interrupts it after batches with these numbers of rows. @returns the file and the id of the plan */
  async function brokenOff(done: number) {
    const csv = hashedPeople(count);
    for (const row of [1, 110]) await buildUser(importing.context, { email: emailAt(row), phone: `+1 old ${row}` });
    const file = importing.write('people.csv', csv);
    const { signal } = new AbortController();
    const plan = await planImport(importing.context, { file, options: { onExisting: 'update' }, signal });
    const breaking = new AbortController();
    if (done === 0) breaking.abort();
    const onProgress = (rows: number) => {
      if (rows === done) breaking.abort();
    };
    const result = await applyImport(
      importing.context,
      operator,
      plan,
      applyOptions({ signal: breaking.signal, onProgress }),
    );
    expect(result).to.include({ status: 'interrupted' });
    expect(result.counts.rows).to.equal(done);
    return { file, planId: plan.id };
  }

  const apply = (file: string, planId: string) => importing.run(file, '--plan', planId, ...update);

  it('is invalid if an account was edited before the first row was imported', async () => {
    const { file, planId } = await brokenOff(0);
    await edit(1);
    const { exitCode, stderr } = await apply(file, planId);
    expect([exitCode, stderr.split(':')[1]]).to.deep.equal([1, ` The plan ${planId} is out of date`]);
    expect(await firstNameAt(1)).to.equal('Edited');
  });

  it('is resumed if no account was edited, and in any case after its first rows', async () => {
    for (const done of [0, batchRows]) {
      await models().Import.destroy({ where: {} });
      await models().User.destroy({ where: {} });
      const { file, planId } = await brokenOff(done);
      if (done > 0) for (const row of [1, 110]) await edit(row);
      const { exitCode, stdout } = await apply(file, planId);
      expect([exitCode, stdout.split(' in ')[0]]).to.deep.equal([0, `Done: ${count} rows`]);
    }
    expect(await firstNameAt(1)).to.equal('Edited');
  });
});
