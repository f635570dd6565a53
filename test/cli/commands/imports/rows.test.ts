import { expect } from 'chai';
import { people, useImporting } from '../../../services/imports/support/importing.js';
import { runToPlan, submit } from '../../../services/imports/support/submitting.js';

describe('coursectl imports rows', () => {
  const importing = useImporting();
  const { cli } = importing;

  it('lists the rows of an import, filtered by outcome, code and text', async () => {
    importing.write('people.csv', `${people(2)}A,B,nobody,1\n`);
    const { id } = await importing.json('people.csv');
    const { stdout } = await cli('imports', 'rows', id);
    expect(stdout).to.match(/^LINE +OUTCOME +CODE +ACCOUNT +WHY\n +2 +created +p00001@example\.org\s/);
    const rejected = JSON.parse((await cli('imports', 'rows', id, '--outcome', 'rejected', '--json')).stdout);
    expect(rejected.pagination).to.include({ totalItems: 1 });
    expect(rejected.rows[0]).to.deep.include({ line: 4, code: 'NAME_INVALID', account: null, cells: null });
    const found = await cli('imports', 'rows', id, '--search', 'p00002', '--code', 'EMAIL_INVALID', '--json');
    expect(JSON.parse(found.stdout).rows).to.deep.equal([]);
    for (const code of ['NAME_INVALID', 'EMAIL_INVALID']) {
      const [row] = JSON.parse((await cli('imports', 'rows', id, '--code', code, '--json')).stdout).rows;
      expect(row, code).to.deep.include({ line: 4, code: 'NAME_INVALID' });
    }
    const wrong = await cli('imports', 'rows', id, '--outcome', 'lost');
    expect(wrong.exitCode).to.equal(2);
    expect(wrong.stderr).to.include('--outcome must be one of created, updated, skipped, rejected, left.');
  });

  it('finds rejected rows by their cells, but not by passwords', async () => {
    const rows = [
      'Jané,Doe,jane@x.org,1,Knots,s3cret-one',
      'Jack,Doe,jack@x.org,2,,s3cret-two',
      'Jim,Doe,jim@x.org,3,,s3cret-three,jane@x.org',
    ];
    importing.write('people.csv', ['firstName,lastName,email,phone,course,password', ...rows, ''].join('\n'));
    const { id, counts } = await importing.json('people.csv');
    expect(counts).to.include({ created: 1, rejected: 2 });
    const found = async (text: string) => {
      const { stdout } = await cli('imports', 'rows', id, '--search', text, '--json');
      return (JSON.parse(stdout) as { rows: { line: number }[] }).rows.map(({ line }) => line);
    };
    for (const text of ['jane', 'JANE@X.ORG', 'knots', 'doe jane']) expect(await found(text), text).to.deep.equal([2]);
    expect(await found('jack')).to.deep.equal([3]);
    expect(await found('4')).to.deep.equal([4]);
    // In the last row, any cell may be the password.
    for (const text of ['s3cret', 'jim']) expect(await found(text), text).to.deep.equal([]);
    expect(JSON.stringify(await importing.context.database.models.ImportRow.findAll())).not.to.include('s3cret');
  });

  it('shows the result for each account after an undo', async () => {
    importing.write('people.csv', people(2));
    const { id } = await importing.json('people.csv');
    expect((await cli('imports', 'rows', '1')).stdout).not.to.include('UNDO');
    const { User } = importing.context.database.models;
    await User.update({ lastLogin: new Date() }, { where: { email: 'p00002@example.org' }, silent: true });
    expect(await cli('imports', 'undo', id, '--yes')).to.include({ exitCode: 3 });
    const { stdout } = await cli('imports', 'rows', '1');
    expect(stdout)
      .to.match(/^LINE +OUTCOME +CODE +ACCOUNT +UNDO +WHY\n/)
      .and.to.match(/^ +2 +created +removed$/m)
      .and.to.match(/^ +3 +created +p00002@example\.org +kept LOGGED_IN$/m);
  });

  it('lists the rows of a plan, and shows and discards the plan', async () => {
    const { id } = await submit(importing, `${people(2)}A,B,nobody,1\n`, { plan: true });
    const { planId } = await runToPlan(importing, id);
    const planned = JSON.parse((await cli('imports', 'rows', id, '--json')).stdout);
    expect(planned.rows[2]).to.deep.include({ outcome: 'rejected', cells: ['A', 'B', 'nobody', '1'], changes: [] });
    expect((await cli('imports', 'show', id)).stdout).to.match(new RegExp(`plan +${planId}\n`));
    const shown = JSON.parse((await cli('imports', 'show', id, '--json')).stdout);
    expect(shown.import.plan.counts).to.include({ created: 2, rejected: 1 });
    const resumed = await cli('imports', 'resume', id, '--yes');
    expect(resumed.stderr).to.include(
      `The import 1 is planned, and its plan was not applied: apply it in the web console or with POST /api/imports/${id}/apply.`,
    );
    expect((await cli('imports', 'cancel', id)).stdout).to.equal('Plan discarded: import 1\n');
    expect((await cli('imports', 'list', '--status', 'discarded')).stdout).to.include(id);
  });
});
