import { StartFailure } from '@signet/platform/process/service'
import type { RandomBytes } from '@signet/tokens/identifiers'
import type { MasterKeyCheckStore } from './master-key-check.repository.ts'
import { openValue, sealValue } from './sealed-value.ts'

const PURPOSE = 'directory master key check'
const KNOWN_TEXT = Buffer.from('signet')

/**
 * Throws StartFailure unless one of the keys is the one that this database was started with. The first start stores
 * the value that later ones must be able to open.
 */
export async function requireMasterKey(
  checks: MasterKeyCheckStore,
  keys: readonly Buffer[],
  random: RandomBytes,
): Promise<void> {
  const sealed = await checks.storeOnce(sealValue(keys, KNOWN_TEXT, PURPOSE, random))
  if (openValue(keys, sealed, PURPOSE)?.equals(KNOWN_TEXT)) return
  throw new StartFailure(
    'SIGNET_DIRECTORY_MASTER_KEY is not the key that this database was started with; give the old key, behind the new one if you changed it',
  )
}
