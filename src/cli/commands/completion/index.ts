import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';

export function register(program: Command, registry: Registry): void {
  define(program, registry, {
    usage: 'completion <shell> [word...]',
    // Completion must print no errors, whatever the state of the database.
    schema: 'any',
    summary: 'Print a script that lets the shell complete commands, options and names with the Tab key',
    examples: [
      'completion bash > ~/.local/share/bash-completion/completions/coursectl',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is zsh that expands this
      'completion zsh > "${fpath[1]}/_coursectl"',
      'completion fish > ~/.config/fish/completions/coursectl.fish',
    ],
    notes:
      'The names of courses, accounts, groups, enrollments and imports come from the database that the command itself ' +
      'would use in the current folder. To find them, the Tab key runs the first word of the line. It never runs ' +
      '"npx coursectl": in a checkout, first link the program (npm link).',
    choices: { shell: ['bash', 'zsh', 'fish'] },
    load: async () => {
      const { completion } = await import('./complete.js');
      return { run: (run) => completion(run, program) };
    },
  });
}
