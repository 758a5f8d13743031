import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { ExpandSecret } from '@signet/file-formats/bootstrap/bootstrap-file'
import type { ManagementCall, Tools } from '../api/management-call.ts'
import { changeEvent, FileRefused, mergeBootstrap, type ObjectChange } from './merge-bootstrap.ts'
import { type BootstrapStores, ObjectConflict } from './object-writer.ts'
import { readBootstrap } from './read-bootstrap.ts'

interface AppliedFile {
  readonly dryRun: boolean
  readonly changes: readonly ObjectChange[]
  readonly unchanged: number
}

/** The helpers that applying a file needs. */
type ApplyTools = Pick<Tools, 'hasher' | 'masterKeys' | 'newId' | 'now' | 'random'>

/**
 * Merges a bootstrap file into the database: all of it, or nothing when any part is refused. A dry run rolls back its writes.
 * When it resolves, all endings of the file are published, also those that an earlier call could not publish.
 */
export function applyFile(
  call: ManagementCall<BootstrapStores>,
  { dryRun, document }: { readonly dryRun: boolean; readonly document: object },
  { hasher, masterKeys, newId, now, random }: ApplyTools,
): Promise<AppliedFile> {
  const read = readBootstrap(document, refuseReference)
  const writing = { hasher, masterKeys, newId, now, random, writeSecretFile: refuseToGenerate }
  return call.change(async (stores) => {
    const { bootstrap } = stores
    const apply = () => mergeBootstrap(read, stores, writing).catch(asInvalidFields)
    const { changes, unchanged, resolved } = await (dryRun ? bootstrap.runAndRollBack(apply) : apply())
    const shown = changes.map(({ inForce: _, ...change }) => change)
    const result = { dryRun, changes: shown, unchanged }
    if (dryRun) return { result, details: { dry_run: true } }
    return {
      result,
      events: changes.filter(({ change }) => change !== 'left_deleted').map(changeEvent),
      epochs: await bootstrap.epochs(resolved),
    }
  })
}

/** References to files and to the environment would resolve on the server instead of on the machine of the sender. */
const refuseReference: ExpandSecret = (text) =>
  text.startsWith('file:///') || /\$\{[A-Za-z_]/.test(text)
    ? { problem: 'refers to a file or to the environment; send the secret itself, as signet apply does' }
    : { value: text }

async function refuseToGenerate(): Promise<never> {
  throw new ObjectConflict(
    'is required: outputFile is written only when a service starts with the file; signet token create creates a token',
    { member: 'token' },
  )
}

function asInvalidFields(error: unknown): never {
  if (!(error instanceof FileRefused)) throw error
  throw invalidFields(
    error.problems.map(({ path, rule }) => ({ field: path, rule })),
    error,
  )
}
