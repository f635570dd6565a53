import { Argument, type Command, InvalidArgumentError, Option } from 'commander';

/**
 * Options of a command: their help texts by flags, such as `--role <role>`. The types of option values are derived from
 * the flags.
 */
export type Options = Readonly<Record<`--${string}`, string | Repeatable | Choice>>;

interface Repeatable {
  description: string;
  isRepeatable: true;
}

interface Choice<Word extends string = string> {
  description: string;
  words: readonly Word[];
  /** File extension. Names of files with this extension are allowed, too. */
  ending?: string | undefined;
}

export type Choices = Readonly<Record<string, readonly string[]>>;

export type None = Readonly<Record<never, never>>;

export const repeatable = (description: string): Repeatable => ({ description, isRepeatable: true });

export const choice = <const Word extends string>(
  description: string,
  words: readonly Word[],
  ending?: string,
): Choice<Word> => ({ description, words, ending });

/** Options of every command. Commands without data have no `--json`. */
export const commonOptions = {
  '--json': 'print one JSON object on standard output',
  '--quiet': 'print results and errors only',
  '--verbose': 'print stack traces and debug logs',
};

export const yesOption = { '--yes': "don't ask for confirmation" };

export const dryRunOption = { '--dry-run': 'show what would change, and change nothing' };

/** Options of bulk changes. @param headings possible headings of the column of names, if the list has headings */
export const bulkOptions = (headings: readonly string[]) => ({
  '--from <file>': `read the names from this file, or from standard input (-): one per line, or CSV with a column ${headings.join(' or ')}`,
  ...dryRunOption,
  ...yesOption,
});

/** Help text of bulk changes, below the options. */
export const bulkNotes = (many: string) =>
  `For several ${many}, the command first shows what would change, then asks (with --yes it doesn't ask). Items that can't be found or changed are listed with the reason; the other items are still changed. The exit code is then 3, or 1 if there are no other items. In the file of --from, empty lines and lines that begin with # are ignored.`;

export const outputOption = {
  '--output <file>': 'write to this file, which must not exist, instead of standard output',
};

export const tableOutputOption = {
  '--output <file>':
    'write to this file, which must not exist, instead of standard output: a workbook if its name ends in .xlsx, else CSV; or "xlsx" for a workbook on standard output',
};

