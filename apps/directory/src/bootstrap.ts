import { readFileSync } from 'node:fs'
import { problemText } from '@signet/bootstrap-file/file-problem'
import { parseFileText } from '@signet/bootstrap-file/file-text'
import { secretExpansion } from '@signet/bootstrap-file/secret-references'
import { createPasswordHasher } from '@signet/password-hash/password-hasher'
import type { Database, Queryable } from '@signet/postgres/pool'
import type { Clock } from '@signet/service-runtime/clock'
import type { Logger } from '@signet/service-runtime/logger'
import { ConfigurationError, type Environment } from '@signet/service-runtime/settings'
import { StartFailure } from '@signet/service-runtime/start-failure'
import { newIdentifier, type RandomBytes } from '@signet/token-format/identifiers'
import { referenceProblem } from './bootstrap/check-references.ts'
import { desiredObjects } from './bootstrap/desired-objects.ts'
import { createFingerprints } from './bootstrap/fingerprint.ts'
import { type BootstrapCounts, mergeBootstrap } from './bootstrap/merge-bootstrap.ts'
import { type ReadBootstrap, readBootstrap } from './bootstrap/read-bootstrap.ts'
import type { BootstrapFile, BootstrapFileInput } from './bootstrap/schema/bootstrap-file.ts'
import { writeSecretFile } from './bootstrap/write-secret-file.ts'
import type { DirectoryConfig } from './config.ts'
import { requireMasterKey } from './sealing/require-master-key.ts'
import { trail } from './stores/audit-trail.ts'
import { PostgresFingerprintStore } from './stores/bootstrap-fingerprint-store.ts'
import { PostgresReferenceStore } from './stores/bootstrap-reference-store.ts'
import { bootstrapWriters } from './stores/bootstrap-writers.ts'
import { PostgresMasterKeyCheckStore } from './stores/master-key-check-store.ts'

export type { BootstrapFileInput } from './bootstrap/schema/bootstrap-file.ts'

interface BootstrapDependencies {
  /** A YAML or JSON file, or what one would say. */
  readonly source: { readonly path: string } | { readonly document: BootstrapFileInput }
  readonly config: Pick<DirectoryConfig, 'masterKeys'>
  /** Connected as signet_directory, without a transaction pooler in between. */
  readonly database: Database
  /** For `${NAME}` in secrets. */
  readonly environment: Environment
  readonly now: Clock
  readonly random: RandomBytes
  readonly logger: Logger
}

/** Two processes may start at once; the number only has to be ours. */
const BOOTSTRAP_LOCK = 7_331_003

/**
 * Applies a bootstrap file in one transaction, one process at a time. Throws ConfigurationError with every problem of
 * the file, and StartFailure when it cannot be read or the master key is the wrong one; then nothing was written.
 */
export async function applyBootstrap(dependencies: BootstrapDependencies): Promise<BootstrapCounts> {
  const { source, config, database, environment, random, logger } = dependencies
  const masterKeys = config.masterKeys.reveal()
  await requireMasterKey(new PostgresMasterKeyCheckStore(database), masterKeys, random)
  const expand = secretExpansion(environment, (url) => readFileSync(url, 'utf8'))
  const read = readBootstrap('path' in source ? documentOf(source.path) : source.document, expand)
  await trail.settlePartitions(database)
  const counts = await database.transaction(async (tx) => {
    await tx.query({
      name: 'bootstrap.lock',
      text: 'SELECT pg_advisory_xact_lock($1)',
      values: [BOOTSTRAP_LOCK],
    })
    return merge(tx, await requireValid(read, new PostgresReferenceStore(tx)), masterKeys, dependencies)
  })
  logger.info('bootstrap_applied', { count: counts.created + counts.updated })
  return counts
}

function documentOf(path: string): unknown {
  const parsed = parseFileText(readText(path))
  if ('problems' in parsed)
    throw new ConfigurationError(parsed.problems.map((problem) => `${path}: ${problem}`))
  return parsed.document
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartFailure(`SIGNET_BOOTSTRAP_FILE: cannot read ${path} (${code})`, { cause: error })
  }
}

async function requireValid(read: ReadBootstrap, references: PostgresReferenceStore): Promise<BootstrapFile> {
  const problems = [...read.problems]
  for (const reference of read.openReferences) {
    if (!(await references.exists(reference))) problems.push(referenceProblem(reference))
  }
  if (read.file === undefined || problems.length > 0) throw new ConfigurationError(problems.map(problemText))
  return read.file
}

function merge(
  tx: Queryable,
  file: BootstrapFile,
  masterKeys: readonly Buffer[],
  { now, random, logger }: BootstrapDependencies,
): Promise<BootstrapCounts> {
  const newId = () => newIdentifier(now(), random)
  const hasher = createPasswordHasher({ concurrency: 1, queueLimit: 1 })
  return mergeBootstrap(desiredObjects(file), {
    writers: bootstrapWriters(tx, { hasher, masterKeys, now, random, newId, writeSecretFile }),
    stored: new PostgresFingerprintStore(tx),
    fingerprints: createFingerprints(masterKeys),
    newId,
    logger,
    record: (event) => trail.record(tx, event),
  })
}
