// SPIRE, the implementation of SPIFFE: a server with an agent and its OIDC discovery provider, which `npm run test:kubernetes` builds.
import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '@signet/dev-stack/databases/free-port'
import { type GuardedProcess, spawnGuarded } from '@signet/dev-stack/databases/guarded-process'
import { startPostgres } from '@signet/dev-stack/databases/postgres'
import type { OwnCertificate } from './client-certificates.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { createTlsFetch } from './tls-fetch.ts'

const POLL_MS = 200
const DEADLINE_MS = 60_000

const execute = promisify(execFile)

interface ServerOptions {
  readonly trustDomain: string
  /** `iss` of its JWT-SVIDs. */
  readonly issuer: string
}

/** The server of a trust domain. */
export interface SpireServer {
  readonly trustDomain: string
  /** The name of a workload in the trust domain. */
  id(name: string): string
  /** Runs `spire-server` with these arguments, and returns its output. */
  run(...args: readonly string[]): Promise<string>
  /** Signs a JWT-SVID that no workload asked for. */
  mint(id: string, audience: string): Promise<string>
  /** Has the server sign the JWT-SVIDs with a new key, and returns the id of the one before. */
  rotateJwtKey(): Promise<string>
  stop(): Promise<void>
}

interface RunningServer extends SpireServer {
  readonly folder: string
  readonly port: number
  readonly socket: string
}

