import type { Command } from 'commander';
import { quoted } from '../../../shell-quote.js';
import { type Place, placesOf, type Word, wordsToFollow } from './places.js';

/** What a `case` compares a place with. An argument that may be given several times has all numbers from its own. */
const patternOf = ({ path, slot, isRepeated }: Place) =>
  isRepeated ? `${quoted(`${path}:`)}[${slot}-9]*` : quoted(`${path}:${slot}`);

/**
 * The functions that bash and zsh share. `follow` reads the words before the cursor: it leaves the command in $command,
 * and in $slot the option whose value comes next or else the number of arguments. `offer` is given such a place, as
 * "users:0" or "users import:--format", or "users:-" for the options, and puts what may stand there into $list, or the kind
 * of names into $names.
 */
function sharedFunctions(program: Command, entryOf: (word: Word) => string, completeFile: string): string {
  const name = program.name();
  const places = placesOf(program);
  const { commands, valued } = wordsToFollow(places);
  const anyOf = (keys: readonly string[]) => keys.map(quoted).join(' | ') || "''";
  const offers = places.map((place) => {
    const { words, isFile, names } = place;
    const list = `list=(${words.map((word) => quoted(entryOf(word))).join(' ')})`;
    const files = isFile && words.length === 0 ? completeFile : list;
    return `${patternOf(place)}) ${names === undefined ? files : `names=${names}`} ;;`;
  });
  return `_${name}_follow() {
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

_${name}_offer() {
  case "$1" in
    ${offers.join('\n    ')}
    *) return 1 ;;
  esac
}`;
}

export function bashScript(program: Command): string {
  const name = program.name();
  return `# bash completion for ${name}
${sharedFunctions(program, (word) => word.name, 'compopt -o default')}

_${name}() {
  local command slot names='' word program current=\${COMP_WORDS[COMP_CWORD]} line=\${COMP_LINE:0:COMP_POINT}
  local first=$COMP_CWORD rest=$line
  local -a list=() before
  COMPREPLY=()
  # the target of a redirection
  [[ \${COMP_WORDS[COMP_CWORD - 1]} == [\\<\\>]* ]] && compopt -o default && return
  # Where bash has cut the word at the cursor, its first part is looked for.
  until [[ $rest == *"$current" ]]; do current=\${current%?}; done
  rest=\${rest%"$current"}
  while ((first > 1)) && [[ $rest != *[[:space:]] ]]; do
    ((first -= 1))
    rest=\${rest%"\${COMP_WORDS[first]}"}
  done
  before=("\${COMP_WORDS[@]:1:first-1}")
  ((first < COMP_CWORD)) && [[ \${COMP_WORDS[first]} == --* ]] && before=("\${COMP_WORDS[@]:1:first+1}") first=$COMP_CWORD
  _${name}_follow "\${before[@]}"
  [[ $current == '=' ]] && current=''
  [[ $slot == [0-9]* && $current == -* ]] && slot='-'
  # Where no argument is known, options are all there is to offer.
  _${name}_offer "$command:$slot" || [[ $slot != [0-9]* ]] || _${name}_offer "$command:-"
  if [[ -n $names ]]; then
    # A key runs what Enter would run, and nothing else.
    program=\${COMP_WORDS[0]/#\\~\\//$HOME/}
    [[ $(type -t -- "$program") == @(file|function) ]] || return
    # They are quoted already, and in the order in which they are looked for.
    compopt -o nosort
    mapfile -t COMPREPLY < <(
      export COMP_WORDBREAKS COMP_TYPE
      "$program" completion bash --names "$names" --typed="$line" </dev/null 2>/dev/null
    )
  elif ((first == COMP_CWORD)); then
    for word in "\${list[@]}"; do
      [[ $word == "$current"* ]] && COMPREPLY+=("$word")
    done
  fi
}

complete -F _${name} ${name}`;
}

export function zshScript(program: Command): string {
  const name = program.name();
  // _describe takes "word:description"; a colon or a backslash of the text's own needs a backslash.
  const plain = (text: string) => text.replace(/[\\:]/g, '\\$&');
  const entryOf = ({ name, description }: Word) => plain(name) + (description && `:${plain(description)}`);
  return `#compdef ${name}
# zsh completion for ${name}
${sharedFunctions(program, entryOf, '_files')}

_${name}_names() {
  local typed=$PREFIX
  # As it is meant, without the quotes of the shell.
  case $compstate[quote] in
    \\') ;;
    \\") typed=\${(Q)\${:-\\"$PREFIX\\"}} ;;
    *) typed=\${(Q)PREFIX} ;;
  esac
  list=(\${(f)"$($program completion zsh --names $1 --typed=$typed </dev/null 2>/dev/null)"})
  ((\${#list} == 0)) || _describe -V $1 list
}

_${name}() {
  local command slot names='' program=$words[1]
  local -a list=()
  program=\${program/#\\~\\//$HOME/}
  local current=$words[CURRENT]
  _${name}_follow "\${(@)words[2,CURRENT-1]}"
  if [[ $slot == [0-9]* && $current == --*=* ]]; then
    slot=\${current%%=*}
    compset -P '*='
  elif [[ $slot == [0-9]* && $current == -* ]]; then
    slot='-'
  fi
  # Where no argument is known, options are all there is to offer.
  _${name}_offer "$command:$slot" || [[ $slot != [0-9]* ]] || _${name}_offer "$command:-"
  if [[ -n $names ]]; then
    # A key runs what Enter would run, and nothing else.
    [[ $(whence -w -- $program) != *': '(command|function) ]] || _${name}_names $names
  else ((\${#list} == 0)) || _describe ${name} list
  fi
}

# The completion system calls the file as a function when it has found it in fpath; otherwise it was sourced.
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"
else compdef _${name} ${name}
fi`;
}
