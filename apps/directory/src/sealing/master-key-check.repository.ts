import type { Queryable } from '@signet/platform/postgres/pool'
import { StartFailure } from '@signet/platform/process/service'
import { openValue, sealValue } from '@signet/platform/sealing/sealed-value'
import type { RandomBytes } from '@signet/tokens/identifiers'
import { CHECK_PURPOSE } from './purposes.ts'

export class MasterKeyCheckStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** Stores the first value and returns it to every caller. */
  async storeOnce(sealed: Buffer): Promise<Buffer> {
    await this.#database.query({
      name: 'master_key_check.insert',
      text: 'INSERT INTO directory.master_key_check (sealed) VALUES ($1) ON CONFLICT DO NOTHING',
      values: [sealed],
    })
    const { rows } = await this.#database.query<{ sealed: Buffer }>({
      name: 'master_key_check.select',
      text: 'SELECT sealed FROM directory.master_key_check',
    })
    return rows[0]?.sealed ?? sealed
  }
}

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
  const sealed = await checks.storeOnce(sealValue(keys, KNOWN_TEXT, CHECK_PURPOSE, random))
  if (openValue(keys, sealed, CHECK_PURPOSE)?.equals(KNOWN_TEXT)) return
  throw new StartFailure(
    'SIGNET_DIRECTORY_MASTER_KEY is not the key that this database was started with; give the old key, behind the new one if you changed it',
  )
}
