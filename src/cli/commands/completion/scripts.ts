import type { Command } from 'commander';

interface Word {
  name: string;
  description: string;
}

/**
 * A place on the command line and what may stand there. `path` is the command as it is typed, such as "users import", and
 * empty for the program itself; `slot` is the number of the argument, an option that needs a value, or "-" for the options.
 */
interface Place {
  path: string;
  slot: string;
  words: readonly Word[];
  isFile: boolean;
}

/** @param subjects what the command's arguments may be when it doesn't say so itself */
function placesOf(command: Command, path = '', subjects: readonly string[] = []): Place[] {
  // Commander's own help knows what is hidden, and whether there are a help command and a help option.
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const declared = children.filter((child) => command.commands.includes(child)).map((child) => child.name());
  const place = (slot: string, words: readonly Word[], isFile = false) => ({ path, slot, words, isFile });
  const places = command.registeredArguments.map((argument, position) =>
    place(`${position}`, (argument.argChoices ?? subjects).map(bare), argument.name() === 'file'),
  );
  const commands = children.map((child) => word(child.name(), help.subcommandDescription(child)));
  if (commands.length > 0) places.push(place('0', commands));
  const flags: Word[] = [];
  for (const option of help.visibleOptions(command)) {
    const names = [option.short, option.long].filter((name) => name !== undefined);
    flags.push(...names.map((name) => word(name, option.description)));
    if (!option.required && !option.optional) continue;
    const choices = (option.argChoices ?? []).map(bare);
    places.push(...names.map((name) => place(name, choices, /[<[]file\b/.test(option.flags))));
  }
  const below = children.flatMap((child) => {
    // The help command that commander adds isn't declared; what it takes are the names of those that are.
    const names = declared.includes(child.name()) ? [] : declared;
    return placesOf(child, `${path} ${child.name()}`.trimStart(), names);
  });
  return [...places, place('-', flags), ...below];
}

const word = (name: string, description: string): Word => ({ name, description: description.replace(/\s+/g, ' ') });
const bare = (name: string): Word => ({ name, description: '' });

/** The place is the value of an option. */
const isValue = ({ slot }: Place) => /^-./.test(slot);

/** What a script must know to follow a command line, as "path:word": the subcommands, and the options with a value. */
function wordsToFollow(places: readonly Place[]): { commands: string[]; valued: string[] } {
  const below = places.filter(({ path, slot }) => path !== '' && slot === '-');
  return {
    commands: below.map(({ path }) => path.replace(/ ?(\S+)$/, ':$1')),
    valued: places.filter(isValue).map(({ path, slot }) => `${path}:${slot}`),
  };
}

/** A string literal of bash and zsh, in which nothing is expanded. */
const quoteSh = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
/** The same for fish, where backslash and quote are escaped within the quotes. */
const quoteFish = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;

/**
 * The functions that bash and zsh share. `follow` reads the words before the cursor: it leaves the command in $command,
 * and in $slot the option whose value comes next or else the number of arguments. `offer` is given such a place, as
 * "users:0" or "users import:--format", or "users:-" for the options, and puts what may stand there into $list.
 */
function sharedFunctions(program: Command, entryOf: (word: Word) => string, completeFile: string): string {
  const places = placesOf(program);
  const { commands, valued } = wordsToFollow(places);
  const anyOf = (keys: readonly string[]) => keys.map(quoteSh).join(' | ') || "''";
  const offers = places.map(({ path, slot, words, isFile }) => {
    const list = `list=(${words.map((word) => quoteSh(entryOf(word))).join(' ')})`;
    return `${quoteSh(`${path}:${slot}`)}) ${isFile && words.length === 0 ? completeFile : list} ;;`;
  });
  return `_${program.name()}_follow() {
  local word position=0
  command='' slot=''
  for word in "$@"; do
    # bash cuts words at these characters; what follows them belongs to the word before
    if [[ $word == [@:=]* ]]; then slot=\${slot:-cut}
    elif [[ -n $slot ]]; then slot=''
    else
      case "$command:$word" in
        ${anyOf(commands)}) command+=\${command:+ }$word position=0 ;;
        ${anyOf(valued)}) slot=$word ;;
        "$command:"-*) ;;
        *) ((++position)) ;;
      esac
    fi
  done
  slot=\${slot:-$position}
}

_${program.name()}_offer() {
  case "$1" in
    ${offers.join('\n    ')}
    *) return 1 ;;
  esac
}`;
}

function bashScript(program: Command): string {
  const name = program.name();
  return `# bash completion for ${name}
${sharedFunctions(program, (word) => word.name, 'compopt -o default')}

_${name}() {
  local command slot word current=\${COMP_WORDS[COMP_CWORD]}
  local -a list=()
  COMPREPLY=()
  # the target of a redirection
  [[ \${COMP_WORDS[COMP_CWORD - 1]} == [\\<\\>]* ]] && compopt -o default && return
  _${name}_follow "\${COMP_WORDS[@]:1:COMP_CWORD-1}"
  [[ $current == '=' ]] && current=''
  [[ $slot == [0-9]* && $current == -* ]] && slot='-'
  # Where no argument is known, options are all there is to offer.
  _${name}_offer "$command:$slot" || [[ $slot != [0-9]* ]] || _${name}_offer "$command:-"
  for word in "\${list[@]}"; do
    [[ $word == "$current"* ]] && COMPREPLY+=("$word")
  done
}

complete -F _${name} ${name}`;
}

function zshScript(program: Command): string {
  const name = program.name();
  // _describe takes "word:description"; a colon or a backslash of the text's own needs a backslash.
  const plain = (text: string) => text.replace(/[\\:]/g, '\\$&');
  const entryOf = ({ name, description }: Word) => plain(name) + (description && `:${plain(description)}`);
  return `#compdef ${name}
# zsh completion for ${name}
${sharedFunctions(program, entryOf, '_files')}

_${name}() {
  local command slot current=$words[CURRENT]
  local -a list=()
  _${name}_follow "\${(@)words[2,CURRENT-1]}"
  if [[ $slot == [0-9]* && $current == --*=* ]]; then
    slot=\${current%%=*}
    compset -P '*='
  elif [[ $slot == [0-9]* && $current == -* ]]; then
    slot='-'
  fi
  # Where no argument is known, options are all there is to offer.
  _${name}_offer "$command:$slot" || [[ $slot != [0-9]* ]] || _${name}_offer "$command:-"
  ((\${#list} == 0)) || _describe ${name} list
}

# The completion system calls the file as a function when it has found it in fpath; otherwise it was sourced.
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi`;
}

function fishScript(program: Command): string {
  const name = program.name();
  const places = placesOf(program);
  const { commands, valued } = wordsToFollow(places);
  const complete = ({ path, slot }: Place, what: string) =>
    `complete -c ${name} -n ${quoteFish(`__${name}_at ${quoteFish(path)} ${quoteFish(slot)}`)} ${what}`;
  // fish reads this list, like the condition above, once more as its own language: hence two pairs of quotes.
  const list = (words: readonly Word[]) => `-a ${quoteFish(words.map((word) => quoteFish(word.name)).join(' '))}`;
  const describe = ({ description }: Word) => description && ` -d ${quoteFish(description)}`;
  const argumentLines = (place: Place) =>
    place.isFile && place.words.length === 0
      ? [complete(place, '-F')]
      : place.words.map((word) => complete(place, list([word]) + describe(word)));
  const optionLines = (place: Place) =>
    place.words.map((option) => {
      const flag = option.name.replace(/^--?/, (dashes) => (dashes === '--' ? '-l ' : '-s '));
      const value = places.find(({ path, slot }) => path === place.path && slot === option.name);
      const taken = value
        ? ` -r ${value.words.length > 0 ? `-f ${list(value.words)}` : value.isFile ? '-F' : '-f'}`
        : '';
      return complete(place, flag + taken + describe(option));
    });
  const lines = places.flatMap((place) => {
    if (isValue(place)) return [];
    return place.slot === '-' ? optionLines(place) : argumentLines(place);
  });
  return `# fish completion for ${name}

# Whether the cursor is in this command, and after that many of its arguments; for options (-) that doesn't matter.
function __${name}_at --argument-names path slot
    set -l command ''
    set -l count 0
    set -l is_value no
    for word in (commandline -opc)[2..]
        if test $is_value = yes
            set is_value no
            continue
        end
        switch "$command:$word"
            case ${commands.map(quoteFish).join(' ')}
                set command (string trim -- "$command $word")
                set count 0
            case ${valued.map(quoteFish).join(' ')}
                set is_value yes
            case "$command:-*"
            case '*'
                set count (math $count + 1)
        end
    end
    test "$command" = "$path"; and contains -- "$slot" - $count
end

complete -c ${name} -f
${lines.join('\n')}`;
}

/** Completion scripts made of the program's own declarations, so that they always match it. */
export const completionScripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
