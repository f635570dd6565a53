import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import type { Enrollment } from '../../src/db/models/enrollment.js';
import { people, useImporting } from '../services/imports/support/importing.js';
import { importFirstBatch } from '../services/imports/support/running.js';
import { mailSettings } from '../support/environment.js';
import {
  buildCertificate,
  buildCourse,
  buildEnrollment,
  buildGroup,
  buildIdentity,
  buildMail,
  buildMaterial,
  buildUser,
} from '../support/factories.js';
import { redBlueImage } from '../support/images.js';
import { useCommandLine } from '../support/run-cli.js';
import { useSubprocesses } from '../support/subprocess.js';
import { type Dialogue, keys } from '../support/terminal.js';
import { commands } from './support/command-lines.js';

/** Command lines of all commands that ask, and their questions. `ID`, `FILE` and `CODE` stand for values of the fixture. */
const questions: Readonly<Record<string, [line: string, question: string]>> = {
  setup: ['', 'First name'],
  'migrate down': ['', 'Revert this migration?'],
  'seed demo': ['', 'Add the demo programme here?'],
  'users register': ['', 'First name'],
  'users activate': ['ada@x.org ina@x.org', 'Activate this account?'],
  'users deactivate': ['ada@x.org ben@x.org', 'Deactivate these 2 accounts?'],
  'users reset-password': ['ada@x.org ben@x.org --credentials new.csv', 'Reset these 2 passwords?'],
  'users delete': ['ben@x.org', 'Delete this account?'],
  'users unlink': ['ben@x.org', 'Remove this identity?'],
  'users edit': ['ben@x.org --phone none', 'Use it anyway?'],
  'users invite': ['ben@x.org new@x.org', 'Invite this account?'],
  'users transfer-super-admin': ['eve@x.org', 'Change the super admin?'],
  'users import': ['more.csv', 'Import these rows?'],
  'users sync': ['more.csv --roster Readers --credentials readers.csv', 'Import these rows?'],
  'groups delete': ['Staff', 'Delete this group?'],
  'groups add': ['Staff ada@x.org eve@x.org', 'Add these 2 accounts to "Staff"?'],
  'groups remove': ['Staff --search ben', 'Remove this account from "Staff"?'],
  'courses delete': ['Bees', 'Delete this course?'],
  'courses import': ['programme.csv --trainer ada@x.org', 'Create 1 course?'],
  'courses undo-import': ['', 'Delete 1 course?'],
  'courses files remove': ['Bees FILE', 'Remove this file?'],
  'courses remove-thumbnail': ['Bees', 'Remove this image?'],
  'enrollments assign': ['Knots ben@x.org eve@x.org', 'Enroll these 2 trainees in "Knots"?'],
  'enrollments status': ['completed --course Bees', 'Change this enrollment to completed?'],
  'enrollments remove': ['ID', 'Remove this enrollment?'],
  'certificates revoke': ['CODE', 'Revoke this certificate?'],
  'mail retry': ['--state failed', 'Send again this mail?'],
  'mail withdraw': ['--state queued', 'Withdraw this mail?'],
  'audit prune': ['', 'Prune the audit log?'],
  'imports resume': ['1', 'Import these rows?'],
  'imports undo': ['1', 'Undo this import?'],
  'imports prune': ['', 'Prune the rows of imports?'],
};

