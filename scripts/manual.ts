import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { createProgram } from '../src/cli/program.js';
import { documentedDefault, settingNames, settings } from '../src/config/settings.js';
import { packageVersion } from '../src/package-root.js';

/** Escapes text for roff. */
const roffText = (line: string) =>
  line
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&');

const paragraph = (words: string) => `.PP\n${words.split('\n').map(roffText).join('\n')}`;

/** Formats lines without filling. */
const verbatim = (lines: string) => `.nf\n${lines.trimEnd().split('\n').map(roffText).join('\n')}\n.fi`;

/** Returns the commands without subcommands, with their full names as words. */
function leafCommands(command: Command, words: readonly string[]): { words: readonly string[]; command: Command }[] {
  if (command.commands.length === 0) return [{ words, command }];
  return command.commands.flatMap((child) => leafCommands(child, [...words, child.name()]));
}

/** Returns the help of a command as shown, including examples. */
async function helpText(command: Command): Promise<string> {
  const shown = new PassThrough();
  command.configureOutput({ writeOut: (part) => shown.write(part), getOutHelpWidth: () => 72 });
  command.outputHelp();
  shown.end();
  return text(shown);
}

/** Returns the manual page of the program in roff (man(7)), generated from the help and the settings. */
export async function manPage(): Promise<string> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const io = { stdin, stdout, stderr, env: {}, cwd: '/', signal: new AbortController().signal };
  const program = createProgram(io, { exitCode: 0 });
  const sections = [
    `.TH COURSECTL 1 "" "coursectl ${packageVersion()}" "User Commands"`,
    `.SH NAME\ncoursectl \\- ${roffText(program.description())}`,
    `.SH SYNOPSIS\n.B coursectl\n.I command\n.RI [ options ]`,
    '.SH DESCRIPTION',
    paragraph(
      'One program sets the system up, serves its API and its web console, and manages accounts, courses, enrollments and imports.',
    ),
    paragraph('Results go to standard output, everything else to standard error. --json prints results for programs.'),
    '.SH COMMANDS',
  ];
  for (const { words, command } of leafCommands(program, ['coursectl']))
    sections.push(`.SS ${roffText(words.join(' '))}`, verbatim(await helpText(command)));
  sections.push('.SH EXIT STATUS', ...exitStatus.map(([code, meaning]) => `.TP\n.B ${code}\n${roffText(meaning)}`));
  sections.push(
    '.SH ENVIRONMENT',
    paragraph(
      'Settings come from the environment, or from the file .env in the current folder. A global installation reads the file .env in its data folder.',
    ),
  );
  for (const name of settingNames) {
    const shown = documentedDefault(name);
    const meaning = settings[name].description + (shown && ` (default: ${shown})`);
    sections.push(`.TP\n.B ${name}\n${roffText(meaning.replaceAll('`', ''))}`);
  }
  sections.push(
    '.SH SEE ALSO',
    paragraph('The folder docs of the package; /api/docs of a running service describes its API.'),
  );
  return `${sections.join('\n')}\n`;
}

const exitStatus = [
  [0, 'Done.'],
  [1, 'An expected failure: one line says what failed and what to do. Or a question was answered with no.'],
  [2, "The command line, an input file or an option can't be used; nothing was done."],
  [
    3,
    'Done in part: some rows of an import were rejected, the undo of an import kept accounts, some of several accounts or enrollments were refused or not found, or files of a backup are missing or damaged.',
  ],
  [70, 'A bug in coursectl.'],
  [130, 'Interrupted.'],
] as const;
