import type { WordsAfter } from './completion-words.ts'

/** Writes the script of a shell. */
type ShellScript = (cases: readonly WordsAfter[]) => string

const pattern = ({ beginning, anywhere }: WordsAfter) => `'${beginning}'${anywhere ? '*' : ''}`
const posixCases = (cases: readonly WordsAfter[]) =>
  cases.map((one) => `    ${pattern(one)}) offered='${one.words.join(' ')}' ;;`).join('\n')

const bash: ShellScript = (cases) => `_signet() {
  local offered=''
  case "\${COMP_WORDS[*]:1:COMP_CWORD-1} " in
${posixCases(cases)}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _signet signet`

const zsh: ShellScript = (cases) => `#compdef signet
_signet() {
  local before="\${(j: :)words[2,CURRENT-1]} "
  local offered=''
  case "$before" in
${posixCases(cases)}
  esac
  compadd -- \${=offered} || _files
}
compdef _signet signet`

const fish: ShellScript = (cases) => `function __signet_words
  set -l given (commandline -opc)
  switch (string join ' ' $given[2..-1])' '
${cases.map((one) => `    case '${one.beginning}${one.anywhere ? '*' : ''}'\n      printf '%s\\n' ${one.words.join(' ')}`).join('\n')}
  end
end
complete -c signet -a '(__signet_words)'`

export const SHELL_SCRIPTS: Readonly<Record<string, ShellScript>> = { bash, zsh, fish }
