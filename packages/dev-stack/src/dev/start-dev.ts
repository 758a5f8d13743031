import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ConfigurationError, type Environment, readSettings } from '@signet/platform/config/settings'
import type { Secret } from '@signet/platform/config/settings-fields'
import { startOrClose } from '@signet/platform/process/run-service'
import { SERVICE_NAMES, StartFailure } from '@signet/platform/process/service'
import { openDatabases } from '../installation/databases.ts'
import { openInstallation } from '../installation/installation.ts'
import { requireOwnBootstrap, sampleEnvironment, sampleSecrets, writeSample } from '../installation/sample.ts'
import { welcome } from '../installation/welcome.ts'
import { type ProcessSuite, startProcessSuite } from '../processes/process-suite.ts'
import { createRestarts } from '../processes/restart-ended.ts'
import { freePorts } from '../processes/service-ports.ts'

/**
 * Starts the services as processes with the databases, keys and sample of `npm start`, and prints `ready <issuer>` once
 * every endpoint answers.
 */
export async function startDev(
  env: Environment,
  args: readonly string[],
  aborted: AbortSignal,
): Promise<{ stop(): Promise<void> }> {
  const config = readDevConfig(env, args)
  return startOrClose(async (opened) => {
    await open(config, env, opened, aborted)
    return { stop: () => opened.disposeAsync() }
  })
}

async function open(
  config: DevConfig,
  env: Environment,
  opened: AsyncDisposableStack,
  aborted: AbortSignal,
): Promise<void> {
  const { issuer, port, replicas, dataDirectory, bootstrapFile } = config
  const installation = await openInstallation(dataDirectory, randomBytes)
  const databases = await openDatabases(config)
  opened.defer(() => databases.stop())
  const environment = passedOn(env)
  const onOutput = (text: string) => void process.stderr.write(text)
  const restarts = createRestarts({ onOutput })
  let isReady = false
  const suite = await startProcessSuite({
    issuer,
    host: '127.0.0.1',
    port,
    replicas,
    ports: freePorts,
    ...databases,
    ...installation,
    certificatesFolder: join(dataDirectory, 'dev-certs'),
    bootstrap:
      bootstrapFile === undefined
        ? {
            file: await writeSample(issuer, dataDirectory),
            environment: sampleEnvironment(sampleSecrets(installation)),
          }
        : { file: bootstrapFile, environment },
    settings: {
      SIGNET_LOG_LEVEL: config.logLevel,
      SIGNET_DRAIN_DELAY_SECONDS: environment.SIGNET_DRAIN_DELAY_SECONDS || '0',
    },
    environment,
    onOutput,
    onUnexpectedEnd(problem, replica) {
      // A service that ends at the first start has settings that it cannot use, and would end again.
      if (isReady) restarts.again(replica, problem)
      else void Promise.reject(new StartFailure(problem))
    },
  })
  opened.defer(() => suite.stop())
  opened.defer(() => restarts.stop())
  await suite.untilReady(aborted)
  isReady = true
  process.stdout.write(`${await welcome(config, installation)}${portsOf(suite)}\nready ${issuer}\n`)
}

/** Settings that this process reads itself, and that of the command line. The services get values of their own, or none. */
const OWN_SETTINGS: ReadonlySet<string> = new Set([
  ...['SIGNET_PORT', 'SIGNET_DATA_DIR', 'SIGNET_BOOTSTRAP_FILE', 'SIGNET_ISSUER', 'SIGNET_LOG_LEVEL'],
  ...['SIGNET_POSTGRES_URL', 'SIGNET_REDIS_URL', 'SIGNET_TOKEN'],
])
/** Settings whose value differs from process to process, or comes from the data directory. */
const CHOSEN_SETTINGS =
  /^SIGNET_(?:BIND_HOST|TRUSTED_PROXIES|TLS_\w+|(?:HTTP|RPC|RPC_TRANSFER|OPERATIONS)_PORT|RPC_\w+_ADDRESS|RPC_(?:CA|CERT|KEY)|\w+_MASTER_KEY|POSTGRES_(?:\w+_)?PASSWORD|POSTGRES_DIRECT_URL|REDIS_PASSWORD)$/

