import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@signet/dev-stack/databases/free-port'
import { type Databases, openDatabases } from '@signet/dev-stack/installation/databases'
import { openInstallation } from '@signet/dev-stack/installation/installation'
import { BUNDLED } from '@signet/dev-stack/processes/child'
import {
  type ProcessSuite,
  type ProcessSuiteOptions,
  startProcessSuite,
} from '@signet/dev-stack/processes/process-suite'
import type { Replica } from '@signet/dev-stack/processes/replica'
import type { ServiceName } from '@signet/platform/process/service'
import { DIRECTORY_DOCUMENT } from './directory-document.ts'

/** The seven services as their images run them, on databases that keep what they promise to keep. */
export interface RunningSignet {
  readonly issuer: string
  readonly suite: ProcessSuite
  readonly databases: Databases
  readonly certificatesFolder: string
  /** The first process of a service. */
  replica(service: ServiceName): Replica
  /** Returns the origin of a service without anything in between. */
  originOf(service: ServiceName): string
  stop(): Promise<void>
}

export async function startSignet(
  dataDirectory: string,
  environment: Readonly<Record<string, string>>,
  replicas: ProcessSuiteOptions['replicas'] = 1,
): Promise<RunningSignet> {
  const opened = new AsyncDisposableStack()
  const output: string[] = []
  try {
    const installation = await openInstallation(dataDirectory, randomBytes)
    const databases = await openDatabases({ dataDirectory })
    opened.defer(() => databases.stop())
    const file = join(dataDirectory, 'bootstrap.json')
    await writeFile(file, JSON.stringify(DIRECTORY_DOCUMENT), { mode: 0o600 })
    const port = await freePort()
    const certificatesFolder = join(dataDirectory, 'certificates')
    const suite = await startProcessSuite({
      program: BUNDLED,
      issuer: `http://localhost:${port}`,
      host: '127.0.0.1',
      port,
      replicas,
      ...databases,
      ...installation,
      certificatesFolder,
      bootstrap: { file, environment: {} },
      settings: {
        SIGNET_DRAIN_DELAY_SECONDS: '0',
        // All load comes from one address.
        SIGNET_RATE_LIMIT_SIGN_IN: '0',
        SIGNET_RATE_LIMIT_PUBLIC: '0',
        // Each sign-in names its own address: login limits the bytes that it stores for one address.
        SIGNET_TRUSTED_PROXIES: '127.0.0.1/32',
      },
      environment,
      // Services log each request, as in production; the last lines explain a failure.
      onOutput: (text) => void (output.push(text) > 20 && output.shift()),
      onUnexpectedEnd: (problem) => void output.push(problem),
    })
    opened.defer(() => suite.stop())
    await suite.untilReady()
    return {
      issuer: suite.issuer,
      suite,
      databases,
      certificatesFolder,
      replica: (service) => replicaOf(suite, service),
      originOf: (service) => `http://127.0.0.1:${replicaOf(suite, service).ports.http}`,
      stop: () => opened.disposeAsync(),
    }
  } catch (error) {
    await opened.disposeAsync()
    throw new Error(`the services did not start:\n${output.join('')}`, { cause: error })
  }
}

function replicaOf(suite: ProcessSuite, service: ServiceName): Replica {
  const [replica] = suite.replicas(service)
  if (replica === undefined) throw new Error(`${service} has no process`)
  return replica
}
