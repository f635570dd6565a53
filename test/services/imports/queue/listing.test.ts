import { expect } from 'chai';
import { withLease } from '../../../../src/db/lease.js';
import { AppError } from '../../../../src/errors.js';
import { operator } from '../../../../src/services/core.js';
import { listImports } from '../../../../src/services/imports/store/find-import.js';
import { leaseName } from '../../../../src/services/imports/store/repository.js';
import { people, useImporting } from '../support/importing.js';

describe('A list of imports', () => {
  const importing = useImporting();

  it('can be filtered by the live status: runs without a lease count as interrupted', async () => {
    const { context } = importing;
    for (const rows of [1, 2, 3]) await importing.json(importing.write(`${rows}.csv`, people(rows)));
    const { Import } = context.database.models;
    const [running, dead, undoing] = await Import.findAll({ order: [['id', 'ASC']] });
    await Import.update({ status: 'running' }, { where: { id: [running?.id ?? '', dead?.id ?? ''] } });
    await undoing?.update({ status: 'undoing' });
    const listed = async (status: string) => {
      const { items, pagination } = await listImports(context, operator, { status });
      expect(pagination.totalItems).to.equal(items.length);
      for (const item of items) expect(item.status).to.equal(status);
      return items.map(({ id }) => id);
    };
    await withLease(
      context.database,
      running ? leaseName(running) : '',
      1000,
      () => new AppError('IMPORT_CONFLICT'),
      async () => {
        expect(await listed('running')).to.deep.equal([running?.id]);
        expect(await listed('interrupted')).to.deep.equal([undoing?.id, dead?.id]);
        expect(await listed('undoing')).to.deep.equal([]);
        expect(await listed('completed')).to.deep.equal([]);
      },
    );
    expect(await listed('running')).to.deep.equal([]);
    expect(await listed('interrupted')).to.deep.equal([undoing?.id, dead?.id, running?.id]);
  });
});
