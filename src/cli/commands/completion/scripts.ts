/**
 * Scripts that let a shell ask the program for candidates at the cursor. The Tab key runs only the program that Enter
 * would run: the typed command, never a program of the folder or after npx.
 */

const bash = (name: string) => `# bash completion for ${name}
_${name}() {
  local program=\${COMP_WORDS[0]/#\\~\\//$HOME/} kind
  COMPREPLY=()
  # the target of a redirection
  [[ \${COMP_WORDS[COMP_CWORD - 1]} == [\\<\\>]* ]] && compopt -o default && return
  # only what Enter would run
  [[ $(type -t -- "$program") == @(file|function) ]] || return
  compopt -o nosort
  { read -r kind; mapfile -t COMPREPLY; } < <(
    export COMP_WORDBREAKS COMP_TYPE
    "$program" completion bash -- "\${COMP_LINE:0:COMP_POINT}" </dev/null 2>/dev/null
  )
  [[ $kind != files ]] || compopt -o default
}

complete -F _${name} ${name}`;

const zsh = (name: string) => `#compdef ${name}
# zsh completion for ${name}
_${name}() {
  local program=\${words[1]/#\\~\\//$HOME/} typed=$PREFIX
  local -a lines=()
  # only what Enter would run
  [[ $(whence -w -- $program) == *': '(command|function) ]] || return
  # without the quotes of the shell
  case $compstate[quote] in
    \\') ;;
    \\") typed=\${(Q)\${:-\\"$PREFIX\\"}} ;;
    *) typed=\${(Q)PREFIX} ;;
  esac
  lines=(\${(f)"$($program completion zsh -- "\${(@Q)words[2,CURRENT-1]}" "$typed" </dev/null 2>/dev/null)"})
  [[ $PREFIX != --*=* ]] || compset -P '*='
  if [[ $lines[1] == files ]]; then _files
  elif ((\${#lines} > 1)); then
    shift lines
    _describe -V ${name} lines
  fi
}

# The completion system calls the file as a function when it has found it in fpath; otherwise it was sourced.
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"
else compdef _${name} ${name}
fi`;

const fish = (name: string) => `# fish completion for ${name}
function __${name}_complete
    set -l words (commandline -opc)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    # only what Enter would run
    type -q -- $program; or return
    set -l token (commandline -ct)
    # without the quotes of the shell, one of which may be open still
    set -l typed (string unescape -- "$token" 2>/dev/null; or string unescape -- "$token'" 2>/dev/null; or string unescape -- "$token\\"")
    set -l lines ($program completion fish -- $words[2..] "$typed" </dev/null 2>/dev/null)
    if test "$lines[1]" = files
        set -l option (string match -r -- '^--[\\w-]+=' "$token")
        __fish_complete_path (string replace -- "$option" '' "$token") | string replace -r '^' -- "$option"
    else
        string join \\n -- $lines[2..]
    end
end

complete -c ${name} -k -f -a '(__${name}_complete)'`;

export const completionScripts = { bash, zsh, fish };
