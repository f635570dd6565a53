import { Argument, type Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import { completionScripts } from './scripts.js';

export function register(program: Command, registry: Registry): void {
  define(program, registry, {
    usage: 'completion',
    schema: 'any',
    summary: 'Print a script that lets the shell complete commands and options with the Tab key',
    examples: [
      'completion bash > ~/.local/share/bash-completion/completions/coursectl',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is zsh that expands this
      'completion zsh > "${fpath[1]}/_coursectl"',
      'completion fish > ~/.config/fish/completions/coursectl.fish',
    ],
    options: (command) =>
      command.addArgument(new Argument('<shell>', 'the shell to complete in').choices(Object.keys(completionScripts))),
    async run(run) {
      // Commander has refused every other word.
      const shell = run.arguments[0] as keyof typeof completionScripts;
      const script = completionScripts[shell](program);
      return { json: { shell, script }, text: script };
    },
  });
}
