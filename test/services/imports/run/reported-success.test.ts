import { expect } from 'chai';
import { operator } from '../../../../src/services/core.js';
import { cancelImport, requeueImport } from '../../../../src/services/imports/commands.js';
import { people, useImporting } from '../support/importing.js';
import { importFirstBatch } from '../support/running.js';

describe('An import that is deleted from the database right after a change', () => {
  const importing = useImporting();
  const query = (sql: string) => importing.context.database.sequelize.query(sql);

  // A trigger leaves no moment between change and deletion.
  const removeAtOnce = () =>
    query(
      'CREATE TRIGGER removed_at_once AFTER INSERT ON audit_entries FOR EACH ROW BEGIN DELETE FROM import_rows WHERE import_id = NEW.target_id; DELETE FROM imports WHERE id = NEW.target_id; END',
    );
  afterEach(() => query('DROP TRIGGER removed_at_once'));

  it('was cancelled and queued again, as the answers say', async () => {
    const interrupted = async (tag: string) => {
      const { id } = await importFirstBatch(importing.context, importing.write(`${tag}.csv`, people(600, tag)));
      return id;
    };
    const [cancelled, queued] = [await interrupted('a'), await interrupted('b')];
    await importing.context.database.models.Import.update({ origin: 'http' }, { where: { id: queued } });
    await removeAtOnce();
    expect(await cancelImport(importing.context, operator, cancelled)).to.include({
      id: cancelled,
      status: 'cancelled',
    });
    expect(await requeueImport(importing.context, operator, queued)).to.include({ id: queued, status: 'queued' });
    expect(await importing.context.database.models.Import.count()).to.equal(0);
  });
});