/** Starts a server with a PostgreSQL of its own. Its data end with it. */
export async function startSpireServer({ trustDomain, issuer }: ServerOptions): Promise<RunningServer> {
  const folder = await temporaryFolder('spire')
  const postgres = await startPostgres({ dataDirectory: join(folder, 'postgres'), durable: false })
  const port = await freePort()
  const socket = join(folder, 'server.sock')
  const program = await startProgram('spire-server', folder, [
    'server {',
    `  bind_address = "127.0.0.1"\n  bind_port = "${port}"\n  socket_path = "${socket}"`,
    `  trust_domain = "${trustDomain}"\n  data_dir = "${folder}"\n  jwt_issuer = "${issuer}"`,
    '}\nplugins {',
    `  DataStore "sql" { plugin_data { database_type = "postgres" connection_string = "${withoutTls(postgres.url.reveal())}" } }`,
    '  NodeAttestor "join_token" { plugin_data {} }\n  KeyManager "memory" { plugin_data {} }\n}',
  ])
  const run = async (...args: readonly string[]) => {
    const { stdout } = await execute('spire-server', [...args, '-socketPath', socket])
    return stdout
  }
  const authority = async (command: string, ...args: readonly string[]) =>
    JSON.parse(await run('localauthority', 'jwt', command, ...args, '-output', 'json'))
  const server = {
    ...{ trustDomain, folder, port, socket, run },
    id: (name: string) => `spiffe://${trustDomain}/${name}`,
    mint: async (id: string, audience: string) =>
      (await run('jwt', 'mint', '-spiffeID', id, '-audience', audience)).trim(),
    async rotateJwtKey() {
      const { active } = await authority('show')
      const { prepared_authority: prepared } = await authority('prepare')
      await authority('activate', '-authorityID', prepared.authority_id)
      return active.authority_id as string
    },
    async stop() {
      await program.stop()
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
  await program.until(() => run('healthcheck'))
  return server
}

/** The agent of a node. Programs of the user that runs the tests are its workloads. */
export interface SpireAgent {
  /** Fetches a JWT-SVID by the Workload API. */
  jwt(id: string, audience: string): Promise<string>
  /** Fetches the X.509-SVID of this id. */
  x509(id: string): Promise<Pick<OwnCertificate, 'cert' | 'key'>>
  stop(): Promise<void>
}

/** Starts an agent that joins with a token and attests workloads by their Unix user. */
export async function startSpireAgent(server: RunningServer): Promise<SpireAgent> {
  const folder = await temporaryFolder('spire-agent')
  const socket = join(folder, 'agent.sock')
  const bundle = join(folder, 'bundle.pem')
  await writeFile(bundle, await server.run('bundle', 'show'))
  const { value: token } = JSON.parse(
    await server.run('token', 'generate', '-spiffeID', server.id('node'), '-output', 'json'),
  )
  const program = await startProgram(
    'spire-agent',
    folder,
    [
      `agent {\n  data_dir = "${folder}"\n  socket_path = "${socket}"\n  trust_domain = "${server.trustDomain}"`,
      `  server_address = "127.0.0.1"\n  server_port = "${server.port}"\n  trust_bundle_path = "${bundle}"`,
      '}\nplugins {\n  NodeAttestor "join_token" { plugin_data {} }\n  KeyManager "memory" { plugin_data {} }',
      '  WorkloadAttestor "unix" { plugin_data {} }\n}',
    ],
    ['-joinToken', token],
  )
  const run = async (...args: readonly string[]) =>
    (await execute('spire-agent', [...args, '-socketPath', socket])).stdout
  await program.until(() => run('healthcheck'))
  return {
    async jwt(id, audience) {
      const fetch = ['api', 'fetch', 'jwt', '-audience', audience, '-spiffeID', id, '-output', 'json']
      const [{ svids }] = JSON.parse(await run(...fetch))
      return svids[0].svid
    },
    async x509(id) {
      const { svids } = JSON.parse(await run('api', 'fetch', 'x509', '-output', 'json'))
      const found = svids.find((svid: { readonly spiffe_id: string }) => svid.spiffe_id === id)
      if (found === undefined) throw new Error(`there is no X.509-SVID of ${id}`)
      return {
        cert: pem('CERTIFICATE', found.x509_svid),
        key: pem('PRIVATE KEY', found.x509_svid_key),
      }
    },
    async stop() {
      await program.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Allows the programs of this user to be a workload; JWT-SVIDs last five minutes unless given. */
export async function registerWorkload(
  server: SpireServer,
  name: string,
  { user = process.getuid?.() ?? 0, jwtSeconds = 300 } = {},
): Promise<void> {
  const entry = ['-parentID', server.id('node'), '-spiffeID', server.id(name)]
  await server.run(
    'entry',
    'create',
    ...entry,
    '-selector',
    `unix:uid:${user}`,
    '-jwtSVIDTTL',
    `${jwtSeconds}`,
  )
}

/** Starts the OIDC discovery provider of a server at the issuer, over TLS with this certificate of an authority. */
export async function startDiscoveryProvider(
  server: RunningServer,
  issuer: string,
  { cert, key }: OwnCertificate,
  authority: string,
): Promise<{ stop(): Promise<void> }> {
  const folder = await temporaryFolder('spire-discovery')
  const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') }
  await writeFile(files.cert, cert)
  await writeFile(files.key, key)
  const { hostname, port } = new URL(issuer)
  const program = await startProgram('oidc-discovery-provider', folder, [
    `log_level = "warn"\ndomains = ["${hostname}"]`,
    `jwt_issuer = "${issuer}"\njwks_uri = "${issuer}/keys"`,
    `serving_cert_file { cert_file_path = "${files.cert}" key_file_path = "${files.key}" addr = "127.0.0.1:${port}" }`,
    `server_api { address = "unix://${server.socket}" poll_interval = "1s" }`,
  ])
  const call = createTlsFetch(authority)
  await program.until(async () => {
    const { status } = await call(`${issuer}/keys`)
    if (status !== 200) throw new Error(`the keys answer ${status}`)
  })
  return {
    async stop() {
      await program.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Starts a program with its configuration in a folder. */
async function startProgram(
  command: string,
  folder: string,
  configuration: readonly string[],
  more: readonly string[] = [],
) {
  const file = join(folder, `${command}.conf`)
  const logFile = join(folder, `${command}.log`)
  await writeFile(file, configuration.join('\n'))
  const args = [...(command === 'oidc-discovery-provider' ? [] : ['run']), '-config', file, ...more]
  const spawned: GuardedProcess = await spawnGuarded({ command, args, stopSignal: 'SIGTERM', logFile })
  return {
    stop: () => spawned.stop(),
    /** Waits until this resolves. Throws with the log of the program when it does not. */
    async until(isReady: () => Promise<unknown>): Promise<void> {
      for (let waitedMs = 0; waitedMs < DEADLINE_MS && spawned.running(); waitedMs += POLL_MS) {
        const ready = await isReady().then(
          () => true,
          () => false,
        )
        if (ready) return
        await pause(POLL_MS)
      }
      const log = await readFile(logFile, 'utf8')
      await spawned.stop()
      throw new Error(`${command} does not become ready: ${log.slice(-4000)}`)
    },
  }
}

function withoutTls(url: string): string {
  const plain = new URL(url)
  plain.searchParams.set('sslmode', 'disable')
  return plain.href
}

const pem = (label: string, base64: string) =>
  `-----BEGIN ${label}-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`
