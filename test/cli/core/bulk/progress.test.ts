import { Readable } from 'node:stream';
import { expect } from 'chai';
import { createProgress } from '../../../../src/cli/core/bulk/progress.js';
import { openTerminal } from '../../../support/terminal.js';

describe('A progress bar', () => {
  for (const columns of [60, 120])
    it(`shows no rate and no remaining time before the first update, at ${columns} columns`, () => {
      const { stderr, screen } = openTerminal(columns);
      const signal = new AbortController().signal;
      const io = { stdin: Readable.from([]), stdout: stderr, stderr, env: {}, cwd: '/', signal };
      const progress = createProgress({ io, options: {}, say: () => undefined }, 'Importing', 5000);
      const drawn = () => screen().split('Importing').at(-1);
      try {
        expect(drawn()).to.match(/ 0% \| 0 of 5000/);
        progress.resumed(3000, 'It is resumed.');
        expect(drawn()).to.match(/ 60% \| 3000 of 5000/);
        expect(screen()).not.to.match(/left|rows\/s/);
        progress.update(4000);
      } finally {
        progress.stop();
      }
      expect(drawn()).to.match(/ 80% \| 4000 of 5000.* \S+ left/);
    });
});
