import type { Command } from 'commander';
import { isValue, type Place, placesOf, type Word, wordsToFollow } from './places.js';

/** A string literal of fish, where backslash and quote are escaped within the quotes. */
const quoteFish = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;

export function fishScript(program: Command): string {
  const name = program.name();
  const places = placesOf(program);
  const { commands, valued } = wordsToFollow(places);
  const complete = ({ path, slot, isRepeated }: Place, what: string) =>
    `complete -c ${name} -n ${quoteFish(`__${name}_at ${quoteFish(path)} ${quoteFish(slot)}${isRepeated ? ' repeated' : ''}`)} ${what}`;
  const namesOf = ({ names }: Place) => names && `-a ${quoteFish(`(__${name}_names ${names})`)}`;
  // fish reads this list, like the condition above, once more as its own language: hence two pairs of quotes.
  const list = (words: readonly Word[]) => `-a ${quoteFish(words.map((word) => quoteFish(word.name)).join(' '))}`;
  const describe = ({ description }: Word) => description && ` -d ${quoteFish(description)}`;
  function argumentLines(place: Place): string[] {
    const names = namesOf(place);
    // In their own order: -k.
    if (names !== undefined) return [complete(place, `-k ${names}`)];
    if (place.isFile && place.words.length === 0) return [complete(place, '-F')];
    return place.words.map((word) => complete(place, list([word]) + describe(word)));
  }
  function argumentOf(place: Place): string {
    const names = namesOf(place);
    if (names !== undefined) return `-f -k ${names}`;
    if (place.words.length > 0) return `-f ${list(place.words)}`;
    return place.isFile ? '-F' : '-f';
  }
  const optionLines = (place: Place) =>
    place.words.map((option) => {
      const flag = option.name.replace(/^--?/, (dashes) => (dashes === '--' ? '-l ' : '-s '));
      const value = places.find(({ path, slot }) => path === place.path && slot === option.name);
      return complete(place, flag + (value ? ` -r ${argumentOf(value)}` : '') + describe(option));
    });
  const lines = places.flatMap((place) => {
    if (isValue(place)) return [];
    return place.slot === '-' ? optionLines(place) : argumentLines(place);
  });
  return `# fish completion for ${name}

# Whether the cursor is in this command, and after that many of its arguments, or more of one that is repeated; for options (-)
# that doesn't matter.
function __${name}_at --argument-names path slot repeated
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
    test "$command" = "$path"; or return 1
    contains -- "$slot" - $count; and return 0
    test -n "$repeated"; and test $count -gt $slot
end

# The names of a kind that begin as typed, which the program knows.
function __${name}_names --argument-names kind
    # A key runs what Enter would run, and nothing else.
    set -l program (commandline -opc | string replace -r '^~/' "$HOME/")[1]
    type -q -- $program; or return
    set -l token (commandline -ct | string replace -r '^--[\\w-]+=' '')
    # As it is meant, without the quotes of the shell; one may be open still.
    set -l typed (string unescape -- "$token" 2>/dev/null; or string unescape -- "$token'" 2>/dev/null; or string unescape -- "$token\\"")
    $program completion fish --names $kind --typed="$typed" </dev/null 2>/dev/null
end

complete -c ${name} -f
${lines.join('\n')}`;
}
