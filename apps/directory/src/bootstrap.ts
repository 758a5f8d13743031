import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import {
  createSecretExpansion,
  parseFileText,
  problemText,
} from '@signet/file-formats/bootstrap/bootstrap-file'
import { createPasswordHasher } from '@signet/password-hash/password-hasher'
import { ConfigurationError, type Environment } from '@signet/platform/config/settings'
import type { Logger } from '@signet/platform/logger/logger'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { StartFailure } from '@signet/platform/process/service'
import type { Clock } from '@signet/platform/runtime/clock'
import { newIdentifier, type RandomBytes } from '@signet/tokens/identifiers'
import { auditTable } from './audit/audit-table.ts'
import {
  changeEvent,
  FileRefused,
  type MergedFile,
  mergeBootstrap,
  type ObjectChange,
} from './bootstrap/merge-bootstrap.ts'
import { ObjectConflict } from './bootstrap/object-writer.ts'
import { type ReadBootstrap, readBootstrap } from './bootstrap/read-bootstrap.ts'
import type { DirectoryConfig } from './config.ts'
import { concernsLastOwner, LAST_OWNER_RULE } from './database/constraint-conflict.ts'
import { managementStores } from './management-stores.ts'
import { MasterKeyCheckStore, requireMasterKey } from './sealing/master-key-check.repository.ts'

export type { BootstrapFileInput } from './bootstrap/bootstrap-file.ts'

interface BootstrapDependencies {
  /** The parsed content of a bootstrap file. */
  readonly document: unknown
  readonly config: Pick<DirectoryConfig, 'masterKeys'>
  /** Connected as signet_directory, without a transaction pooler in between. */
  readonly database: Database
  /** Environment for `${NAME}` in secrets. */
  readonly environment: Environment
  readonly now: Clock
  readonly random: RandomBytes
  readonly logger: Logger
}

export interface BootstrapCounts {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
}

/**
 * The content of a YAML or JSON file, unchecked. Throws StartFailure when it cannot be read and
 * ConfigurationError when it is neither; needs no database, so that a start can be refused before any other
 * work.
 */
export function readBootstrapDocument(path: string): unknown {
  const parsed = parseFileText(readText(path))
  if ('problems' in parsed)
    throw new ConfigurationError(parsed.problems.map((problem) => `${path}: ${problem}`))
  return parsed.document
}

/**
 * Applies a bootstrap file in one transaction, one process at a time. Throws ConfigurationError with every problem of
 * the file, and StartFailure when the master key is the wrong one; then nothing was written.
 */
export async function applyBootstrap(dependencies: BootstrapDependencies): Promise<BootstrapCounts> {
  const { document, config, database, environment, random, logger } = dependencies
  const masterKeys = config.masterKeys.reveal()
  await requireMasterKey(new MasterKeyCheckStore(database), masterKeys, random)
  const expand = createSecretExpansion(environment, (url) => readFileSync(url, 'utf8'))
  const read = readBootstrap(document, expand)
  await auditTable.createPartitions(database, dependencies.now())
  const merged = await database
    .transaction((tx) => merge(tx, read, masterKeys, dependencies), { kind: 'long' })
    .catch(asConfigurationError)
  for (const { change, kind, path } of merged.changes) {
    if (change === 'left_deleted') logger.info('bootstrap_left_deleted', { kind, field: path })
  }
  const counts = {
    created: count(merged, 'created'),
    updated: count(merged, 'updated'),
    unchanged: merged.unchanged,
  }
  logger.info('bootstrap_applied', { count: counts.created + counts.updated })
  return counts
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartFailure(`SIGNET_BOOTSTRAP_FILE: cannot read ${path} (${code})`, { cause: error })
  }
}

async function merge(
  tx: Queryable,
  read: ReadBootstrap,
  masterKeys: readonly Buffer[],
  { now, random }: BootstrapDependencies,
): Promise<MergedFile> {
  const newId = () => newIdentifier(now(), random)
  const hasher = createPasswordHasher({ concurrency: 1, queueLimit: 1 })
  const writing = { hasher, masterKeys, now, random, newId, writeSecretFile }
  const merged = await mergeBootstrap(read, managementStores(tx, { masterKeys, random }), writing)
  for (const change of merged.changes.filter(({ change }) => change !== 'left_deleted')) {
    await auditTable.record(tx, { actor: { kind: 'bootstrap' }, result: 'success', ...changeEvent(change) })
  }
  return merged
}

/** Turns expected refusals into the error that an operator reads. */
function asConfigurationError(error: unknown): never {
  if (error instanceof FileRefused) throw new ConfigurationError(error.problems.map(problemText))
  if (concernsLastOwner(error)) throw new ConfigurationError([LAST_OWNER_RULE])
  throw error
}

function count({ changes }: MergedFile, wanted: ObjectChange['change']): number {
  return changes.filter(({ change }) => change === wanted).length
}

/** Writes a file of mode 0600, completely or not at all, also over a file with another mode. */
async function writeSecretFile(path: string, content: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.tmp`
  try {
    await writeFile(unfinished, content, { mode: 0o600 })
    await rename(unfinished, path)
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    throw new ObjectConflict(`cannot write ${path} (${code})`, { member: 'outputFile', cause })
  }
}
