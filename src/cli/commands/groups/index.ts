import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';
import { bulkNotes, yesOption } from '../../core/command/declaration.js';
import { createGroupOptions, editGroupOptions, groupListOptions, memberOptions } from './options.js';

export function register(program: Command, registry: Registry): void {
  const groups = program.command('groups').description('Name groups of people, and fill them');

  define(groups, registry, {
    usage: 'list',
    schema: 'any',
    summary: 'List groups by name, with their numbers of active members',
    examples: ['groups list', 'groups list --search "year 9" --json'],
    options: groupListOptions,
    load: () => import('./groups.js').then(({ checkList, list }) => ({ check: checkList, run: list })),
  });

  define(groups, registry, {
    usage: 'show <group>',
    schema: 'any',
    summary: 'Show one group',
    examples: ['groups show "Year 9"', 'groups show 3fa1b2c4 --json'],
    notes: 'To list its members: coursectl users list --group <group>',
    load: () => import('./groups.js').then(({ show }) => ({ run: show })),
  });

  define(groups, registry, {
    usage: 'create <name>',
    schema: 'current',
    summary: 'Create a group without members',
    examples: ['groups create "Year 9"', 'groups create "Year 9" --note "Class of Ms Hopper" --json'],
    options: createGroupOptions,
    load: () => import('./groups.js').then(({ checkCreate, create }) => ({ check: checkCreate, run: create })),
  });

  define(groups, registry, {
    usage: 'rename <group> <name>',
    schema: 'current',
    summary: 'Give a group another name',
    examples: ['groups rename "Year 9" "Year 10"', 'groups rename 3fa1b2c4 "Year 10" --json'],
    load: () => import('./groups.js').then(({ checkRename, rename }) => ({ check: checkRename, run: rename })),
  });

  define(groups, registry, {
    usage: 'edit <group>',
    schema: 'current',
    summary: 'Change the options that a group remembers for its syncs',
    examples: [
      'groups edit "Year 9" --course "First Aid" --max-leaving 20%',
      'groups edit "Year 9" --unset course --json',
    ],
    options: editGroupOptions,
    notes:
      'The first sync sets the options: coursectl users sync <file> --roster <group>. To see them: coursectl groups show <group>',
    load: () => import('./rosters.js').then(({ checkEdit, edit }) => ({ check: checkEdit, run: edit })),
  });

  define(groups, registry, {
    usage: 'delete <group>',
    schema: 'current',
    summary: 'Delete a group; its members keep their accounts and enrollments',
    examples: ['groups delete "Year 9"', 'groups delete "Year 9" --yes --json'],
    options: yesOption,
    load: () => import('./groups.js').then(({ remove }) => ({ run: remove })),
  });

  define(groups, registry, {
    usage: 'add <group> [user...]',
    schema: 'current',
    summary: 'Add people to a group',
    examples: [
      'groups add "Year 9" ada@example.org',
      'groups add "Year 9" --from class.csv --dry-run',
      'groups add Staff --role trainer --active --yes',
    ],
    options: memberOptions,
    notes: bulkNotes('people'),
    load: async () => {
      const { change } = await import('./members.js');
      return { run: (run) => change(run, 'add') };
    },
  });

  define(groups, registry, {
    usage: 'remove <group> [user...]',
    schema: 'current',
    summary: 'Remove people from a group; their enrollments stay',
    examples: [
      'groups remove "Year 9" ada@example.org',
      'groups remove "Year 9" --from leavers.csv --yes --json',
      'groups remove "Year 9" --inactive',
    ],
    options: memberOptions,
    notes: `Filters select members of the group only.\n${bulkNotes('people')}`,
    load: async () => {
      const { change } = await import('./members.js');
      return { run: (run) => change(run, 'remove') };
    },
  });
}
