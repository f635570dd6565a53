import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';

export function register(program: Command, registry: Registry): void {
  define(program, registry, {
    usage: 'completion <shell>',
    schema: 'any',
    summary: 'Print a script that lets the shell complete commands and options with the Tab key',
    examples: [
      'completion bash > ~/.local/share/bash-completion/completions/coursectl',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is zsh that expands this
      'completion zsh > "${fpath[1]}/_coursectl"',
      'completion fish > ~/.config/fish/completions/coursectl.fish',
    ],
    choices: { shell: ['bash', 'zsh', 'fish'] },
    async run(run) {
      const { shell } = run.arguments;
      const { completionScripts } = await import('./scripts.js');
      const script = completionScripts[shell](program);
      return { json: { shell, script }, text: script };
    },
  });
}
