import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { completionWords, SHELL_SCRIPTS } from '../src/completion.ts'
import { signetProgram } from '../src/program.ts'
import { commandContext } from './suite-fixture.ts'

const cases = completionWords(signetProgram(commandContext({})))

/** The words that bash offers for the last word. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `${SHELL_SCRIPTS.bash?.(cases)}
COMP_WORDS=(signet "$@"); COMP_CWORD=$#; _signet; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', ...words])
  return stdout.trim().split('\n')
}

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

  it.each(['zsh', 'fish'])('%s offers the same words', (shell) => {
    const script = SHELL_SCRIPTS[shell]?.(cases) ?? ''
    for (const { beginning, words } of cases) {
      expect(script).toContain(`'${beginning}`)
      expect(script).toContain(words.join(' '))
    }
  })
})
