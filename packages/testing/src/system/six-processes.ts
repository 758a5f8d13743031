import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Databases, openDatabases } from '@signet/dev-stack/installation/databases'
import { openInstallation } from '@signet/dev-stack/installation/installation'
import {
  type ProcessSuite,
  type ProcessSuiteOptions,
  startProcessSuite,
} from '@signet/dev-stack/processes/process-suite'
import type { Secret } from '@signet/platform/config/settings-fields'
import { childEnvironment } from '../child-environment.ts'
import { freePort } from '../free-port.ts'
import { createDataDirectory } from './data-directory.ts'
import type { SignetProcess } from './signet-process.ts'
import { UNLIMITED } from './unlimited.ts'

/** The suite as separate processes over gRPC with mTLS, behind an edge; drops in where one process would do. */
export interface SixProcesses extends SignetProcess {
  readonly processes: ProcessSuite
  readonly databases: Databases
}

export interface SixProcessesOptions {
  readonly bootstrapFile: string
  /** How many processes each service has; one when left out. */
  readonly replicas?: ProcessSuiteOptions['replicas']
  /** A server for the suite to use; one of its own when left out. */
  readonly postgresUrl?: Secret
  readonly redisUrl?: Secret
  /** Another one than the sources of this version, asked before every start of a process. */
  readonly program?: ProcessSuiteOptions['program']
  /** More settings for every service. */
  readonly env?: Readonly<Record<string, string>>
  /** Variables of every process besides its settings. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts databases of its own, every replica and the edge, and waits until everything answers. */
export async function startSixProcesses(options: SixProcessesOptions): Promise<SixProcesses> {
  const { bootstrapFile, replicas = 1, env = {}, postgresUrl, redisUrl, program } = options
  const startedAt = performance.now()
  const data = await createDataDirectory()
  const opened = new AsyncDisposableStack()
  opened.defer(() => data.remove())
  let stderr = ''
  try {
    const { rolePasswords, keysMasterKeys, directoryMasterKeys, migrationMasterKeys, loginMasterKeys } =
      await openInstallation(data.path, randomBytes)
    const databases = await openDatabases({
      dataDirectory: data.path,
      ...(postgresUrl && { postgresUrl }),
      ...(redisUrl && { redisUrl }),
    })
    opened.defer(() => databases.stop())
    const port = await freePort()
    const processes = await startProcessSuite({
      issuer: `http://localhost:${port}`,
      host: '127.0.0.1',
      port,
      replicas,
      postgresAdminUrl: databases.postgresAdminUrl,
      redisUrl: databases.redisUrl,
      rolePasswords,
      keysMasterKeys,
      directoryMasterKeys,
      migrationMasterKeys,
      loginMasterKeys,
      certificatesFolder: join(data.path, 'certificates'),
      bootstrap: { file: bootstrapFile, environment: {} },
      ...(program && { program }),
      settings: { SIGNET_DRAIN_DELAY_SECONDS: '0', ...UNLIMITED, ...env },
      environment: { ...childEnvironment(), ...options.environment },
      onOutput: (text) => {
        stderr += text
      },
      onUnexpectedEnd: (problem) => {
        stderr += `${problem}\n`
      },
    })
    opened.defer(() => processes.stop())
    await processes.untilReady()
    return {
      issuer: processes.issuer,
      pid: process.pid,
      data,
      startedInMs: performance.now() - startedAt,
      processes,
      databases,
      output: () => ({ stdout: '', stderr }),
      async stop() {
        await opened.disposeAsync()
        return 0
      },
    }
  } catch (error) {
    await opened.disposeAsync()
    throw new Error(`the processes did not start:\n${stderr}`, { cause: error })
  }
}
