import { expect } from 'chai';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../../../support/factories.js';
import { runCli } from '../../../support/run-cli.js';
import { useImporting } from '../support/importing.js';

const header = 'firstName,lastName,email,phone,role,course';

describe('Undoing an import that changed roles', () => {
  const importing = useImporting();
  const models = () => importing.context.database.models;
  const cli = (...args: string[]) => runCli(args, { env: importing.env, cwd: importing.folder });
  const write = (...rows: string[]) => importing.write('people.csv', `${[header, ...rows].join('\n')}\n`);
  const rowOf = ({ email, phone }: { email: string; phone: string }, role: string, course = '') =>
    `New,Name,${email},${phone},${role},${course}`;
  const update = (file: string) => importing.json(file, '--on-existing', 'update');

  interface Kept {
    undo: { removed: number; restored: number; kept: { userId: string; code: string }[] };
  }

  /** What undo would do and does: the same. */
  async function undo(id: string) {
    const preview = JSON.parse((await cli('imports', 'undo', id, '--dry-run', '--json')).stdout) as Kept;
    const { exitCode, stdout } = await cli('imports', 'undo', id, '--yes', '--json');
    const done = JSON.parse(stdout) as Kept;
    expect(preview.undo).to.deep.equal(done.undo);
    return { exitCode, restored: done.undo.restored, kept: done.undo.kept.map(({ userId, code }) => [userId, code]) };
  }

  it('keeps the role of a trainer who was given a course since, and can be followed by a delete', async () => {
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
    const [user, past] = [
      await buildUser(importing.context, { role: 'trainer' }),
      await buildUser(importing.context, { role: 'trainer' }),
    ];
    const course = await buildCourse(importing.context, await buildUser(importing.context, { role: 'trainer' }));
    const { id } = await update(write(rowOf(user, 'trainee'), rowOf(past, 'trainee')));
    await buildEnrollment(importing.context, user, course, { status: 'active' });
    await buildEnrollment(importing.context, past, course, { status: 'completed' });
    expect(await undo(id)).to.deep.equal({ exitCode: 3, restored: 1, kept: [[user.id, 'ENROLLED']] });
    expect(await user.reload()).to.include({ role: 'trainee' });
    expect(await past.reload()).to.include({ role: 'trainer' });
  });

  it('removes the enrollment that the same row created', async () => {
    const user = await buildUser(importing.context, { role: 'trainer' });
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    await buildCourse(importing.context, trainer, { title: 'Knots' });
    const run = await update(write(rowOf(user, 'trainee', 'Knots')));
    expect(run.counts).to.include({ updated: 1, enrolled: 1 });
    expect(await undo(run.id)).to.deep.equal({ exitCode: 0, restored: 1, kept: [] });
    expect(await user.reload()).to.include({ role: 'trainer' });
    expect(await models().Enrollment.count()).to.equal(0);
  });

  it('restores the role where it cancels the only enrollment again', async () => {
    const user = await buildUser(importing.context, { role: 'trainer' });
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    const course = await buildCourse(importing.context, trainer, { title: 'Knots' });
    const enrollment = await buildEnrollment(importing.context, user, course, { status: 'cancelled' });
    const run = await update(write(rowOf(user, 'trainee', 'Knots')));
    expect(run.counts).to.include({ updated: 1, enrolled: 1 });
    expect(await undo(run.id)).to.deep.equal({ exitCode: 0, restored: 1, kept: [] });
    expect(await user.reload()).to.include({ role: 'trainer' });
    expect(await enrollment.reload()).to.include({ status: 'cancelled' });
  });
});

describe('Where an account has courses or enrollments that do not fit its role', () => {
  const importing = useImporting();
  const cli = (...args: string[]) => runCli(args, { env: importing.env, cwd: importing.folder });

  it('deleting accounts and courses and changing roles and trainers never ends in a bug', async () => {
    const { context } = importing;
    const admin = await signIn(context, { role: 'super_admin' });
    for (const role of ['trainee', 'trainer'] as const) {
      const odd = await buildUser(context, { role });
      const other = await buildUser(context, { role: 'trainer' });
      const [own, foreign] = [await buildCourse(context, odd), await buildCourse(context, other)];
      await buildEnrollment(context, odd, foreign, { status: 'active' });
      await buildEnrollment(context, odd, own, { status: 'active' });
      const refused = await cli('users', 'delete', odd.email, '--yes');
      expect(refused).to.include({ exitCode: 1 });
      expect(refused.stderr).to.match(/still has courses/);
      await importing.api('delete', `/api/users/${odd.id}`, admin.token).expect(400);
      const otherRole = role === 'trainee' ? 'trainer' : 'trainee';
      expect(await cli('users', 'edit', odd.email, '--role', otherRole)).to.include({ exitCode: 1 });
      const file = importing.write(
        `${role}.csv`,
        `firstName,lastName,email,phone,role\nNew,Name,${odd.email},${odd.phone},${otherRole}\n`,
      );
      expect((await importing.json(file, '--on-existing', 'update')).counts).to.include({ rejected: 1 });
      await importing
        .api('put', `/api/courses/${own.id}/assign-trainer`, admin.token)
        .send({ trainerId: other.id })
        .expect(200);
      await importing.api('delete', `/api/courses/${foreign.id}?force=true`, admin.token).expect(200);
      expect(await cli('users', 'delete', odd.email, '--yes')).to.include({ exitCode: 0 });
      await importing.api('delete', `/api/users/${other.id}`, admin.token).expect(400);
    }
  });
});
