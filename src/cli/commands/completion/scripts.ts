import { fishScript } from './fish-script.js';
import { bashScript, zshScript } from './sh-scripts.js';

/** Completion scripts made of the program's own declarations, so that they always match it. */
export const completionScripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