describe('A question at the terminal', () => {
  const processes = useSubprocesses();
  const importing = useImporting();
  const retention = { AUDIT_RETENTION_DAYS: '30', IMPORT_RETENTION_DAYS: '30' };
  const cli = useCommandLine(() => ({ ...importing.env, ...retention, ...mailSettings }));
  let bees: Course;
  let enrollment: Enrollment;
  let fileId: string;
  let code: string;

  async function prepare(words: string): Promise<void> {
    const { context } = importing;
    // Setup asks for the super admin only if none exists.
    if (words === 'setup') return;
    await buildUser(context, { role: 'super_admin' });
    const ada = await buildUser(context, { email: 'ada@x.org', role: 'trainer' });
    const ben = await buildUser(context, { email: 'ben@x.org' });
    await buildUser(context, { email: 'eve@x.org' });
    await buildIdentity(context, ben);
    await buildGroup(context, [ben.id], 'Staff');
    await buildUser(context, { email: 'ina@x.org', isActive: false });
    const initialPasswordExpiresAt = new Date(Date.now() + 86_400_000);
    await buildUser(context, { email: 'new@x.org', requiresPasswordChange: true, initialPasswordExpiresAt });
    bees = await buildCourse(context, ada, { title: 'Bees', isPublished: true });
    await buildCourse(context, ada, { title: 'Knots', isPublished: true });
    enrollment = await buildEnrollment(context, ben, bees, {
      status: words === 'courses delete' ? 'pending' : 'active',
    });
    ({ id: fileId } = await buildMaterial(context, bees));
    ({ code } = await buildCertificate(context, ben, await buildCourse(context, ada, { title: 'Ants' })));
    importing.write('more.csv', people(3, 'more'));
    importing.write('programme.csv', 'title,description\nSilk,Worms.\n');
    if (words === 'courses undo-import')
      await cli.run(['courses', 'import', 'programme.csv', '--trainer', 'ada@x.org', '--yes'], {
        cwd: importing.folder,
      });
    importing.write('bees.jpg', await redBlueImage(40, 40).jpeg().toBuffer());
    if (words === 'courses remove-thumbnail')
      await cli.run(['courses', 'thumbnail', 'Bees', 'bees.jpg'], { cwd: importing.folder });
    await buildMail(context, { userId: ben.id });
    await buildMail(context, { userId: ben.id, state: 'failed', nextAt: null, finishedAt: new Date() });
    if (words.startsWith('imports')) await importFirstBatch(context, importing.write('people.csv', people(60)));
  }

  const argvOf = (words: string): string[] => {
    const [line = ''] = questions[words] ?? [];
    const given = line.split(' ').filter((word) => word !== '');
    return [
      ...words.split(' '),
      ...given.map((word) => ({ ID: enrollment.id, FILE: fileId, CODE: code })[word] ?? word),
    ];
  };

  it('is covered here for every command with --yes', () => {
    const withYes = [...commands].filter(([, { options }]) => options.some(({ long }) => long === '--yes'));
    expect(Object.keys(questions)).to.include.members(withYes.map(([words]) => words));
  });

  for (const [words, [, question]] of Object.entries(questions))
    it(`of "${words}" exits with 130 at Ctrl-C and with 1 after a no, and writes nothing`, async () => {
      await prepare(words);
      const before = await importing.contents();
      for (const TERM of ['xterm', 'dumb']) {
        const interrupts = new AbortController();
        // A terminal with TERM=dumb isn't in raw mode: Ctrl-C sends a signal.
        const press = TERM === 'dumb' ? () => interrupts.abort() : keys.ctrlC;
        const options = { cwd: importing.folder, env: { ...cli.env, TERM }, signal: interrupts.signal };
        const { exitCode, stdout, terminal } = await cli.atTerminal(argvOf(words), [[question, press]], options);
        expect({ exitCode, stdout }, terminal.screen()).to.deep.equal({ exitCode: 130, stdout: '' });
        if (TERM === 'dumb') expect(terminal.written()).not.to.include('\u001b');
      }
      if (question.endsWith('?')) {
        const no: Dialogue = [[question, `n${keys.enter}`]];
        const { exitCode, stdout, terminal } = await cli.atTerminal(argvOf(words), no, { cwd: importing.folder });
        expect({ exitCode, stdout }, terminal.screen()).to.deep.equal({ exitCode: 1, stdout: '' });
        expect(terminal.screen())
          .to.match(/\nNothing (more )?was \w+\.\n$/)
          .and.not.to.include('error:');
      }
      expect(await importing.contents()).to.equal(before);
    });

  describe('at a terminal without escape sequences', () => {
    const atDumbTerminal: typeof cli.atTerminal = (argv, dialogue) =>
      cli.atTerminal(argv, dialogue, { cwd: importing.folder, env: { ...cli.env, TERM: 'dumb' } });

    it('is asked in lines: texts, choices by number, hidden passwords', async () => {
      const { exitCode, stdout, terminal } = await atDumbTerminal(
        ['users', 'register'],
        [
          ['First name: ', 'F\n'],
          ['must be 2 to 50 characters', 'Fay\n'],
          ['Last name: ', 'Doe\n'],
          ['Email: ', 'fay@x.org\n'],
          ['Phone: ', '+49 30 1234567\n'],
          ['  2  Trainer\nNumber: ', '3\n'],
          ['Type a number from 1 to 2.\nNumber: ', '2\n'],
          ['Password: ', 'correct horse battery\r'],
          ['Repeat password: ', 'another horse battery\r'],
          ['The two passwords differ.', ''],
          ['Password: ', 'correct horse battery\r'],
          ['Repeat password: ', 'correct horse battery\r'],
        ],
      );
      expect(exitCode, terminal.screen()).to.equal(0);
      expect(stdout).to.match(/^Created trainer fay@x\.org/);
      expect(terminal.written()).not.to.include('\u001b').and.not.to.include('horse');
      expect(terminal.isRaw()).to.equal(false);
    });

    it('offers a search and a choice', async () => {
      await prepare('courses publish');
      const { exitCode, stdout } = await atDumbTerminal(
        ['courses', 'publish'],
        [
          ['Which course? ', 'nothing like this\n'],
          ['Nothing was found.', 'kno\n'],
          ['  1  Knots  ', '1\n'],
        ],
      );
      expect(exitCode).to.equal(0);
      expect(stdout).to.match(/^"Knots" .* is published/);
    });

    it('ends at Ctrl-C and Ctrl-D at a real terminal', async function () {
      if (processes.withoutTerminal) this.skip();
      await prepare('users delete');
      for (const key of [keys.ctrlC, keys.ctrlD]) {
        const asked = processes.startAtTerminal(['users', 'delete', 'ben@x.org'], {
          cwd: importing.folder,
          env: { ...cli.env, TERM: 'dumb', PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
          size: { columns: 80, rows: 24 },
        });
        await asked.waitForOutput(/Delete this account\?/);
        asked.type(key);
        expect((await asked.ended).exitCode).to.equal(130);
      }
    });
  });
});
