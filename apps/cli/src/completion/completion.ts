import type { Command, Commands } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { UsageError } from '../usage-error.ts'
import { completionWords } from './completion-words.ts'
import { SHELL_SCRIPTS } from './shell-scripts.ts'

/** Writes what makes a shell complete the names and options of commands. */
export function completion(commands: () => Commands): Command {
  return {
    synopsis: Object.keys(SHELL_SCRIPTS).join('|'),
    summary: 'writes what makes a shell complete commands and options',
    details: `bash: source <(signet completion bash)
zsh:  source <(signet completion zsh)
fish: signet completion fish > ~/.config/fish/completions/signet.fish`,
    async run(args, { say }) {
      const [name = '', ...rest] = commandArguments({ args: [...args], allowPositionals: true }).positionals
      const script = Object.hasOwn(SHELL_SCRIPTS, name) ? SHELL_SCRIPTS[name] : undefined
      if (script === undefined || rest.length > 0) throw new UsageError('name one shell: bash, zsh or fish')
      say(script(completionWords(commands())))
    },
  }
}
