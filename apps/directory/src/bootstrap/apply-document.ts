import type { ReferenceStore } from '../stores/bootstrap-reference-store.ts'
import type { BootstrapStores } from './bootstrap-stores.ts'
import { referenceProblem } from './check-references.ts'
import { desiredObjects } from './desired-objects.ts'
import { FileRefused } from './file-refused.ts'
import { createFingerprints } from './fingerprint.ts'
import { type MergedFile, mergeBootstrap } from './merge-bootstrap.ts'
import type { ReadBootstrap } from './read-bootstrap.ts'
import type { BootstrapFile } from './schema/bootstrap-file.ts'

interface Dependencies {
  readonly stores: BootstrapStores
  readonly masterKeys: readonly Buffer[]
  readonly newId: () => string
}

/** Merges a file into what is stored, one file at a time. Throws FileRefused with every problem of it. */
export async function applyDocument(
  read: ReadBootstrap,
  { stores, masterKeys, newId }: Dependencies,
): Promise<MergedFile> {
  await stores.lock()
  const file = await requireValid(read, stores.references)
  await stores.ownersAtTheEnd()
  const merged = await mergeBootstrap(desiredObjects(file), {
    stores,
    fingerprints: createFingerprints(masterKeys),
    newId,
  })
  await stores.requireOwner()
  return merged
}

async function requireValid(
  { file, problems, openReferences }: ReadBootstrap,
  references: ReferenceStore,
): Promise<BootstrapFile> {
  const unmet = []
  for (const reference of openReferences) {
    if (!(await references.exists(reference))) unmet.push(referenceProblem(reference))
  }
  if (file === undefined || unmet.length > 0) throw new FileRefused([...problems, ...unmet])
  return file
}
