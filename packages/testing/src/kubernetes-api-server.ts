import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '@signet/dev-stack/databases/free-port'
import { type GuardedProcess, spawnGuarded } from '@signet/dev-stack/databases/guarded-process'
import { temporaryFolder } from './temporary-folder.ts'

/** An API server of Kubernetes with an empty etcd; nothing else of a cluster runs. */
export interface KubernetesApiServer {
  /** Configuration file of kubectl and Helm for a member of `system:masters`. */
  readonly kubeconfig: string
  /** The `iss` of its service account tokens, which is its address. */
  readonly issuer: string
  /** File with the certificate authority of its address. */
  readonly certificateAuthority: string
  /** Ends the processes and deletes their data. */
  stop(): Promise<void>
}

const TOKEN = 'administrator'
const POLL_MS = 100
const DEADLINE_MS = 120_000

/** Starts `kube-apiserver` and `etcd` of the PATH, and returns once the API server says that it is ready. */
export async function startKubernetesApiServer(): Promise<KubernetesApiServer> {
  const folder = await temporaryFolder('kubernetes')
  const [etcdPort, peerPort, apiPort] = [await freePort(), await freePort(), await freePort()]
  const etcdUrl = `http://127.0.0.1:${etcdPort}`
  const processes: GuardedProcess[] = []
  const spawn = async (command: string, args: readonly string[]) => {
    const logFile = join(folder, `${command}.log`)
    const spawned = await spawnGuarded({ command, args, stopSignal: 'SIGTERM', logFile })
    processes.push(spawned)
    return { spawned, logFile }
  }
  const stop = async () => {
    // The API server first: it waits for etcd when it stops.
    for (const running of processes.toReversed()) await running.stop()
    await rm(folder, { recursive: true, force: true })
  }
  const issuer = `https://127.0.0.1:${apiPort}`
  const written = await writeConfiguration(folder, issuer)
  const { kubeconfig, keys, tokens, certificates, certificateAuthority } = written
  await spawn('etcd', [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
    '--unsafe-no-fsync',
  ])
  const { spawned, logFile } = await spawn('kube-apiserver', [
    `--etcd-servers=${etcdUrl}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${apiPort}`,
    `--cert-dir=${certificates}`,
    '--endpoint-reconciler-type=none',
    '--service-cluster-ip-range=10.96.0.0/16',
    `--service-account-issuer=${issuer}`,
    `--service-account-jwks-uri=${issuer}/openid/v1/jwks`,
    `--service-account-key-file=${keys}`,
    `--service-account-signing-key-file=${keys}`,
    `--token-auth-file=${tokens}`,
    '--authorization-mode=RBAC',
  ])
  try {
    await untilReady(kubeconfig, spawned)
  } catch (error) {
    const log = await readFile(logFile, 'utf8')
    await stop()
    throw new Error(`${error instanceof Error ? error.message : error}: ${log.slice(-4000)}`)
  }
  return { kubeconfig, issuer, certificateAuthority, stop }
}

async function writeConfiguration(folder: string, server: string) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = join(folder, 'service-account.key')
  await writeFile(keys, privateKey.export({ type: 'sec1', format: 'pem' }))
  const tokens = join(folder, 'tokens.csv')
  await writeFile(tokens, `${TOKEN},administrator,1,"system:masters"\n`)
  const certificates = join(folder, 'certificates')
  const kubeconfig = join(folder, 'kubeconfig')
  // The API server makes it when it starts.
  const certificateAuthority = join(certificates, 'apiserver.crt')
  const cluster = { server, 'certificate-authority': certificateAuthority }
  const configuration = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster }],
    users: [{ name: 'test', user: { token: TOKEN } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
  }
  // Helm warns of a file that others may read.
  await writeFile(kubeconfig, JSON.stringify(configuration), { mode: 0o600 })
  return { kubeconfig, keys, tokens, certificates, certificateAuthority }
}

/** Throws when the server ends instead, because a port was taken for example, or does not become ready in two minutes. */
async function untilReady(kubeconfig: string, { running }: GuardedProcess): Promise<void> {
  let problem: unknown
  for (let waitedMs = 0; waitedMs < DEADLINE_MS; waitedMs += POLL_MS) {
    if (!running()) throw new Error('kube-apiserver ended at its start')
    try {
      await promisify(execFile)('kubectl', ['--kubeconfig', kubeconfig, 'get', '--raw', '/readyz'])
      return
    } catch (error) {
      problem = error
    }
    await pause(POLL_MS)
  }
  throw new Error('kube-apiserver does not become ready', { cause: problem })
}
