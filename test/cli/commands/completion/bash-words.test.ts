import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { bashWord, readLine } from '../../../../src/cli/commands/completion/bash-words.js';

const breaks = ' \t\n"\'@><=;|&(:';

describe('A line of bash up to the cursor', () => {
  const cases: [line: string, value: string, quote: string, kept: number, before?: string[]][] = [
    ['tool show ', '', '', 0],
    ['tool show Wea', 'Wea', '', 0],
    ['tool show Wea\\ b', 'Wea b', '', 0],
    ['tool show "Wea b', 'Wea b', '"', 0],
    ["tool show 'it", 'it', "'", 0],
    ["tool show it\\'s", "it's", '', 0],
    ['tool show "a \\"b\\" \\$c \\d', 'a "b" $c \\d', '"', 0],
    ['tool show "Wea" b', 'b', '', 0, ['tool', 'show', 'Wea']],
    ['tool show "" b', 'b', '', 0, ['tool', 'show', '']],
    ['tool show "Wea b"\\ c', 'Wea b c', '', 0],
    ['tool show a:b', 'a:b', '', 2],
    ['tool show "a:b', 'a:b', '"', 0],
    // bash completes from the @ itself, as for host names.
    ['tool show ada@ex', 'ada@ex', '', 3],
    ['tool show --course=Wea', '--course=Wea', '', 9],
    ['tool show --course=', '--course=', '', 9],
    ['tool show --trainee=ada@ex', '--trainee=ada@ex', '', 13],
    ['tool show --course="Wea b', '--course=Wea b', '"', 9],
    ['tool show mysql://me@host:3306/x a', 'a', '', 0, ['tool', 'show', 'mysql://me@host:3306/x']],
    ['tool x; tool show We', 'We', '', 0],
    ['tool show 花\\ 子', '花 子', '', 0],
  ];
  for (const [line, value, quote, kept, before = ['tool', 'show']] of cases)
    it(`is parsed as bash parses it: ${line}`, () =>
      expect(readLine(line, breaks)).to.deep.equal({ before, value, quote, kept }));
});

describe('A name as a word of bash', () => {
  const names = [
    `it's "so" \\ & more`,
    '$HOME $(echo x) `echo x` *',
    'a|b;c <d> (e) {f,g} [h]? ~ #i',
    'Wow!',
    'Überblick: 花子 @ home',
    '~root',
    '#1',
    '-x',
  ];
  it('is read by bash as the name, in every open quote', function () {
    if (spawnSync('bash', ['-c', 'true']).error) this.skip();
    for (const name of names)
      for (const quote of ['', '"', "'"] as const) {
        const word = quote + bashWord(name, { quote, kept: 0 }) + quote;
        // Runs with history expansion, like a terminal.
        const { stdout } = spawnSync('bash', ['--norc', '-c', `set -H; printf %s ${word}`], { encoding: 'utf8' });
        expect(stdout, word).to.equal(name);
      }
  });

  it('leaves out the part that bash keeps', () => {
    for (const [line, name, word] of [
      ['tool show ada@ex', 'ada@example.org', '@example.org'],
      ['tool show a:b', 'a:b c', 'b\\ c'],
      ['tool list --trainee=ada@ex', '--trainee=ada@example.org', '@example.org'],
    ] as const)
      expect(bashWord(name, readLine(line, breaks))).to.equal(word);
    expect(bashWord('--course=Weaving', readLine('tool list --course=Wea', ' '))).to.equal('--course=Weaving');
  });
});