export const exportOptions = {
  '--fields <names>': 'only these columns, by their headings, in this order; separated by commas',
  ...tableOutputOption,
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

/** Values of options, by names in camel case. */
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
    : Word extends `[${infer Name}...]`
      ? CamelCase<Name>
      : Word extends `[${infer Name}]`
        ? CamelCase<Name>
        : never;

type ArgumentValue<Word extends string, C extends Choices> = Word extends `${'<' | '['}${string}...${'>' | ']'}`
  ? readonly [string, ...string[]]
  : ArgumentName<Word> extends keyof C
    ? C[ArgumentName<Word>][number]
    : string;

/** Values of a command's arguments, by names in camel case. @example ArgumentValues<'show <user>'> */
export type ArgumentValues<Usage extends string, C extends Choices = None> = {
  [Word in Required<Usage> as ArgumentName<Word>]: ArgumentValue<Word, C>;
} & { [Word in Optional<Usage> as ArgumentName<Word>]?: ArgumentValue<Word, C> };

export interface Declaration<Usage extends string, O extends Options, C extends Choices> {
  /**
   * Name and arguments, such as `show <user>`. Arguments in brackets are optional, also before a required last argument:
   * `progress [enrollment] <number>`, `status [enrollment...] <status>`.
   */
  usage: Usage;
  options?: O;
  choices?: C;
}

/** Help texts of arguments in all commands, by argument name. */
const argumentDescriptions: Readonly<Record<string, string>> = {
  course: 'title (upper or lower case) or id',
  user: 'email address, phone number or id',
  group: 'name (upper or lower case) or id',
  name: 'name of the group, 1 to 100 characters',
  enrollment: 'id or its last 8 characters, as lists show them; or use --trainee and --course',
  code: 'code of the certificate, in capitals or small letters',
  import: 'number, id or the last 8 characters of its id, as lists show them',
  mail: 'id or its last 8 characters, as "mail list" shows them; a command that takes several also accepts an email address',
  address: 'email address',
  'session-id': 'id or its last 8 characters, as "users sessions list" shows them',
  identity: 'id or its last 8 characters, as "users identities" shows them',
  file: 'path of the file',
  folder: 'path of the folder of the backup',
  'file-id': 'id or its last 8 characters, as "courses files list" shows them',
  status: 'active, completed or cancelled',
  number: 'progress in percent, 0 to 100',
  reply: 'text of the reply; "" clears the reply',
  shell: 'your shell',
  word: 'used by the script: the words up to the cursor; for bash the line',
};

/** Arguments that name an existing record. If the argument is missing, the user can choose a record at a terminal. */
const pickable = ['course', 'user', 'group', 'enrollment', 'import', 'session-id', 'identity', 'file-id'] as const;
export type Pickable = (typeof pickable)[number];

export const isPickable = (name: string): name is Pickable => pickable.some((one) => one === name);

/** Declared arguments of commands. The arguments registered with commander differ, see {@link addArguments}. */
const declaredArguments = new WeakMap<Command, readonly Argument[]>();

/** Whether a variadic argument precedes the last argument. */
const isListThenLast = (declared: readonly Argument[]) => declared.at(-2)?.variadic === true;

/**
 * Registers the arguments with commander. Two features differ from commander's:
 * - For commander, a required argument is optional if the user can choose it, or if an optional argument precedes it.
 *   {@link parsedInput} returns the missing arguments.
 * - A variadic argument may precede the last one. {@link regrouped} assigns the values.
 */
function addArguments(command: Command, words: readonly string[], choices: Choices | undefined): void {
  const declared = words.map((word) => new Argument(word));
  for (const [index, one] of declared.entries()) {
    const { required } = one;
    const isVariadic = isListThenLast(declared) ? index === declared.length - 1 : one.variadic;
    const inside = `${one.name()}${isVariadic ? '...' : ''}`;
    const argument = new Argument(required ? `<${inside}>` : `[${inside}]`);
    argument.description = argumentDescriptions[argument.name()] ?? '';
    const allowed = choices?.[argument.name()];
    if (allowed) argument.choices(allowed);
    if (required && (isPickable(argument.name()) || declared[index - 1]?.required === false)) argument.argOptional();
    command.addArgument(argument);
  }
  declaredArguments.set(command, declared);
  if (words.length > 0) command.usage(['[options]', ...words].join(' '));
}

function addChoices(option: Option, { words, ending }: Choice): void {
  option.choices(words);
  const { parseArg } = option;
  if (ending === undefined) return;
  option.argParser((value: string) => (value.toLowerCase().endsWith(ending) ? value : parseArg?.(value, undefined)));
}

/** Refuses a second value of an option. Commander would silently ignore the first value. */
function onlyOnce(option: Option): void {
  const { parseArg } = option;
  option.argParser((value: string, previous: unknown) => {
    if (previous !== undefined) throw new InvalidArgumentError('Give it only once.');
    return parseArg ? parseArg(value, undefined) : value;
  });
}

/** Common names of these commands in other programs. */
const usualAliases: Readonly<Record<string, string>> = { list: 'ls', delete: 'rm', remove: 'rm', register: 'create' };

export function addCommand<Usage extends string, O extends Options, C extends Choices>(
  parent: Command,
  { usage, options, choices }: Declaration<Usage, O, C>,
): Command {
  const [name = '', ...words] = usage.split(' ');
  const command = parent.command(name);
  const alias = usualAliases[name];
  // A group with both commands has the alias for the first, `delete`.
  if (alias !== undefined && !parent.commands.some((one) => one.aliases().includes(alias))) command.alias(alias);
  addArguments(command, words, choices);
  for (const [flags, declared] of Object.entries<Options[`--${string}`]>(options ?? {})) {
    const option = new Option(flags, typeof declared === 'string' ? declared : declared.description);
    if (typeof declared !== 'string' && 'words' in declared) addChoices(option, declared);
    if (typeof declared !== 'string' && 'isRepeatable' in declared)
      option.argParser((value: string, others: readonly string[] = []) => [...others, value]);
    else if (option.required || option.optional) onlyOnce(option);
    command.addOption(option);
  }
  return command;
}

/** Returns the key of an option or argument in the parsed values. */
export const camelCase = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Assigns the last value to the required last argument if the optional argument before it is missing. */
function withoutGap(declared: readonly Argument[], values: readonly unknown[]): readonly unknown[] {
  const last = declared.length - 1;
  if (last < 1 || !declared[last]?.required || declared[last - 1]?.required || values[last] !== undefined)
    return values;
  return [...values.slice(0, last - 1), undefined, values[last - 1]];
}

/** Assigns the last value to the last argument, and the values before it to the variadic argument. */
function regrouped(declared: readonly Argument[], values: readonly unknown[]): readonly unknown[] {
  const first = declared.length - 2;
  const given = values
    .slice(first)
    .flat()
    .filter((value) => value !== undefined);
  return [...values.slice(0, first), given.slice(0, -1), given.at(-1)];
}

/**
 * Returns the arguments and options of a command line, and the names of missing arguments. Commander has checked the form
 * of the command line.
 */
export function parsedInput<Usage extends string, O extends Options, C extends Choices>(command: Command) {
  const declared = declaredArguments.get(command) ?? [];
  const { processedArgs } = command;
  const values = isListThenLast(declared) ? regrouped(declared, processedArgs) : withoutGap(declared, processedArgs);
  const isGiven = (index: number) => values[index] !== undefined && [values[index]].flat().length > 0;
  const given = declared.flatMap((argument, index) =>
    isGiven(index) ? [[camelCase(argument.name()), values[index]] as const] : [],
  );
  const missing = declared.filter(({ required }, index) => required && !isGiven(index)).map((one) => one.name());
  return {
    // These types are derived from the declaration, unlike commander's own. They are true only after missing arguments are chosen.
    arguments: Object.fromEntries(given) as ArgumentValues<Usage, C>,
    options: command.optsWithGlobals() as OptionValues<O>,
    missing,
  };
}
