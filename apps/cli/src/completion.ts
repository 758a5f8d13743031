import type { Command } from '@commander-js/extra-typings'
import type { AddCommand, CommandContext } from './context.ts'
import { UsageError } from './exit-codes.ts'

/** The words that may follow the beginning of a command line, `signet` itself left out. */
interface WordsAfter {
  /** Words with a space behind each. */
  readonly beginning: string
  /** Whether other words may come in between. */
  readonly anywhere: boolean
  readonly words: readonly string[]
}

/** `completion bash|zsh|fish|powershell` writes the script that makes a shell complete the commands and options of `program`. */
export function addCompletionCommand(add: AddCommand, { say }: CommandContext, program: Command): void {
  add('completion')
    .description('writes what makes a shell complete commands and options')
    .argument('[shell]', Object.keys(SHELL_SCRIPTS).join(', '))
    .addHelpText(
      'after',
      `
bash: source <(signet completion bash)
zsh:  source <(signet completion zsh)
fish: signet completion fish > ~/.config/fish/completions/signet.fish
PowerShell: signet completion powershell | Out-String | Invoke-Expression`,
    )
    .action((shell = '') => {
      const script = Object.hasOwn(SHELL_SCRIPTS, shell) ? SHELL_SCRIPTS[shell] : undefined
      if (script === undefined)
        throw new UsageError(`name one shell: ${Object.keys(SHELL_SCRIPTS).join(', ')}`)
      say(script(completionWords(program)))
    })
}

/** Nouns, then their verbs, then the options of each command. */
export function completionWords(program: Command): readonly WordsAfter[] {
  const wordsAfter = (command: Command, beginning: string): WordsAfter[] => {
    const subcommands = command.commands as Command[]
    const options = command.options.flatMap(({ long, hidden }) => (hidden ? [] : (long ?? [])))
    // `import` has both.
    const ownOptions = command.parent !== null && options.length > 0
    return [
      subcommands.length > 0 && ownOptions
        ? {
            beginning,
            anywhere: true,
            words: [...subcommands.map((one) => one.name()), ...options, '--help'],
          }
        : subcommands.length > 0
          ? { beginning, anywhere: false, words: subcommands.map((one) => one.name()) }
          : { beginning, anywhere: true, words: [...options, '--help'] },
      ...subcommands.flatMap((one) => wordsAfter(one, `${beginning.trimStart()}${one.name()} `)),
    ]
  }
  return wordsAfter(program, ' ')
}

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

/** Elements that end before the cursor are complete. */
const powershell: ShellScript = (
  cases,
) => `Register-ArgumentCompleter -Native -CommandName signet -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $given = $commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() }
  $offered = switch -Wildcard -CaseSensitive (($given -join ' ') + ' ') {
${cases.map((one) => `    '${one.beginning}${one.anywhere ? '*' : ''}' { '${one.words.join(' ')}'; break }`).join('\n')}
  }
  -split $offered | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}`

export const SHELL_SCRIPTS: Readonly<Record<string, ShellScript>> = { bash, zsh, fish, powershell }
