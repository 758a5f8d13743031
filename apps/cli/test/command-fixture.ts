import { randomBytes, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { InProcessOptions } from '@signet/testing/system/in-process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import type { CommandContext } from '../src/context.ts'
import { errorLines, exitCodeOf } from '../src/exit-codes.ts'
import { runCommand } from '../src/program.ts'

export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Standard input that holds a text. */
export const typed = (text: string) => () => Readable.from([Buffer.from(text)])

export const commandContext = (change: Partial<CommandContext>): CommandContext => ({
  version: '1.2.3',
  now: () => new Date(),
  env: {},
  fetch,
  randomId: randomUUID,
  pause: async () => undefined,
  standardInput: typed(''),
  confirm: undefined,
  ask: undefined,
  openBrowser: async () => undefined,
  interruption: () => new AbortController().signal,
  say: () => {},
  note: () => {},
  ...change,
})

/** The services with an administrator and an organization, and the command `signet` beside it. */
export async function startCommandFixture(options: Pick<InProcessOptions, 'mailbox'> = {}) {
  const token = randomBytes(32).toString('base64url')
  const folder = await temporaryFolder('cli')
  const administrator = {
    id: 'operator',
    userName: 'operator',
    roles: ['IAM_OWNER' as const],
    personalAccessTokens: [{ id: 'operation', token }],
  }
  const home = { id: 'home', name: 'Home', primaryDomain: 'home.localhost', serviceUsers: [administrator] }
  const system = await startSystem({
    mode: 'in-process',
    document: { organizations: [home] },
    transferFolder: folder,
    ...options,
  })

  async function signetWith(change: Partial<CommandContext>, ...args: string[]): Promise<Outcome> {
    const lines = { out: '', err: '' }
    const note = (line: string) => {
      lines.err += `${line}\n`
    }
    const context = commandContext({
      env: { XDG_CONFIG_HOME: folder, SIGNET_ISSUER: system.issuer, SIGNET_TOKEN: token },
      say: (line) => {
        lines.out += `${line}\n`
      },
      note,
      ...change,
    })
    try {
      await runCommand(args, context)
      return { code: 0, ...lines }
    } catch (error) {
      errorLines(error).forEach(note)
      return { code: exitCodeOf(error), ...lines }
    }
  }

  return {
    system,
    /** Access token of the administrator. */
    token,
    /** Folder for files of a test; also the user's folder for settings. */
    folder,
    /** Runs `signet` with parts of its context changed. */
    signetWith,
    /** Runs `signet` as the administrator. */
    signet: (...args: string[]) => signetWith({}, ...args),
    async close(): Promise<void> {
      await system.stop()
      await rm(folder, { recursive: true })
    },
  }
}

export type CommandFixture = Awaited<ReturnType<typeof startCommandFixture>>
