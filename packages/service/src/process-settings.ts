import { accessSync, constants } from 'node:fs'
import type { RpcTransport } from '@signet/grpc/client'
import { type GrpcTransportOptions, grpcTransport } from '@signet/grpc/grpc-transport'
import { type ClientCallMeasure, clientCallMeasure, measuredTransport } from '@signet/grpc/measured-transport'
import { tracedTransport } from '@signet/grpc/traced-transport'
import {
  MUTUAL_TLS_LISTENER_SETTINGS,
  type MutualTlsListenerConfig,
  mutualTlsListener,
} from '@signet/platform/config/mutual-tls-settings'
import { ConfigurationError, type Environment, readSettings } from '@signet/platform/config/settings'
import type { LogLevel } from '@signet/platform/logger/logger'
import type { ServiceName } from '@signet/platform/process/service'
import { VERSION } from '@signet/platform/process/version'
import { readTracingSettings, type TracingSettings } from '@signet/platform/tracing/tracing-settings'
import type { Resource } from './resources.ts'
import { type CertificateOwner, readTlsFiles, type WatchedTlsIdentity } from './tls-files.ts'

/** The settings of every process of one service. */
export interface ProcessSettings {
  readonly host: string
  readonly httpPort: number
  readonly rpcPort: number
  readonly lastingRpcPort: number
  readonly operationsPort: number
  /** Absent: no port asks for certificates of clients. */
  readonly mutualTlsListener?: MutualTlsListenerConfig | undefined
  readonly tls?: WatchedTlsIdentity
  readonly maxConnectionAgeMs: number
  readonly drainDelayMs: number
  readonly drainDeadlineMs: number
  readonly logLevel: LogLevel
  /** Absent: no traces. */
  readonly tracing?: TracingSettings
}

/** Throws ConfigurationError with every problem, also for certificates that cannot be read. */
export function readProcessSettings(env: Environment, service: ServiceName): ProcessSettings {
  const settings = readSettings(
    env,
    [
      'SIGNET_BIND_HOST',
      'SIGNET_HTTP_PORT',
      'SIGNET_RPC_PORT',
      'SIGNET_RPC_TRANSFER_PORT',
      'SIGNET_OPERATIONS_PORT',
      'SIGNET_RPC_CONNECTION_AGE_SECONDS',
      'SIGNET_DRAIN_DELAY_SECONDS',
      'SIGNET_DRAIN_DEADLINE_SECONDS',
      'SIGNET_LOG_LEVEL',
    ],
    [...TLS_NAMES, 'SIGNET_RPC_TRUST_PREFIX', 'SIGNET_MTLS_ORIGIN', ...MUTUAL_TLS_LISTENER_SETTINGS],
  )
  const tls = readTlsIdentity(settings, { service, trustPrefix: settings.SIGNET_RPC_TRUST_PREFIX })
  const tracing = readTracingSettings(env, { service: `signet-${service}`, version: VERSION })
  return {
    host: settings.SIGNET_BIND_HOST,
    httpPort: settings.SIGNET_HTTP_PORT,
    rpcPort: settings.SIGNET_RPC_PORT,
    lastingRpcPort: settings.SIGNET_RPC_TRANSFER_PORT,
    operationsPort: settings.SIGNET_OPERATIONS_PORT,
    mutualTlsListener: mutualTlsListener(settings),
    maxConnectionAgeMs: settings.SIGNET_RPC_CONNECTION_AGE_SECONDS * 1000,
    drainDelayMs: settings.SIGNET_DRAIN_DELAY_SECONDS * 1000,
    drainDeadlineMs: settings.SIGNET_DRAIN_DEADLINE_SECONDS * 1000,
    logLevel: settings.SIGNET_LOG_LEVEL,
    ...(tls && { tls }),
    ...(tracing && { tracing }),
  }
}

type TlsPaths = Readonly<Record<(typeof TLS_NAMES)[number], string | undefined>>

