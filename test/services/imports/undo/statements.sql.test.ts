import { expect } from 'chai';
import { operator } from '../../../../src/services/core.js';
import { undoImport } from '../../../../src/services/imports/commands.js';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { observeStatements } from '../../../support/statements.js';
import { hashedPeople, useImporting } from '../support/importing.js';

describe('Undoing a batch of updates', () => {
  const importing = useImporting();
  const models = () => importing.context.database.models;

  /** Updates this number of accounts, and undoes the updates. */
  async function undoUpdates(count: number, tag: string) {
    await importing.json(importing.write(`${tag}.csv`, hashedPeople(count, tag)));
    const before = await accounts();
    const changed = hashedPeople(count, tag).replaceAll('Given', 'Changed').replaceAll('+1 ', '+2 ');
    const options = ['--on-existing', 'update', '--course', 'Knots'];
    const { id, counts } = await importing.json(importing.write(`${tag}-changed.csv`, changed), ...options);
    expect(counts).to.include({ updated: count, enrolled: count });
    return { id, before };
  }

  const accounts = async () =>
    JSON.stringify(await models().User.findAll({ attributes: { exclude: ['lockVersion'] }, order: ['id'] }));

  async function undo(id: string) {
    const statements: string[] = [];
    observeStatements(importing.context.database.sequelize, (sql) => void statements.push(sql));
    const result = await undoImport(importing.context, operator, id, {
      signal: new AbortController().signal,
    });
    observeStatements(importing.context.database.sequelize, false);
    return { result, statements };
  }

  beforeEach(async () => {
    await buildCourse(importing.context, await buildUser(importing.context, { role: 'trainer' }), { title: 'Knots' });
  });

  it('runs no statement for each single row', async () => {
    const few = await undoUpdates(3, 'few');
    const { statements } = await undo(few.id);
    expect(await accounts()).to.equal(few.before);
    const many = await undoUpdates(30, 'many');
    const undone = await undo(many.id);
    expect(undone.result).to.deep.equal({ removed: 0, restored: 30, kept: [], mailsSent: 0 });
    expect(await accounts()).to.equal(many.before);
    expect(await models().Enrollment.count()).to.equal(0);
    // A long insert is divided by its number of characters.
    const most = statements.length + 3;
    expect(undone.statements.length, undone.statements.join('\n')).to.be.at.most(most);
  });
});
