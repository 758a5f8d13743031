import { StartFailure } from '@signet/platform/process/service'

export type Command =
  | { readonly name: 'prepare' }
  /** The command to run after a restore from a backup; with `dryRun` it changes nothing. */
  | { readonly name: 'restored'; readonly dryRun: boolean }

/** Reads the arguments of the process. Throws StartFailure for others than `restored` and `restored --dry-run`. */
export function readCommand(args: readonly string[]): Command {
  const [name, ...flags] = args
  if (name === undefined) return { name: 'prepare' }
  if (name === 'restored' && flags.every((flag) => flag === '--dry-run')) {
    return { name: 'restored', dryRun: flags.length > 0 }
  }
  throw new StartFailure(
    `${args.join(' ')}: is no command; without arguments it prepares the database, and after a restore from a backup run: restored [--dry-run]`,
  )
}
