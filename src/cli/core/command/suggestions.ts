import type { Command } from 'commander';
import { editDistance } from '../../../edit-distance.js';

/**
 * Names that other programs use for our commands. A value is the name of a command, or a line: group, command and
 * arguments.
 */
const commandSynonyms: Readonly<Record<string, readonly string[]>> = {
  accept: ['enrollments status active'],
  accounts: ['users'],
  add: ['create', 'assign'],
  admit: ['enrollments status active'],
  approve: ['enrollments status active'],
  ban: ['deactivate'],
  block: ['deactivate'],
  cancel: ['enrollments status cancelled'],
  certs: ['certificates'],
  change: ['edit'],
  check: ['doctor'],
  classes: ['courses'],
  complete: ['enrollments status completed', 'completion'],
  console: ['open'],
  del: ['delete', 'remove'],
  delete: ['remove', 'undo'],
  destroy: ['delete', 'remove'],
  disable: ['deactivate'],
  download: ['get', 'export'],
  dump: ['backup', 'export'],
  enable: ['activate'],
  enrol: ['assign'],
  enroll: ['assign'],
  find: ['list'],
  get: ['show'],
  health: ['doctor'],
  history: ['audit'],
  info: ['overview', 'show'],
  init: ['setup'],
  insert: ['create', 'assign'],
  install: ['setup'],
  instructors: ['users list --role trainer'],
  invite: ['register'],
  learners: ['users list --role trainee'],
  load: ['import'],
  lock: ['deactivate'],
  log: ['audit'],
  login: ['open'],
  logs: ['audit'],
  modify: ['edit'],
  new: ['create', 'assign'],
  participants: ['users list --role trainee', 'enrollments'],
  passwd: ['reset-password'],
  password: ['reset-password'],
  people: ['users'],
  refuse: ['enrollments status cancelled'],
  reject: ['enrollments status cancelled', 'rejects'],
  remove: ['delete', 'undo'],
  report: ['overview', 'export'],
  resend: ['mail retry', 'users invite'],
  restart: ['serve'],
  retry: ['resume'],
  revert: ['undo', 'down'],
  rm: ['undo'],
  rollback: ['undo', 'down'],
  run: ['serve'],
  search: ['list'],
  set: ['edit'],
  settings: ['config'],
  start: ['serve'],
  stats: ['overview'],
  status: ['overview', 'doctor'],
  stop: ['serve'],
  students: ['users list --role trainee'],
  suspend: ['deactivate'],
  teachers: ['users list --role trainer'],
  trainees: ['users list --role trainee'],
  trainers: ['users list --role trainer'],
  ui: ['open'],
  unenroll: ['remove'],
  update: ['edit', 'migrate up'],
  upgrade: ['migrate'],
  upload: ['import', 'add'],
  view: ['show'],
  waiting: ['enrollments list --status waiting'],
  'waiting-list': ['enrollments list --status waiting'],
  waitlist: ['enrollments list --status waiting'],
};

/** Names that other programs use for our options. Values are sorted, best first. */
const optionSynonyms: Readonly<Record<string, readonly string[]>> = {
  '--all': ['--limit'],
  '--fields': ['--columns'],
  '--filter': ['--search'],
  '--force': ['--yes'],
  '--format': ['--output <format>', '--json'],
  '--no-input': ['--yes'],
  '--order': ['--sort'],
  '--password': ['--password-stdin', '--generate-password'],
  '--query': ['--search'],
  '--waiting-list': ['--waiting-max'],
};

const maxSuggestions = 6;

interface CommandPath {
  words: string[];
  command: Command;
}

/** Returns all commands below a command, nearest first. */
function descendantsOf(command: Command): CommandPath[] {
  const children = command.commands.map((child): CommandPath => ({ words: [child.name()], command: child }));
  const further = children.flatMap((child) =>
    descendantsOf(child.command).map(({ words, command: one }) => ({
      words: [...child.words, ...words],
      command: one,
    })),
  );
  return [...children, ...further].sort((one, other) => one.words.length - other.words.length);
}

const isCalled = (command: Command, word: string) => command.name() === word || command.aliases().includes(word);

/** Suggested command: its words after the program's name, and arguments to append. */
export interface SuggestedCommand {
  words: string[];
  last: string[];
}

/** Finds commands by name, or by a line of group, command and arguments. */
function commandsOf(path: readonly string[], all: readonly CommandPath[], synonym: string): SuggestedCommand[] {
  const [group, name, ...last] = synonym.split(' ');
  const found = all.map(({ words, command }) => ({ words: [...path, ...words], command }));
  if (name === undefined)
    return found.filter(({ command }) => isCalled(command, synonym)).map(({ words }) => ({ words, last: [] }));
  const line = `${group} ${name}`;
  return found.filter(({ words }) => words.join(' ') === line).map(({ words }) => ({ words, last }));
}

/** Returns the candidates with the most similar spelling, if any. Uses commander's rule for options. */
export function mostSimilar(word: string, candidates: readonly string[]): string[] {
  const distances = candidates.map((candidate) => ({ candidate, distance: editDistance(word, candidate) }));
  const close = distances.filter(({ candidate, distance }) => {
    const length = Math.max(word.length, candidate.length);
    return distance <= 3 && (length - distance) / length > 0.4;
  });
  const least = Math.min(...close.map(({ distance }) => distance));
  return close.filter(({ distance }) => distance === least).map(({ candidate }) => candidate);
}

/** Suggests commands for an unknown word: first by synonym in the group, then by synonym elsewhere, then by spelling. */
export function suggestCommands(program: Command, group: readonly Command[], word: string): SuggestedCommand[] {
  const currentGroup = group.at(-1) ?? program;
  const path = group.map((one) => one.name());
  const synonyms = [word, ...(commandSynonyms[word] ?? [])];
  const inGroup = synonyms.flatMap((one) => commandsOf(path, descendantsOf(currentGroup), one));
  const byMeaning =
    inGroup.length > 0 ? inGroup : synonyms.flatMap((one) => commandsOf([], descendantsOf(program), one));
  const bySpelling = () =>
    mostSimilar(
      word,
      currentGroup.commands.map((one) => one.name()),
    ).map((name): SuggestedCommand => ({ words: [...path, name], last: [] }));
  return (byMeaning.length > 0 ? byMeaning : bySpelling()).slice(0, maxSuggestions);
}

/** Names that other programs use for our statuses and roles. */
const valueSynonyms: Readonly<Record<string, string>> = {
  accepted: 'active',
  admin: 'super_admin',
  approved: 'active',
  declined: 'cancelled',
  done: 'completed',
  finished: 'completed',
  instructor: 'trainer',
  participant: 'trainee',
  rejected: 'cancelled',
  student: 'trainee',
  teacher: 'trainer',
};

/** Suggests an allowed value for a wrong one, by synonym or spelling. */
export function suggestValue(typed: string, allowed: readonly string[]): string | undefined {
  const word = typed.trim().toLowerCase();
  return [word, valueSynonyms[word], ...mostSimilar(word, allowed)].find(
    (one) => one !== undefined && allowed.includes(one),
  );
}

/** Suggests an option for an unknown one, by synonym. */
export function suggestOption(command: Command, flag: string): string | undefined {
  const wanted = optionSynonyms[flag] ?? [];
  const found = wanted.flatMap((one) => command.options.filter(({ long, flags }) => long === one || flags === one));
  return found[0]?.long ?? undefined;
}
