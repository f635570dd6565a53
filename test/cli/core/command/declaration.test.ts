import { expect } from 'chai';
import { Command } from 'commander';
import {
  addCommand,
  choice,
  type Declaration,
  type None,
  type Options,
  parsedInput,
  repeatable,
} from '../../../../src/cli/core/command/declaration.js';

/** Returns the parsed input of a command with this declaration. */
function parsed<const Usage extends string, O extends Options>(
  declaration: Declaration<Usage, O, None>,
  ...argv: string[]
) {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  const command = addCommand(program, declaration).action(() => undefined);
  program.parse(argv, { from: 'user' });
  return parsedInput<Usage, O, None>(command);
}

describe('The declaration of a command', () => {
  it('allows an optional argument before a required last one', () => {
    const usage = 'progress [enrollment] <number>';
    const one: { enrollment?: string; number: string } = parsed({ usage }, 'progress', '5').arguments;
    expect(one).to.deep.equal({ number: '5' });
    expect(parsed({ usage }, 'progress', 'x', '5').arguments).to.deep.equal({ enrollment: 'x', number: '5' });
    expect(parsed({ usage }, 'progress').missing).to.deep.equal(['number']);
  });

  it('allows several values or none for the argument before the last one', () => {
    const usage = 'status [enrollment...] <status>';
    const words = ['status', 'a', 'b', 'c', 'active'];
    const several: { enrollment?: readonly [string, ...string[]]; status: string } = parsed(
      { usage },
      ...words,
    ).arguments;
    expect(several).to.deep.equal({ enrollment: ['a', 'b', 'c'], status: 'active' });
    expect(parsed({ usage }, 'status', 'a', 'active').arguments).to.deep.equal({ enrollment: ['a'], status: 'active' });
    expect(parsed({ usage }, 'status', 'active').arguments).to.deep.equal({ status: 'active' });
    expect(parsed({ usage }, 'status').missing).to.deep.equal(['status']);
  });

  it('derives names and types of options', () => {
    const options = {
      '--sort-by <field>': 'a field',
      '--tag <word>': repeatable('a word'),
      '--yes': "don't ask for confirmation",
      '--featured': 'on',
      '--no-featured': 'off',
    };
    const words = ['edit', '--sort-by', 'title', '--tag', 'a', '--tag', 'b', '--yes', '--no-featured'];
    const given: { sortBy?: string; tag?: string[]; yes?: true; featured?: boolean } = parsed(
      { usage: 'edit', options },
      ...words,
    ).options;
    expect(given).to.deep.equal({ sortBy: 'title', tag: ['a', 'b'], yes: true, featured: false });
  });

  it('refuses an option that is given twice', () => {
    const options = { '--from <file>': 'a list', '--role <role>': choice('a role', ['trainer', 'trainee']) };
    for (const twice of [
      ['--from', 'a', '--from', 'b'],
      ['--role=trainer', '--role', 'trainee'],
    ])
      expect(() => parsed({ usage: 'edit', options }, 'edit', ...twice)).to.throw(/is invalid\. Give it only once\.$/);
    const given = parsed({ usage: 'edit', options }, 'edit', '--from', 'a', '--role', 'trainer').options;
    expect(given).to.deep.equal({ from: 'a', role: 'trainer' });
    expect(() => parsed({ usage: 'edit', options }, 'edit', '--role', 'boss')).to.throw(/Allowed choices are trainer/);
  });
});