/** The setting that a variable sets: `<NAME>_FILE` names a file with a secret. */
const settingOf = (variable: string) => variable.replace(/_FILE$/, '')

/** The environment of the services. Settings are passed on unless they are the launcher's own, or those of tests. */
export function passedOn(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => {
      const isPassed =
        !name.startsWith('npm_') &&
        !name.startsWith('SIGNET_TEST_') &&
        !OWN_SETTINGS.has(name) &&
        !OWN_SETTINGS.has(settingOf(name))
      return value !== undefined && isPassed ? [[name, value] as const] : []
    }),
  )
}

function requireNoneChosen(env: Environment): void {
  const problems = Object.keys(env)
    .filter((name) => env[name] && CHOSEN_SETTINGS.test(settingOf(name)))
    .map((name) => `${name}: cannot be set for npm run dev, which chooses it for each process; remove it`)
  if (problems.length > 0) throw new ConfigurationError(problems)
}

function portsOf(suite: ProcessSuite): string {
  const lines = SERVICE_NAMES.flatMap((service) => suite.replicas(service)).map(
    ({ name, pid, ports: { http, rpc, operations } }) =>
      `  ${name.padEnd(16)} http ${http}  gRPC ${rpc}  operations ${operations}  pid ${pid}`,
  )
  return `\nProcesses\n\n${lines.join('\n')}\n`
}

interface DevConfig {
  readonly port: number
  readonly issuer: string
  readonly dataDirectory: string
  /** Absent: the shipped sample. */
  readonly bootstrapFile?: string
  /** Absent: an embedded server under the data directory. */
  readonly postgresUrl?: Secret
  readonly redisUrl?: Secret
  readonly replicas: number
  readonly logLevel: string
}

const MOST_REPLICAS = 9

/** Reads settings, all optional, and arguments. Throws ConfigurationError or StartFailure. */
export function readDevConfig(env: Environment, args: readonly string[]): DevConfig {
  const settings = readSettings(
    env,
    ['SIGNET_PORT', 'SIGNET_DATA_DIR', 'SIGNET_LOG_LEVEL'],
    ['SIGNET_ISSUER', 'SIGNET_BOOTSTRAP_FILE', 'SIGNET_POSTGRES_URL', 'SIGNET_REDIS_URL'],
  )
  const issuer = settings.SIGNET_ISSUER ?? `http://localhost:${settings.SIGNET_PORT}`
  requireNoneChosen(env)
  requireOwnBootstrap(issuer, settings.SIGNET_BOOTSTRAP_FILE)
  return {
    port: settings.SIGNET_PORT,
    issuer,
    dataDirectory: resolve(settings.SIGNET_DATA_DIR),
    replicas: readReplicas(args),
    logLevel: settings.SIGNET_LOG_LEVEL,
    ...(settings.SIGNET_BOOTSTRAP_FILE !== undefined && {
      bootstrapFile: resolve(settings.SIGNET_BOOTSTRAP_FILE),
    }),
    ...(settings.SIGNET_POSTGRES_URL !== undefined && { postgresUrl: settings.SIGNET_POSTGRES_URL }),
    ...(settings.SIGNET_REDIS_URL !== undefined && { redisUrl: settings.SIGNET_REDIS_URL }),
  }
}

function readReplicas(args: readonly string[]): number {
  try {
    const { replicas } = parseArgs({
      args: [...args],
      options: { replicas: { type: 'string', default: '1' } },
    }).values
    if (/^[1-9]$/.test(replicas)) return Number(replicas)
  } catch (error) {
    throw new StartFailure(error instanceof Error ? error.message : String(error), { cause: error })
  }
  throw new StartFailure(`--replicas: must be a whole number from 1 to ${MOST_REPLICAS}`)
}
