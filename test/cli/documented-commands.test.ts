import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarnessAndCli } from '../support/harness-cli.js';
import { type Dialogue, keys } from '../support/terminal.js';
import { commands } from './support/command-lines.js';

const document = readFileSync(fileURLToPath(new URL('../../docs/CLI.md', import.meta.url)), 'utf8');

/** Returns the command lines of the document, without comments and the program's name. */
function documentedLines(): string[] {
  const blocks = [...document.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const lines = blocks.join('').trimEnd().split('\n');
  return lines.map((line) => line.replace(/^coursectl /, '').replace(/ +#.*$/, ''));
}

const yes: Dialogue = [['(y/N)', `y${keys.enter}`]];

/** Answers at the terminal, by command line. */
const answers: Readonly<Record<string, Dialogue>> = {
  'users deactivate --from leavers.csv': yes,
  'groups add "Year 9" --from class.csv': yes,
  'enrollments assign "Weaving for beginners" --group "Year 9"': yes,
  'enrollments status active --course "Weaving for beginners" --status pending': yes,
  'enrollments remove --trainee grace@example.org --status cancelled': yes,
  // The choices appear a moment after the question.
  'courses publish': [
    ['Which course?', ''],
    ['Dyeing', keys.enter],
  ],
};

/** Returns the commands in the document's tables. `users list\|show` means two commands. */
function namedCommands(): string[] {
  const cells = [...document.matchAll(/^\| [a-z ]+ \| (`.*`) \|$/gm)].map(([, cell = '']) => cell);
  return cells
    .flatMap((cell) => cell.split(', '))
    .flatMap((quoted) => {
      const words = quoted.replaceAll('`', '').split(' ');
      return (words.pop() ?? '').split('\\|').map((last) => [...words, last].join(' '));
    });
}

describe('The commands of docs/CLI.md', () => {
  const { harness, cli } = useHarnessAndCli();

  it('are complete', () => {
    expect(namedCommands().sort()).to.deep.equal([...commands.keys()].sort());
  });

  it('work in their order', async () => {
    const { context } = harness;
    const { Course, Enrollment } = context.database.models;
    const trainer = await buildUser(context, { email: 'ada@example.org', role: 'trainer' });
    const grace = await buildUser(context, { email: 'grace@example.org' });
    await buildUser(context, { phone: '555 0102', requiresPasswordChange: true });
    const other = await buildCourse(context, trainer, { title: 'Dyeing', isPublished: true });
    await buildEnrollment(context, grace, other, { status: 'cancelled' });
    const waiting = await buildUser(context);
    for (const [name, people] of [
      ['leavers.csv', [await buildUser(context)]],
      ['class.csv', [await buildUser(context), await buildUser(context)]],
    ] as const)
      writeFileSync(path.join(cli.folder, name), `email\n${people.map(({ email }) => `${email}\n`).join('')}`);
    writeFileSync(path.join(cli.folder, 'patterns.pdf'), '%PDF-1.4\n');

    const lines = documentedLines();
    expect(lines).to.include.members(Object.keys(answers));
    for (const line of lines) {
      const argv = (line.replace(/ > .*$/, '').match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
      const dialogue = answers[line];
      const { exitCode, stdout, stderr } = dialogue ? await cli.atTerminal(argv, dialogue) : await cli.run(argv);
      expect(exitCode, `${line}\n${stdout}${stderr}`).to.equal(0);
      // A trainee requests enrollment once the course is published.
      if (line.startsWith('courses publish "')) {
        const course = await Course.findOne({ where: { title: 'Weaving for beginners' }, rejectOnEmpty: true });
        await buildEnrollment(context, waiting, course, { status: 'pending' });
      }
    }
    const found = await Enrollment.findAll();
    const ofGrace = found.filter(({ userId }) => userId === grace.id);
    expect(ofGrace.map(({ status, progress }) => [status, progress])).to.deep.equal([['active', 75]]);
    expect(found.map(({ status }) => status)).to.deep.equal(Array(5).fill('active'));
  });
});
