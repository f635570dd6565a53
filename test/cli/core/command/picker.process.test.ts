import { expect } from 'chai';
import type { Course } from '../../../../src/db/models/course.js';
import type { User } from '../../../../src/db/models/user.js';
import {
  buildCourse,
  buildEnrollment,
  buildImport,
  buildMaterial,
  buildUser,
  tokenFor,
} from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { useSubprocesses } from '../../../support/subprocess.js';
import { keys } from '../../../support/terminal.js';

describe('A missing argument at a terminal', () => {
  const processes = useSubprocesses();
  const { harness, cli } = useHarnessAndCli();
  let ada: User;
  let ben: User;
  let bees: Course;
  beforeEach(async () => {
    const { context } = harness;
    ada = await buildUser(context, { firstName: 'Ada', lastName: 'Zuse', email: 'ada@x.org', role: 'trainer' });
    ben = await buildUser(context, { firstName: 'Ben', lastName: 'Young', email: 'ben@x.org' });
    bees = await buildCourse(context, ada, { title: 'Bees' });
    await buildCourse(context, ada, { title: 'Knots' });
  });

  /** Adds so many records that the list shows others only after a search. */
  async function fillList(): Promise<void> {
    const { context } = harness;
    for (let count = 0; count < 7; count += 1) {
      const { id } = await buildUser(context, { firstName: 'Zoe', lastName: 'Quill' });
      const course = await buildCourse(context, ada, { title: 'Filler' });
      await buildEnrollment(context, await buildUser(context, { firstName: 'Zoe', lastName: id.slice(-8) }), course);
    }
  }

  it('can be chosen only among the imports that the command applies to', async () => {
    const { context } = harness;
    for (const [fileName, status, ledgerClosedAt] of [
      ['broken.csv', 'interrupted', null],
      ['whole.csv', 'completed', null],
      ['pruned.csv', 'failed', new Date()],
    ] as const) {
      const id = await buildImport(context, 1);
      await context.database.models.Import.update({ fileName, status, ledgerClosedAt }, { where: { id } });
    }
    const offered = async (name: string) => {
      const { terminal } = await cli.atTerminal(
        ['imports', name],
        [
          ['Which import?', ''],
          ['.csv', keys.ctrlC],
        ],
      );
      return ['broken', 'whole', 'pruned'].filter((file) => terminal.screen().includes(`${file}.csv`));
    };
    expect(await offered('resume')).to.deep.equal(['broken']);
    expect(await offered('cancel')).to.deep.equal(['broken']);
    expect(await offered('undo')).to.deep.equal(['broken', 'whole']);
    expect(await offered('show')).to.deep.equal(['broken', 'whole', 'pruned']);
  });

  it('is found by the text that the user types', async function () {
    if (processes.withoutTerminal) this.skip();
    await fillList();
    const choosing = processes.startAtTerminal(['courses', 'publish'], {
      cwd: cli.folder,
      env: { ...cli.env, PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
      size: { columns: 80, rows: 24 },
    });
    await choosing.waitForOutput(/Filler/);
    choosing.type('bee');
    await choosing.waitForOutput(/Bees {2}Ada Zuse/);
    choosing.type(keys.enter);
    const { exitCode, stdout } = await choosing.ended;
    expect(exitCode).to.equal(0);
    expect(stdout).to.include('is published.');
    await bees.reload();
    expect(bees.isPublished).to.equal(true);
  });

  it('is asked for in the order of the arguments', async () => {
    await fillList();
    const { stdout } = await cli.atTerminal(
      ['courses', 'assign-trainer'],
      [
        ['Which course?', 'kno'],
        ['Knots  Ada Zuse', keys.enter],
        ['Which account?', 'ada@'],
        ['Ada Zuse  ada@x.org  trainer', keys.enter],
      ],
    );
    expect(stdout).to.match(/^"Knots" \(\S+\) is now a course of Ada Zuse\.$/m);
  });

  it('can be an enrollment that matches the options', async () => {
    const cleo = await buildUser(harness.context, { firstName: 'Cleo', lastName: 'Xu' });
    for (const trainee of [ben, cleo]) await buildEnrollment(harness.context, trainee, bees, { status: 'active' });
    const { exitCode, terminal } = await cli.atTerminal(
      ['enrollments', 'progress', '40', '--course', 'bees'],
      [
        ['Which enrollment?', ''],
        ['Xu  Bees  active', keys.enter],
      ],
    );
    expect(exitCode).to.equal(0);
    expect(terminal.screen()).to.include('Ben Young  Bees  active').and.to.include('Cleo Xu  Bees  active');
    expect(await harness.context.database.models.Enrollment.count({ where: { progress: 40 } })).to.equal(1);
    await fillList();
    const shown = await cli.atTerminal(
      ['enrollments', 'show'],
      [
        ['Which enrollment?', 'ben'],
        ['Ben Young  Bees  active', keys.enter],
      ],
    );
    expect(shown.stdout).to.include('Ben Young (ben@x.org)');
  });

  it('can be a session or a file, which is also found by Greek capitals', async () => {
    for (const name of ['Κόσμος.txt', 'b.txt']) await buildMaterial(await cli.context(), bees, { name });
    const removed = await cli.atTerminal(
      ['courses', 'files', 'remove', 'Bees', '--yes'],
      [
        ['Which file?', 'ΚΌΣ'],
        ['Κόσμος.txt', keys.enter],
      ],
    );
    expect(removed.stdout).to.include('Removed Κόσμος.txt');
    await tokenFor(harness.context, ben);
    const ended = await cli.atTerminal(
      ['users', 'sessions', 'end', 'ben@x.org'],
      [
        ['Which session?', ''],
        ['127.0.0.1', keys.enter],
      ],
    );
    expect(ended.stdout).to.include('Ended the session of ben@x.org');
  });

  it('stops the command if nothing is chosen, or if there is nothing to choose', async () => {
    const left = await cli.atTerminal(['courses', 'publish'], [['Which course?', keys.ctrlC]]);
    expect(left.exitCode).to.equal(130);
    const { exitCode, stderr } = await cli.atTerminal(['imports', 'show'], []);
    expect(exitCode).to.equal(1);
    expect(stderr).to.include('There is no import to choose.');
  });

  it('is offered without control characters', async () => {
    await bees.update({ title: 'Bees\u001b[31m' });
    const { stderr } = await cli.atTerminal(
      ['courses', 'publish'],
      [
        ['Which course?', ''],
        ['Bees\\u001b[31m', keys.ctrlC],
      ],
    );
    expect(stderr).not.to.include('Bees\u001b[31m');
  });
});
