import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { createProgram } from '../../../src/cli/program.js';

/** Returns the commands without subcommands, by their words. */
export function leavesOf(command: Command, words: readonly string[] = []): Map<string, Command> {
  if (command.commands.length === 0) return new Map([[words.join(' '), command]]);
  return new Map(command.commands.flatMap((child) => [...leavesOf(child, [...words, child.name()])]));
}

/** Creates a program without output. */
export function newProgram(): Command {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const io = { stdin, stdout, stderr, env: {}, cwd: process.cwd(), signal: new AbortController().signal };
  return createProgram(io, { exitCode: 0 });
}

/** All commands, by their words. */
export const commands = leavesOf(newProgram());

const person = '--first-name Eve --last-name Moe --email eve@x.org --phone 5550199 --password-stdin';

/** A command line of each writing command, which would change something. `ID` stands for an enrollment, `FILE` for a file. */
export const writingLines: Readonly<Record<string, string>> = {
  setup: `${person} --yes`,
  'migrate up': '',
  'migrate down': '--all --yes',
  'seed demo': '',
  'users register': `${person} --role trainee`,
  'users activate': 'ben@x.org',
  'users deactivate': 'ben@x.org',
  'users unlock': 'ben@x.org',
  'users reset-password': 'ben@x.org',
  'users invite': 'ben@x.org',
  'users export': '',
  'users unlink': 'ben@x.org x --yes',
  'users sessions end': 'ben@x.org x',
  'users sessions end-all': 'ben@x.org',
  'users edit': 'ben@x.org --last-name Old',
  'users delete': 'ben@x.org --yes',
  'users rekey-phones': '--country DE',
  'users transfer-super-admin': 'ben@x.org',
  'users import': 'FILE --yes',
  'users sync': 'FILE --roster Staff --yes',
  'groups create': 'Beekeepers',
  'groups rename': 'Staff Team',
  'groups edit': 'Staff --max-leaving 20%',
  'groups delete': 'Staff --yes',
  'groups add': 'Staff ben@x.org',
  'groups remove': 'Staff ben@x.org',
  'courses create': '--title Knots --description Ropes --trainer ada@x.org',
  'courses edit': 'Bees --title Ants',
  'courses delete': 'Bees --force --yes',
  'courses publish': 'Bees',
  'courses unpublish': 'Bees',
  'courses export': '',
  'courses import': 'FILE --yes',
  'courses undo-import': '--yes',
  'courses assign-trainer': 'Bees ada@x.org',
  'courses files add': 'Bees FILE',
  'courses files remove': 'Bees x --yes',
  'courses thumbnail': 'Bees FILE',
  'files sweep': '--remove-unknown',
  backup: 'copy',
  'courses remove-thumbnail': 'Bees --yes',
  'enrollments assign': 'Bees eve@x.org',
  'enrollments export': '',
  'enrollments status': 'ID active',
  'enrollments progress': 'ID 50',
  'enrollments reply': 'ID Welcome',
  'enrollments remove': 'ID --yes',
  'certificates revoke': 'x --yes',
  'audit prune': '--yes',
  'mail list': '',
  'mail show': 'x',
  'mail retry': 'x --yes',
  'mail withdraw': 'x --yes',
  'mail send': '',
  'imports list': '',
  'imports show': 'x',
  'imports export': 'x',
  'imports rejects': 'x',
  'imports resume': 'x --yes',
  'imports cancel': 'x',
  'imports undo': 'x --yes',
  'imports rows': 'x',
  'imports prune': '--yes',
};

/** A command line of each other command. These only read, or check the schema themselves, like `serve`. */
export const readingLines: Readonly<Record<string, string>> = {
  serve: '--port 0',
  doctor: '',
  config: '',
  open: '--print',
  completion: 'bash',
  restore: 'copy',
  'migrate status': '',
  'audit list': '',
  'mail test': 'me@example.org',
  'users list': '',
  'users show': 'ben@x.org',
  'users identities': 'ben@x.org',
  'users sessions list': 'ben@x.org',
  'groups list': '',
  'groups show': 'Staff',
  overview: '',
  'courses list': '',
  'courses show': 'Bees',
  'courses calendar': 'Bees',
  'courses categories': '',
  'courses trainers': '',
  'courses stats': '',
  'courses files list': 'Bees',
  'courses files get': 'Bees x',
  'enrollments list': '',
  'enrollments show': 'ID',
  'enrollments stats': '',
  'certificates list': '',
  'certificates show': 'x',
};

/** Returns the words of a line. @param stands values for `ID` and `FILE` */
export function wordsOf(line: string, stands: { ID: string; FILE: string }): string[] {
  const words = line.split(' ').filter((word) => word !== '');
  return words.map((word) => (word === 'ID' ? stands.ID : word === 'FILE' ? stands.FILE : word));
}
