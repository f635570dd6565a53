import { type Command, Option } from 'commander';

/**
 * Options of a command by their flags, with what the help says of each. A flag with a value names it: `--role <role>`.
 * The types of the values follow from the flags, those of the arguments from the command's usage.
 */
export type Options = Readonly<Record<`--${string}`, string | Repeatable | Choice>>;

/** An option that may be given several times. */
interface Repeatable {
  description: string;
  isRepeatable: true;
}

/** An option whose value is one of these words. */
interface Choice<Word extends string = string> {
  description: string;
  words: readonly Word[];
}

/** The allowed words of arguments, by their names. */
export type Choices = Readonly<Record<string, readonly string[]>>;

/** No options, or no choices. */
export type None = Readonly<Record<never, never>>;

export const repeatable = (description: string): Repeatable => ({ description, isRepeatable: true });

export const choice = <const Word extends string>(description: string, words: readonly Word[]): Choice<Word> => ({
  description,
  words,
});

/** Options that every command has. */
export const commonOptions = {
  '--json': 'print one JSON object on standard output',
  '--quiet': 'print results and errors only',
  '--verbose': 'print stack traces and debug logs',
};

/** The option of commands that ask for confirmation. */
export const yesOption = { '--yes': "don't ask for confirmation" };

/** The option of commands that write data. */
export const outputOption = {
  '--output <file>': 'write to this file, which must not exist, instead of standard output',
};

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

type OptionName<Flags extends string> = Flags extends `--no-${infer Name}`
  ? CamelCase<Name>
  : Flags extends `--${infer Name} <${string}>`
    ? CamelCase<Name>
    : Flags extends `--${infer Name}`
      ? CamelCase<Name>
      : never;

type OptionValue<Flags extends string, Declared> = Flags extends `--no-${string}`
  ? false
  : Flags extends `${string} <${string}>`
    ? Declared extends Repeatable
      ? string[]
      : Declared extends Choice<infer Word>
        ? Word
        : string
    : true;

/** The values of options, by their names in camel case. */
export type OptionValues<O extends Options> = {
  [Flags in keyof O & string as OptionName<Flags>]?: OptionValue<Flags, O[Flags]>;
};

type Words<Usage extends string> = Usage extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Usage;
type Required<Usage extends string> = Extract<Words<Usage>, `<${string}>`>;
type Optional<Usage extends string> = Extract<Words<Usage>, `[${string}]`>;

type ArgumentName<Word extends string> = Word extends `<${infer Name}...>`
  ? CamelCase<Name>
  : Word extends `<${infer Name}>`
    ? CamelCase<Name>
    : Word extends `[${infer Name}]`
      ? CamelCase<Name>
      : never;

type ArgumentValue<Word extends string, C extends Choices> = Word extends `<${string}...>`
  ? readonly [string, ...string[]]
  : ArgumentName<Word> extends keyof C
    ? C[ArgumentName<Word>][number]
    : string;

/** The values of a command's arguments, by their names in camel case. @example ArgumentValues<'show <user>'> */
export type ArgumentValues<Usage extends string, C extends Choices = None> = {
  [Word in Required<Usage> as ArgumentName<Word>]: ArgumentValue<Word, C>;
} & { [Word in Optional<Usage> as ArgumentName<Word>]?: ArgumentValue<Word, C> };

/** What a command declares of its command line. */
export interface Declaration<Usage extends string, O extends Options, C extends Choices> {
  /** Name and arguments, such as `show <user>`. */
  usage: Usage;
  options?: O;
  choices?: C;
}

/** What the help says of arguments: the same in all commands. */
const argumentDescriptions: Readonly<Record<string, string>> = {
  course: 'its title, in any case, or its id',
  user: 'email address, phone number or id',
  id: 'its id or the last 8 characters of it, as the list shows them',
  'session-id': 'its id or the last 8 characters of it, as "users sessions list" shows them',
  file: 'path of the file',
  'file-id': 'its id or the last 8 characters of it, as "courses files list" shows them',
  status: 'active, completed or cancelled',
  number: '0 to 100',
  shell: 'the shell to complete in',
};

/** Adds a subcommand with its arguments and options. */
export function addCommand<Usage extends string, O extends Options, C extends Choices>(
  parent: Command,
  { usage, options, choices }: Declaration<Usage, O, C>,
): Command {
  const command = parent.command(usage);
  for (const argument of command.registeredArguments) {
    argument.description = argumentDescriptions[argument.name()] ?? '';
    const words = choices?.[argument.name()];
    if (words) argument.choices(words);
  }
  for (const [flags, declared] of Object.entries<Options[`--${string}`]>(options ?? {})) {
    const option = new Option(flags, typeof declared === 'string' ? declared : declared.description);
    if (typeof declared !== 'string') {
      if ('words' in declared) option.choices(declared.words);
      else option.argParser((value: string, others: readonly string[] = []) => [...others, value]);
    }
    command.addOption(option);
  }
  return command;
}

const camelCase = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** What a command was called with. Commander has checked that it has the form that was declared. */
export function calledWith<Usage extends string, O extends Options, C extends Choices>(command: Command) {
  const values: unknown[] = command.processedArgs;
  const given = command.registeredArguments.map((argument, index) => [camelCase(argument.name()), values[index]]);
  return {
    // Commander's own types don't follow from what was declared: these do.
    arguments: Object.fromEntries(given) as ArgumentValues<Usage, C>,
    options: command.optsWithGlobals() as OptionValues<O>,
  };
}
