import { runOnce } from '@signet/platform/process/run-service'
import { StartFailure } from '@signet/platform/process/service'
import { markRestored } from './mark-restored.ts'
import { prepareInstallation } from './prepare-installation.ts'

await runOnce({
  name: 'migrate',
  env: process.env,
  async run(env) {
    const command = readCommand(process.argv.slice(2))
    if (command.name === 'prepare') return prepareInstallation(env)
    const print = (line: string) => void process.stdout.write(`${line}\n`)
    return markRestored(env, { dryRun: command.dryRun, now: new Date(), print })
  },
})

type Command =
  | { readonly name: 'prepare' }
  /** The command to run after a restore from a backup; with `dryRun` it changes nothing. */
  | { readonly name: 'restored'; readonly dryRun: boolean }

/** Reads the arguments of the process. Throws StartFailure for others than `restored` and `restored --dry-run`. */
function readCommand(args: readonly string[]): Command {
  const [name, ...flags] = args
  if (name === undefined) return { name: 'prepare' }
  if (name === 'restored' && flags.every((flag) => flag === '--dry-run')) {
    return { name: 'restored', dryRun: flags.length > 0 }
  }
  throw new StartFailure(
    `${args.join(' ')}: is no command; without arguments it prepares the database, and after a restore from a backup run: restored [--dry-run]`,
  )
}
