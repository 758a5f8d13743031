import type { ServiceName } from '@signet/platform/process/service'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Certificates, makeCertificates } from '../src/certificates/make-certificates.ts'
import { rpcClient } from '../src/client.ts'
import { CredentialService } from '../src/gen/signet/directory/v1/credential_service_pb.ts'
import { type RunningGrpcServer, startGrpcServer } from '../src/grpc-server.ts'
import { type GrpcTransport, grpcTransport } from '../src/grpc-transport.ts'
import { rpcService } from '../src/service.ts'
import type { TlsIdentity } from '../src/tls-identity.ts'

const directory = rpcService(CredentialService, {
  findAttemptKey: async () => ({}),
  verifyPassword: async ({ loginName }) => ({ account: { userId: loginName } }),
  verifyTotp: async () => ({}),
  verifyRecoveryCode: async () => ({}),
  verifyPasskey: async () => ({}),
})

/** Certificates that change on request. */
class Renewable implements TlsIdentity {
  readonly #name: ServiceName
  readonly #listeners = new Set<() => void>()
  #certificates: Certificates

  constructor(name: ServiceName, certificates: Certificates) {
    this.#name = name
    this.#certificates = certificates
  }

  get ca() {
    return Buffer.from(this.#certificates.ca)
  }
  get certificate() {
    return Buffer.from(this.#certificates.services[this.#name].certificate)
  }
  get privateKey() {
    return Buffer.from(this.#certificates.services[this.#name].privateKey)
  }
  get listeners() {
    return this.#listeners.size
  }

  onRenewal = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
  renew(certificates: Certificates): void {
    this.#certificates = certificates
    for (const listener of this.#listeners) listener()
  }
}

let first: Certificates
let second: Certificates
let server: RunningGrpcServer
let serverIdentity: Renewable
const opened: GrpcTransport[] = []

beforeEach(async () => {
  const validity = { now: new Date(), days: 1 }
  ;[first, second] = await Promise.all([makeCertificates(validity), makeCertificates(validity)])
  serverIdentity = new Renewable('directory', first)
})
afterEach(async () => {
  for (const transport of opened.splice(0)) transport.close()
  await server.stop(1_000)
})

async function serve(maxConnectionAgeMs?: number): Promise<void> {
  server = await startGrpcServer({
    services: [directory],
    host: '127.0.0.1',
    port: 0,
    tls: serverIdentity,
    onFailure: (_, error) => expect.unreachable(String(error)),
    ...(maxConnectionAgeMs !== undefined && { maxConnectionAgeMs }),
  })
}

function clientWith(tls: TlsIdentity) {
  const transport = grpcTransport({
    address: `127.0.0.1:${server.port}`,
    caller: 'login',
    callee: 'directory',
    tls,
  })
  opened.push(transport)
  const client = rpcClient(CredentialService, transport)
  return () => client.verifyPassword({ loginName: 'alice' }, { timeoutMs: 3_000 })
}

const answer = { account: { userId: 'alice' } }

describe('renewed certificates', () => {
  it('are used for new connections to a running server instead of the old ones', async () => {
    await serve()
    const early = clientWith(new Renewable('login', first))
    expect(await early()).toMatchObject(answer)
    serverIdentity.renew(second)
    expect(await clientWith(new Renewable('login', second))()).toMatchObject(answer)
    await expect(clientWith(new Renewable('login', first))()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    // A connection that is there lasts until its age ends it: nothing is cut.
    expect(await early()).toMatchObject(answer)
  })

  it('are taken up by a client when its connection is renewed, and no call fails', async () => {
    await serve(200)
    const identity = new Renewable('login', first)
    const call = clientWith(identity)
    expect(await call()).toMatchObject(answer)
    identity.renew(second)
    serverIdentity.renew(second)
    // Only the new certificates are accepted from now on, so later answers come over new connections.
    const end = Date.now() + 1_000
    while (Date.now() < end) expect(await call()).toMatchObject(answer)
    await expect(clientWith(new Renewable('login', first))()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('stop watching the certificates after the last user has closed', async () => {
    await serve()
    const identity = new Renewable('login', first)
    expect(await clientWith(identity)()).toMatchObject(answer)
    expect([identity.listeners, serverIdentity.listeners]).toEqual([1, 1])
    for (const transport of opened.splice(0)) transport.close()
    await server.stop(1_000)
    await expect.poll(() => [identity.listeners, serverIdentity.listeners]).toEqual([0, 0])
  })
})
