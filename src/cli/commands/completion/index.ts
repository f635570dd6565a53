import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import { choice } from '../../core/declaration.js';
import { nameKinds } from './kinds.js';

const completionOptions = {
  '--names <kind>': choice('used by the script: print the names of this kind that are in the database', nameKinds),
  '--typed <text>': 'used by the script: what was typed; for bash the whole command line up to the cursor',
};

export function register(program: Command, registry: Registry): void {
  define(program, registry, {
    usage: 'completion <shell>',
    // Completing a name must say nothing, whatever is wrong with the database.
    schema: 'any',
    summary: 'Print a script that lets the shell complete commands, options and names with the Tab key',
    examples: [
      'completion bash > ~/.local/share/bash-completion/completions/coursectl',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is zsh that expands this
      'completion zsh > "${fpath[1]}/_coursectl"',
      'completion fish > ~/.config/fish/completions/coursectl.fish',
    ],
    notes:
      'The names of courses, accounts, enrollments and imports come from the database that the command itself would ' +
      'use in the current folder. The Tab key runs the command that is typed to find them, and no other one: in a ' +
      'checkout, where that is "npx coursectl", link it first (npm link).',
    choices: { shell: ['bash', 'zsh', 'fish'] },
    options: completionOptions,
    async run(run) {
      const { shell } = run.arguments;
      if (run.options.names !== undefined) {
        const { namesFor } = await import('./names.js');
        return namesFor(run, run.options.names);
      }
      const { completionScripts } = await import('./scripts.js');
      const script = completionScripts[shell](program);
      return { json: { shell, script }, text: script };
    },
  });
}
