import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { useBuiltProgram } from '../../../support/built-program.js';
import { atDepth } from '../../../support/depth.js';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { emptyDatabase } from '../../../support/harness.js';
import { scaled } from '../../../support/machine.js';
import { useImporting } from '../support/importing.js';

/** People of the first file, and how many of them are in the second one, which has as many newcomers as leavers. */
const [members, staying] = [240, 120];
const leaving = members - staying - 1;

const personAt = (at: number) => `Given${at},Family,p${at}@example.org,+44 20 ${at}`;
const people = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => personAt(from + at));
const fileOf = (rows: readonly string[]) => `${['firstName,lastName,email,phone', ...rows].join('\n')}\n`;

/** The last member of the first file may be this newcomer. */
const renamed = `Given${members - 1},Family,renamed@example.org,+44 30 1`;
const second = fileOf([
  ...people(0, staying),
  ',Nobody,nobody@example.org,',
  renamed,
  ...people(members, 2 * members - staying),
]);

describe('Syncs that are killed repeatedly', function () {
  this.timeout(scaled(600_000));
  const importing = useImporting({ IMPORT_BATCH_ROWS: '50', BCRYPT_COST: '4' });
  const program = useBuiltProgram();
  const options = ['--roster', 'Class', '--course', 'Knots', '--on-leave', 'deactivate', '--yes'];
  const sync = (file: string, ...others: string[]) => importing.cli('users', 'sync', file, ...options, ...others);

  /** Makes the roster equal to the first file, always in the same way. */
  async function settle(name: string): Promise<string> {
    await emptyDatabase(importing.context);
    await importing.context.database.sequelize.query('DELETE FROM leases');
    const trainer = await buildUser(importing.context, {
      role: 'trainer',
      email: 'trainer@example.org',
      phone: '+1 1',
    });
    await buildCourse(importing.context, trainer, { title: 'Knots', maxStudents: members, waitingMax: 20 });
    const first = importing.write(`${name}-1.csv`, fileOf(people(0, members)));
    const { exitCode, stderr } = await sync(first, '--credentials', `${name}-1.credentials.csv`);
    expect(exitCode, stderr).to.equal(0);
    // Somebody deactivates a person who stays in the list.
    await importing.cli('users', 'deactivate', 'p7@example.org', '--yes');
    return importing.write(`${name}-2.csv`, second);
  }

  const argumentsOf = (file: string, name: string) => [
    ...options,
    ...['--allow-leaving', String(leaving), '--max-leaving', '5'],
    ...['--credentials', path.join(path.dirname(file), `${name}-2.credentials.csv`)],
  ];

  /** Returns what a sync leaves behind, without ids and times. */
  async function leftBehind() {
    const { Enrollment, FormerMember, GroupEnrollment, GroupMember, Import, ImportRow, User } = importing.models();
    const users = await User.findAll({ order: ['email'], raw: true });
    const emails = new Map(users.map(({ id, email }) => [id, email]));
    const enrollments = await Enrollment.findAll({ raw: true });
    const owners = new Map(enrollments.map(({ id, userId }) => [id, emails.get(userId)]));
    const last = await Import.findOne({ order: [['number', 'DESC']], rejectOnEmpty: true });
    const ledger = await ImportRow.findAll({ where: { importId: last.id }, order: ['line'], raw: true });
    return {
      counts: last.counts,
      status: last.status,
      accounts: users.map(({ email, isActive }) => `${email} ${isActive}`),
      members: (await GroupMember.findAll({ raw: true }))
        .map(({ userId, source, createdAccount }) => `${emails.get(userId)} ${source} ${createdAccount}`)
        .sort(),
      former: (await FormerMember.findAll({ raw: true }))
        .map(({ userId, deactivated }) => `${emails.get(userId)} ${deactivated}`)
        .sort(),
      enrollments: enrollments.map((one) => `${owners.get(one.id)} ${one.status} ${one.cancelReason}`).sort(),
      claims: (await GroupEnrollment.findAll({ raw: true })).map((one) => owners.get(one.enrollmentId)).sort(),
      ledger: ledger.map(({ line, outcome, code, userId }) => `${line} ${outcome} ${code} ${emails.get(userId ?? '')}`),
    };
  }

  const rounds = atDepth(2, 20);
  it(`leave what an uninterrupted sync leaves, in each of ${rounds} rounds`, async () => {
    const whole = await settle('whole');
    const { exitCode, stderr } = await importing.cli('users', 'sync', whole, ...argumentsOf(whole, 'whole'));
    expect(exitCode, stderr).to.equal(3);
    const expected = await leftBehind();
    expect(expected.counts).to.include({ left: leaving, created: members - staying, rejected: 2 });
    expect(expected.ledger.join('\n')).to.include('KEPT_INACTIVE').and.include('RENAMED_PERHAPS');
    let struck = 0;
    for (let round = 0; round < rounds; round += 1) {
      const name = `round${round}`;
      const file = await settle(name);
      const argv = [path.join(program.path, 'bin', 'coursectl.js'), 'users', 'sync', file, ...argumentsOf(file, name)];
      const child = spawn(process.execPath, argv, {
        cwd: importing.folder,
        env: { PATH: process.env.PATH, ...importing.env },
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      // Members leave first: half of the rounds end while they do.
      const [column, target] = round % 2 === 0 ? ['leftCount', leaving / 4] : ['rowsDone', staying / 2];
      const progress = async () =>
        (await importing.models().Import.findOne({ where: { number: 2 } }))?.get(column as 'leftCount') ?? 0;
      while (child.exitCode === null && (await progress()) < Number(target)) await sleep(2);
      await sleep(Math.random() * 20);
      child.kill('SIGKILL');
      await ended;
      await importing.context.database.sequelize.query('UPDATE leases SET expires_at = 0');
      const record = await importing.models().Import.findOne({ where: { number: 2 } });
      if (record?.status !== 'completed') {
        struck += 1;
        const again = await importing.cli('users', 'sync', file, ...argumentsOf(file, name));
        expect(again.exitCode, again.stderr).to.equal(3);
      }
      const found = await leftBehind();
      for (const part of Object.keys(expected) as (keyof typeof expected)[])
        expect(found[part], `${part} of round ${round}`).to.deep.equal(expected[part]);
    }
    expect(struck, 'rounds in which the sync was broken off').to.be.greaterThan(rounds / 3);
  });
});
