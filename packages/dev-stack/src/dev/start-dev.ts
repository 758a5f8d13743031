import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from '@signet/platform/config/settings'
import { startOrClose } from '@signet/platform/process/run-service'
import { SERVICE_NAMES, StartFailure } from '@signet/platform/process/service'
import { openDatabases } from '../installation/databases.ts'
import { openInstallation } from '../installation/installation.ts'
import { SAMPLE_FILE, sampleEnvironment, sampleSecrets } from '../installation/sample.ts'
import { welcome } from '../installation/welcome.ts'
import { type ProcessSuite, startProcessSuite } from '../processes/process-suite.ts'
import { freePorts } from '../processes/service-ports.ts'
import { type DevConfig, readDevConfig } from './config.ts'

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
  const environment = inherited(env)
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
        ? { file: fileURLToPath(SAMPLE_FILE), environment: sampleEnvironment(sampleSecrets(installation)) }
        : { file: bootstrapFile, environment },
    settings: { SIGNET_LOG_LEVEL: config.logLevel, SIGNET_DRAIN_DELAY_SECONDS: '0' },
    environment,
    onOutput: (text) => void process.stderr.write(text),
    onUnexpectedEnd: (problem) => void Promise.reject(new StartFailure(problem)),
  })
  opened.defer(() => suite.stop())
  await suite.untilReady(aborted)
  process.stdout.write(`${await welcome(config, installation)}${portsOf(suite)}\nready ${issuer}\n`)
}

/** The environment without settings: the settings of this process do not fit the others. */
function inherited(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || name.startsWith('SIGNET_') || name.startsWith('npm_')
        ? []
        : [[name, value] as const],
    ),
  )
}

function portsOf(suite: ProcessSuite): string {
  const lines = SERVICE_NAMES.flatMap((service) => suite.replicas(service)).map(
    ({ name, pid, ports: { http, rpc, operations } }) =>
      `  ${name.padEnd(16)} http ${http}  gRPC ${rpc}  operations ${operations}  pid ${pid}`,
  )
  return `\nProcesses\n\n${lines.join('\n')}\n`
}
