import { randomBytes } from 'node:crypto'
import type { Installation } from '@signet/dev-stack/installation/installation'
import { sampleEnvironment, sampleSecrets } from '@signet/dev-stack/installation/sample'
import { applyBootstrap } from '@signet/directory/bootstrap'
import type { Environment } from '@signet/platform/config/settings'
import type { Secret } from '@signet/platform/config/settings-fields'
import type { Logger } from '@signet/platform/logger/logger'
import { createPool } from '@signet/platform/postgres/pool'
import type { DatabaseRole } from '@signet/platform/postgres/roles'
import type { Clock } from '@signet/platform/runtime/clock'
import type { StandaloneConfig } from './config.ts'

/** Fills the directory with what a file says; the sample finds secrets of this installation in its environment. */
export async function applyBootstrapFile(options: {
  readonly config: StandaloneConfig
  readonly document: unknown
  readonly env: Environment
  readonly installation: Installation
  readonly databaseUrl: (role: DatabaseRole) => Secret
  readonly masterKeys: Secret<readonly Buffer[]>
  readonly logger: Logger
  readonly now: Clock
}): Promise<void> {
  const { config, document, env, installation, databaseUrl, masterKeys, logger, now } = options
  const environment =
    config.bootstrapFile === undefined ? sampleEnvironment(sampleSecrets(installation)) : env
  const database = createPool({
    url: databaseUrl('signet_directory'),
    applicationName: 'signet-bootstrap',
    max: 1,
    kind: 'long',
  })
  try {
    await applyBootstrap({
      document,
      config: { masterKeys },
      database,
      environment,
      now,
      random: randomBytes,
      logger: logger.child({ name: 'directory' }),
    })
  } finally {
    await database.close()
  }
}
