import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { completionWords, SHELL_SCRIPTS } from '../src/completion.ts'
import { signetProgram } from '../src/program.ts'
import { commandContext } from './command-fixture.ts'

const cases = completionWords(signetProgram(commandContext({})))

/** The words that bash offers for the last word. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `${SHELL_SCRIPTS.bash?.(cases)}
COMP_WORDS=(signet "$@"); COMP_CWORD=$#; _signet; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', ...words])
  return stdout.trim().split('\n')
}

/** Written for the shells that this machine has: each is given the words of a command line, the last one unfinished. */
const HARNESSES: Readonly<Record<string, (script: string) => string>> = {
  bash: (script) =>
    `${script}\nCOMP_WORDS=(signet "$0" "$@"); COMP_CWORD=$(($# + 1)); _signet; echo "${'$'}{COMPREPLY[@]}"`,
  // The functions of its completion system are replaced by ones that print.
  zsh: (script) => `compdef() { : }
_files() { : }
compadd() { shift; print -l -- \${(M)@:#$words[CURRENT]*} }
${script}
words=(signet "$0" "$@"); CURRENT=$#words; _signet`,
  fish: (script) => `${script}\ncomplete -C "signet $argv"`,
  pwsh: (script) =>
    `${script}\n$line = "signet $args"; (TabExpansion2 $line $line.Length).CompletionMatches.CompletionText`,
}
const SCRIPT_OF: Readonly<Record<string, string>> = { pwsh: 'powershell' }
const INTERACTIVE = Object.entries(HARNESSES).flatMap(([shell, harness]) => {
  const program = process.env[`SIGNET_TEST_${shell.toUpperCase()}`] ?? shell
  if (spawnSync(program, ['-c', 'exit 0']).status !== 0) return []
  return [{ shell, program, script: harness(SHELL_SCRIPTS[SCRIPT_OF[shell] ?? shell]?.(cases) ?? '') }]
})

describe('completion', () => {
  it('bash offers nouns, verbs and options', async () => {
    expect(await offered('compl')).toEqual(['completion'])
    expect(await offered('jobs', 'ca')).toEqual(['cancel'])
    expect(await offered('organization', '')).toEqual(expect.arrayContaining(['list', 'create', 'delete']))
    expect(await offered('user', 'update', 'erin', '--if')).toEqual(['--if-match'])
    expect(await offered('login', '--token-file', '-', '--cl')).toEqual([
      '--client-id',
      '--client-secret-file',
    ])
    expect(await offered('organization', 'nothing', '')).toEqual([''])
  })

  it.each(['zsh', 'fish', 'powershell'])('%s offers the same words', (shell) => {
    const script = SHELL_SCRIPTS[shell]?.(cases) ?? ''
    for (const { beginning, words } of cases) {
      expect(script).toContain(`'${beginning}`)
      expect(script).toContain(words.join(' '))
    }
  })

  it.each(INTERACTIVE)('$shell offers them when it runs', async ({ program, script }) => {
    const run = async (...words: string[]) => {
      const { stdout } = await promisify(execFile)(program, ['-c', script, ...words])
      return stdout.trim().split(/\s+/)
    }
    expect(await run('jobs', 'ca')).toEqual(['cancel'])
    expect(await run('organization', '')).toEqual(expect.arrayContaining(['list', 'create', 'delete']))
    expect(await run('user', 'update', 'erin', '--if')).toEqual(['--if-match'])
  })
})
