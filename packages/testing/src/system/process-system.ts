import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openDatabases } from '@signet/dev-stack/installation/databases'
import { openInstallation } from '@signet/dev-stack/installation/installation'
import {
  type ProcessSuite,
  type ProcessSuiteOptions,
  startProcessSuite,
} from '@signet/dev-stack/processes/process-suite'
import type { Replica } from '@signet/dev-stack/processes/replica'
import { Secret } from '@signet/platform/config/settings-fields'
import { createPool, type Database } from '@signet/platform/postgres/pool'
import { SERVICE_NAMES, type ServiceName } from '@signet/platform/process/service'
import {
  REDIS_SERVICES,
  type RedisService,
  redisUserName,
  redisUserRules,
} from '@signet/platform/redis/users'
import { Redis } from 'ioredis'
import { childEnvironment, testedProgram } from '../child-environment.ts'
import { freePort } from '../free-port.ts'
import { createDataDirectory, writeBootstrapFile } from './installation.ts'
import { createPreparedDataDirectory, randomOfRun } from './prepared-data.ts'
import { bootstrapDocument, UNLIMITED } from './test-directory.ts'
import { TestSystem } from './test-system.ts'

export interface ProcessesOptions {
  readonly mode: 'processes'
  /** A bootstrap document; the test directory when left out. */
  readonly document?: object
  /** How many processes each service has; one when left out. */
  readonly services?: ProcessSuiteOptions['replicas']
  /** A server to use; one of its own when left out. */
  readonly postgresUrl?: Secret
  readonly redisUrl?: Secret
  /**
   * Folder with `passwords`, of `startProcessSuite`, and `certificates`, which are made when missing. When left out,
   * passwords stand in the settings.
   */
  readonly secretsFolder?: string
  /** Another one than `testedProgram`, asked before every start of a process. */
  readonly program?: ProcessSuiteOptions['program']
  /** Files of ports that ask clients for certificates; no such port when left out. */
  readonly mutualTls?: ProcessSuiteOptions['mutualTls']
  /** More settings for every service. */
  readonly env?: Readonly<Record<string, string>>
  /** Variables of every process besides its settings. */
  readonly environment?: Readonly<Record<string, string>>
}

interface Running {
  readonly processes: ProcessSuite
  readonly redisUrl: Secret
  readonly database: Database
  readonly output: () => { readonly stderr: string }
  readonly unexpectedEnds: readonly string[]
}

/** Every replica of every service as a process of its own, behind one gateway. */
export class ProcessSystem extends TestSystem {
  readonly processes: ProcessSuite
  readonly redisUrl: Secret
  /** Connects the superuser, and connects again after the server was away. */
  readonly database: Database
  /** Returns the output of the processes so far. */
  readonly output: () => { readonly stderr: string }
  /** The ends without a request of all processes so far. */
  readonly unexpectedEnds: readonly string[]
  readonly #opened: AsyncDisposableStack

  constructor(running: Running, opened: AsyncDisposableStack) {
    super(running.processes.issuer)
    this.processes = running.processes
    this.redisUrl = running.redisUrl
    this.database = running.database
    this.output = running.output
    this.unexpectedEnds = running.unexpectedEnds
    this.#opened = opened
  }

  /** The first replica of a service, or another one. */
  replica(service: ServiceName, index = 0): Replica {
    const replica = this.processes.replicas(service)[index]
    if (replica === undefined) throw new Error(`there is no ${service}-${index + 1}`)
    return replica
  }

  /** Stops every replica of these services, does something and starts them again, even if that fails. */
  async whileStopped(services: readonly ServiceName[], work: () => Promise<unknown>): Promise<void> {
    const replicas = services.flatMap((service) => this.processes.replicas(service))
    await Promise.all(replicas.map((replica) => replica.end('SIGTERM')))
    try {
      await work()
    } finally {
      await Promise.all(replicas.map((replica) => replica.start()))
    }
  }

  /** Starts the replicas that do not run, as Kubernetes does. */
  async startMissing(): Promise<void> {
    const replicas = SERVICE_NAMES.flatMap((service) => this.processes.replicas(service))
    await Promise.all(replicas.filter(({ isRunning }) => !isRunning).map((replica) => replica.start()))
  }

