import { rm } from 'node:fs/promises'
import type { Command } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { loginFile } from './stored-login.ts'

/** Forgets what `signet login` kept. */
export const logout: Command = {
  synopsis: '',
  summary: 'forgets the login of this machine; the token or secret itself stays valid',
  async run(args, { env, say }) {
    commandArguments({ args: [...args] })
    const file = loginFile(env)
    await rm(file, { force: true })
    say(`${file} holds no login any more`)
  },
}
