import { expect } from 'chai';
import { buildCourse, buildEnrollment, buildUser } from '../../../support/factories.js';
import { useImporting } from '../support/importing.js';

const header = 'firstName,lastName,email,phone,role,course';

describe('Undoing an import that changed roles', () => {
  const importing = useImporting();
  const { models, cli } = importing;
  const write = (...rows: string[]) => importing.write('people.csv', `${[header, ...rows].join('\n')}\n`);
  const rowOf = ({ email, phone }: { email: string; phone: string }, role: string, course = '') =>
    `New,Name,${email},${phone},${role},${course}`;
  const update = (file: string) => importing.json(file, '--on-existing', 'update');

  interface Kept {
    undo: { removed: number; restored: number; kept: { userId: string; code: string }[] };
  }

  /** Undoes the import, and checks that the preview showed the same result. */
  async function undo(id: string) {
    const preview = JSON.parse((await cli('imports', 'undo', id, '--dry-run', '--json')).stdout) as Kept;
    const { exitCode, stdout } = await cli('imports', 'undo', id, '--yes', '--json');
    const done = JSON.parse(stdout) as Kept;
    expect(preview.undo).to.deep.equal(done.undo);
    return { exitCode, restored: done.undo.restored, kept: done.undo.kept.map(({ userId, code }) => [userId, code]) };
  }

  it('keeps the role of a trainer who got a course since, and the account can then be deleted', async () => {
    const user = await buildUser(importing.context);
    const free = await buildUser(importing.context);
    const { id } = await update(write(rowOf(user, 'trainer'), rowOf(free, 'trainer')));
    const course = await buildCourse(importing.context, user);
    expect(await undo(id)).to.deep.equal({ exitCode: 3, restored: 1, kept: [[user.id, 'HAS_COURSES']] });
    expect(await user.reload()).to.include({ role: 'trainer', firstName: 'New' });
    expect(await free.reload()).to.include({ role: 'trainee' });
    const refused = await cli('users', 'delete', user.email, '--yes');
    expect([refused.exitCode, refused.stderr]).to.deep.equal([
      1,
      'error: Trainer still has courses. Assign them to another trainer first.\n',
    ]);
    await course.destroy();
    expect(await cli('users', 'delete', user.email, '--yes')).to.include({ exitCode: 0 });
  });

  it('keeps the role of a trainee who was enrolled since', async () => {
    const build = () => buildUser(importing.context, { role: 'trainer' });
    const [user, past] = [await build(), await build()];
    const course = await buildCourse(importing.context, await build());
    const { id } = await update(write(rowOf(user, 'trainee'), rowOf(past, 'trainee')));
    await buildEnrollment(importing.context, user, course, { status: 'active' });
    await buildEnrollment(importing.context, past, course, { status: 'completed' });
    expect(await undo(id)).to.deep.equal({ exitCode: 3, restored: 1, kept: [[user.id, 'ENROLLED']] });
    expect(await user.reload()).to.include({ role: 'trainee' });
    expect(await past.reload()).to.include({ role: 'trainer' });
  });

  for (const before of ['none', 'cancelled'])
    it(`restores the role if it removes the only enrollment, which was ${before} before the import`, async () => {
      const user = await buildUser(importing.context, { role: 'trainer' });
      const trainer = await buildUser(importing.context, { role: 'trainer' });
      const course = await buildCourse(importing.context, trainer, { title: 'Knots' });
      if (before === 'cancelled') await buildEnrollment(importing.context, user, course, { status: 'cancelled' });
      const run = await update(write(rowOf(user, 'trainee', 'Knots')));
      expect(run.counts).to.include({ updated: 1, enrolled: 1 });
      expect(await undo(run.id)).to.deep.equal({ exitCode: 0, restored: 1, kept: [] });
      expect(await user.reload()).to.include({ role: 'trainer' });
      const left = (await models().Enrollment.findAll()).map(({ status }) => status);
      expect(left).to.deep.equal(before === 'cancelled' ? ['cancelled'] : []);
    });
});