const TLS_NAMES = ['SIGNET_RPC_CA', 'SIGNET_RPC_CERT', 'SIGNET_RPC_KEY'] as const

function readTlsIdentity(files: TlsPaths, owner: CertificateOwner): WatchedTlsIdentity | undefined {
  if (TLS_NAMES.every((name) => files[name] === undefined)) {
    if (owner.trustPrefix === undefined) return undefined
    throw new ConfigurationError([`SIGNET_RPC_TRUST_PREFIX: needs ${TLS_NAMES.join(', ')}`])
  }
  const problems: string[] = []
  const readable = (name: (typeof TLS_NAMES)[number]): string => {
    const file = files[name] ?? ''
    try {
      if (file === '') problems.push(`${name}: is required with the other two of ${TLS_NAMES.join(', ')}`)
      else accessSync(file, constants.R_OK)
    } catch (error) {
      problems.push(`${name}: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`)
    }
    return file
  }
  const paths = {
    ca: readable('SIGNET_RPC_CA'),
    certificate: readable('SIGNET_RPC_CERT'),
    privateKey: readable('SIGNET_RPC_KEY'),
  }
  if (problems.length > 0) throw new ConfigurationError(problems)
  try {
    return readTlsFiles(paths, owner)
  } catch (error) {
    throw new ConfigurationError([error instanceof Error ? error.message : String(error)])
  }
}

const ADDRESS_SETTINGS = {
  directory: 'SIGNET_RPC_DIRECTORY_ADDRESS',
  token: 'SIGNET_RPC_TOKEN_ADDRESS',
  keys: 'SIGNET_RPC_KEYS_ADDRESS',
  login: 'SIGNET_RPC_LOGIN_ADDRESS',
  federation: 'SIGNET_RPC_FEDERATION_ADDRESS',
} as const
const TRANSFER_SETTING = 'SIGNET_RPC_TRANSFER_ADDRESS'

/** Another service over gRPC. It need not run when this one starts: calls fail or streams reopen until it does. */
export function callee(name: keyof typeof ADDRESS_SETTINGS): Resource<RpcTransport> {
  return createTransport(name, ADDRESS_SETTINGS[name])
}

/** The directory for a service that works without it: undefined while its address is not set. */
export const optionalDirectory: Resource<RpcTransport | undefined> = (env) =>
  readSettings(env, [], [ADDRESS_SETTINGS.directory])[ADDRESS_SETTINGS.directory] === undefined
    ? () => ({ value: undefined, close: () => undefined })
    : callee('directory')(env)

/** A batch may keep the directory from responding to a ping for some seconds, and a job waits for another directory. */
const TRANSFER_SILENCE_MS = 25_000

/** The port of the directory whose connections last as long as their calls. */
export function transferCallee(): Resource<RpcTransport> {
  return createTransport('directory', TRANSFER_SETTING, { silenceMs: TRANSFER_SILENCE_MS })
}

function createTransport(
  name: keyof typeof ADDRESS_SETTINGS,
  setting: (typeof ADDRESS_SETTINGS)[keyof typeof ADDRESS_SETTINGS] | typeof TRANSFER_SETTING,
  more: Pick<GrpcTransportOptions, 'silenceMs'> = {},
): Resource<RpcTransport> {
  return (env) => {
    const address = readSettings(env, [setting])[setting]
    return ({ service, tls, tracing }) => {
      let measure: ClientCallMeasure | undefined
      const transport = grpcTransport({
        address,
        caller: service,
        callee: name,
        ...(tls && { tls }),
        ...more,
        onHedge: (event) => measure?.countHedge({ callee: name, event }),
      })
      const traced = tracing ? tracedTransport(transport, tracing) : transport
      return {
        value: measuredTransport(traced, name, () => measure?.observe),
        measure(metrics) {
          measure = clientCallMeasure(metrics)
        },
        close: () => transport.close(),
      }
    }
  }
}
