import { randomBytes } from 'node:crypto'
import { StartFailure } from '@signet/platform/process/service'
import { KeyManagementError } from '@signet/platform/sealing/key-management'
import {
  type MasterKeySetting,
  openEntry,
  readWrappingKey,
  wrapMasterKey,
} from '@signet/platform/sealing/wrapped-keys'
import { type AddCommand, type CommandContext, createReadFailure, textOf } from './context.ts'
import { CommandError, UsageError } from './exit-codes.ts'

const SETTINGS: Readonly<Record<string, MasterKeySetting>> = {
  keys: 'SIGNET_KEYS_MASTER_KEY',
  directory: 'SIGNET_DIRECTORY_MASTER_KEY',
  login: 'SIGNET_LOGIN_MASTER_KEY',
  migration: 'SIGNET_MIGRATION_MASTER_KEY',
  federation: 'SIGNET_FEDERATION_MASTER_KEY',
}

/** `secrets wrap`: makes a master key that only a key management service can open. It calls no service of the suite. */
export function addWrapCommand(add: AddCommand, context: CommandContext): void {
  add('secrets wrap')
    .description('wraps a new master key of one service, and prints its entry for the list of master keys')
    .requiredOption('--service <service>', `the service: ${Object.keys(SETTINGS).join(', ')}`)
    .requiredOption(
      '--key <key>',
      'the key that wraps it, such as vault-transit:transit/signet-keys or pkcs11:signet/signet-keys',
    )
    .option(
      '--from <file>',
      'wraps the master key of this file, wrapped or not, instead of a new one; - is standard input',
    )
    .action(async ({ service, key, from }) => {
      const setting = Object.hasOwn(SETTINGS, service) ? SETTINGS[service] : undefined
      if (setting === undefined) {
        throw new UsageError(`--service takes one of ${Object.keys(SETTINGS).join(', ')}`)
      }
      const wrappingKey = readWrappingKey(key)
      if (wrappingKey === undefined) {
        throw new UsageError(
          '--key takes a key such as vault-transit:transit/signet-keys or pkcs11:signet/signet-keys',
        )
      }
      try {
        const masterKey = from === undefined ? randomBytes(32) : await masterKeyIn(from, setting, context)
        context.say(await wrapMasterKey(context.env, setting, wrappingKey, masterKey))
      } catch (error) {
        if (!(error instanceof KeyManagementError || error instanceof StartFailure)) throw error
        const cause = error instanceof KeyManagementError ? error : error.cause
        const isAway = cause instanceof KeyManagementError && cause.isAway
        throw new CommandError(isAway ? 'unavailable' : 'refused', error.message, { cause: error })
      }
    })
}

async function masterKeyIn(
  file: string,
  setting: MasterKeySetting,
  context: CommandContext,
): Promise<Buffer> {
  const entry = (await textOf(file, context).catch(createReadFailure(file, '--from '))).trim()
  const key = await openEntry(context.env, setting, entry)
  if (/^[A-Za-z0-9_-]{43}=?$/.test(key)) return Buffer.from(key, 'base64url')
  throw new UsageError('--from takes a file with one master key: 32 bytes in base64url, or a wrapped one')
}
