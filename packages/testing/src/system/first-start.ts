import type { Secret } from '@signet/platform/config/settings-fields'
import { auditTable, KeyStore } from '../../../../apps/keys/src/rotation/key.repository.ts'
import { KeyRings } from '../../../../apps/keys/src/rotation/key-rings.ts'
import { ROTATION_POLICY } from '../../../../apps/keys/src/rotation/policy.ts'
import { masterKeySealer } from '../../../../apps/keys/src/sealing.ts'
import type { Preparation } from '../postgres-fixture.ts'
import { tokenPartitions } from '../token-partitions.ts'

/**
 * Creates what takes longest of the first start of the services, which then find it in copies of the database: the partitions
 * of the token service, and the first keys, of which RSA takes 0.25 s of CPU.
 */
export function firstStart(now: Date, masterKeys: Secret<readonly Buffer[]>): readonly Preparation[] {
  return [tokenPartitions(now), firstKeys(now, masterKeys)]
}

/** Creates the keys of an hour, sealed under the first of `masterKeys`, which are the same for a whole run of the tests. */
function firstKeys(now: Date, masterKeys: Secret<readonly Buffer[]>): Preparation {
  return {
    name: `first keys of hour ${now.toISOString().slice(0, 13)}`,
    role: 'signet_keys',
    async run(database) {
      await auditTable.createPartitions(database, now)
      const sealer = masterKeySealer(masterKeys.reveal())
      await KeyRings.open({
        store: new KeyStore(database),
        sealer,
        policy: ROTATION_POLICY,
        now: () => now,
      })
    },
  }
}

/**
 * Whether the keys of a first start are those that the services would make for this document. It may name signing algorithms
 * besides the default ones, of which only an empty ring makes keys that are active at once.
 */
export function hasDefaultKeys(document: object): boolean {
  return !/EdDSA|signingAlgorithms/.test(JSON.stringify(document))
}
