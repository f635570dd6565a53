import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { displayWidth } from '../../src/cli/core/output/fit.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { useCommandLine } from '../support/run-cli.js';
import { useSubprocesses } from '../support/subprocess.js';

/** Tests listings at a real terminal: size from the terminal, colours and pager from the environment. */
describe('Listings at a real terminal', function () {
  this.timeout(scaled(60_000));
  const processes = useSubprocesses();
  let database: TestDatabase;
  const cli = useCommandLine(() => ({
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    DATABASE_URL: database.url,
  }));

  before(async function () {
    if (processes.withoutTerminal) this.skip();
    database = await createMigratedDatabase();
  });
  after(() => database?.drop());
  let filled = false;
  beforeEach(async () => {
    if (filled) return;
    filled = true;
    const context = await cli.context();
    const trainer = await buildUser(context, { firstName: 'Grace', lastName: 'Adler', role: 'trainer' });
    const course = await buildCourse(context, trainer, { title: '花子 and the art of weaving large baskets' });
    for (const firstName of ['Zoë 🦊', '李小龙', 'Maximiliana Josefine', 'Ben'])
      await buildEnrollment(context, await buildUser(context, { firstName }), course);
  });

  async function shown(argv: readonly string[], columns: number, rows = 40, env: Record<string, string> = {}) {
    const size = { columns, rows };
    const { exitCode, stdout } = await processes.startAtTerminal(argv, {
      cwd: cli.folder,
      env: { ...cli.env, ...env },
      size,
    }).ended;
    expect(exitCode).to.equal(0);
    return stdout.replaceAll('\r\n', '\n');
  }

  it('fit its columns, with a bold heading unless NO_COLOR is set', async () => {
    for (const columns of [60, 120]) {
      const lines = stripVTControlCharacters(await shown(['enrollments', 'list'], columns)).split('\n');
      for (const line of lines) expect(displayWidth(line), line).to.be.at.most(columns);
      expect(lines.length).to.be.greaterThan(3);
    }
    expect((await shown(['users', 'list'], 80)).startsWith('\u001b[1mNAME')).to.equal(true);
    expect((await shown(['users', 'list'], 80, 40, { NO_COLOR: '1' })).startsWith('NAME')).to.equal(true);
  });

  it('go through the pager if they are longer than the screen', async () => {
    const paged = await shown(['users', 'list'], 80, 4, { PAGER: "sed 's/^/paged: /'" });
    expect(paged.match(/^paged: /gm)).to.have.lengthOf(6);
    expect(await shown(['users', 'list'], 80, 40, { PAGER: "sed 's/^/paged: /'" })).not.to.include('paged: ');
  });

  it('leave Ctrl-C to the pager, and end with the pager', async () => {
    const listing = processes.startAtTerminal(['users', 'list'], {
      cwd: cli.folder,
      // A pager of shell builtins only: a signal during the start of a program could be lost.
      env: {
        ...cli.env,
        PAGER: 'trap "echo interrupted" INT; echo begun; until read line </dev/tty; do :; done; echo left',
      },
      size: { columns: 80, rows: 4 },
    });
    await listing.waitForOutput(/begun/);
    listing.type('\u0003');
    await listing.waitForOutput(/interrupted/);
    listing.type('q\r');
    const { exitCode, stdout } = await listing.ended;
    expect(exitCode).to.equal(0);
    expect(stdout).to.include('left').and.to.include('Page 1 of 1, 5 accounts.');
  });
});