  stop(): Promise<void> {
    return this.#opened.disposeAsync()
  }
}

/** Gives the server an ACL user for each service and returns their passwords. */
async function createRedisUsers(url: Secret): Promise<Readonly<Record<RedisService, Secret>>> {
  const passwords = REDIS_SERVICES.map((service) => [service, randomBytes(16).toString('hex')] as const)
  const redis = new Redis(url.reveal())
  try {
    for (const [service, password] of passwords) {
      await redis.acl('SETUSER', redisUserName(service), ...redisUserRules(service, password))
    }
  } finally {
    redis.disconnect()
  }
  const secrets = passwords.map(([service, password]) => [service, new Secret(password)])
  return Object.fromEntries(secrets) as Readonly<Record<RedisService, Secret>>
}

/** Starts databases of its own unless given, with an ACL user for each service in its own Redis, every replica and the gateway, and waits until all are ready. */
export async function runProcesses(options: ProcessesOptions): Promise<ProcessSystem> {
  const {
    document = bootstrapDocument(),
    services = 1,
    env = {},
    postgresUrl,
    redisUrl,
    program = testedProgram,
  } = options
  const opened = new AsyncDisposableStack()
  let stderr = ''
  const unexpectedEnds: string[] = []
  try {
    const file = await writeBootstrapFile(document)
    opened.defer(() => file.remove())
    // Another version makes its own schema.
    const isPrepared = options.program === undefined
    // The database of a given server may be prepared, too; its secrets are those of all prepared installations.
    const needsCluster = isPrepared && postgresUrl === undefined
    const data = await (needsCluster ? createPreparedDataDirectory() : createDataDirectory())
    opened.defer(() => data.remove())
    const { rolePasswords, keysMasterKeys, directoryMasterKeys, migrationMasterKeys, ...installation } =
      await openInstallation(data.path, isPrepared ? randomOfRun() : randomBytes)
    const databases = await openDatabases({
      dataDirectory: data.path,
      ...(postgresUrl && { postgresUrl }),
      ...(redisUrl && { redisUrl }),
    })
    opened.defer(() => databases.stop())
    const redisPasswords = redisUrl === undefined ? await createRedisUsers(databases.redisUrl) : undefined
    const port = await freePort()
    const { secretsFolder = data.path } = options
    const processes = await startProcessSuite({
      issuer: `http://localhost:${port}`,
      host: '127.0.0.1',
      port,
      replicas: services,
      postgresAdminUrl: databases.postgresAdminUrl,
      redisUrl: databases.redisUrl,
      ...(redisPasswords && { redisPasswords }),
      rolePasswords,
      keysMasterKeys,
      directoryMasterKeys,
      migrationMasterKeys,
      loginMasterKeys: installation.loginMasterKeys,
      federationMasterKeys: installation.federationMasterKeys,
      ...(options.secretsFolder !== undefined && { passwordsFolder: join(secretsFolder, 'passwords') }),
      certificatesFolder: join(secretsFolder, 'certificates'),
      ...(options.mutualTls && { mutualTls: options.mutualTls }),
      bootstrap: { file: file.path, environment: {} },
      program,
      settings: { SIGNET_DRAIN_DELAY_SECONDS: '0', ...UNLIMITED, ...env },
      environment: { ...childEnvironment(), ...options.environment },
      onOutput: (text) => {
        stderr += text
      },
      onUnexpectedEnd: (problem) => {
        unexpectedEnds.push(problem)
        stderr += `${problem}\n`
      },
    })
    opened.defer(() => processes.stop())
    await processes.untilReady()
    const database = createPool({
      url: databases.postgresAdminUrl,
      applicationName: 'test',
      max: 3,
      // Tests of the soak size read whole tables.
      kind: 'background',
      onIdleError: () => undefined,
    })
    opened.defer(() => database.close())
    const running = {
      processes,
      redisUrl: databases.redisUrl,
      database,
      output: () => ({ stderr }),
      unexpectedEnds,
    }
    return new ProcessSystem(running, opened)
  } catch (error) {
    await opened.disposeAsync()
    throw new Error(`the processes did not start:\n${stderr}`, { cause: error })
  }
}
