import { generateKeySync, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { rpcClient } from '@signet/grpc/client'
import { KeyService } from '@signet/grpc/gen/keys/v1/key_service_pb'
import { grpcTransport } from '@signet/grpc/grpc-transport'
import { silentLogger } from '@signet/platform/logger/logger'
import { type AccessToken, readAccessToken, sealAccessToken } from '@signet/tokens/access-token'
import { newOpaqueIdentifier } from '@signet/tokens/identifiers'
import { startKeyLease } from '@signet/tokens/keys/key-lease'
import { ACCESS_TOKEN_SEAL, createOpener, createSealer } from '@signet/tokens/sealed-token'
import type { Stage } from './stage.ts'

/** Returns the token to make, by the token that was issued and its number. */
type Change = (token: AccessToken, index: number) => AccessToken

/**
 * Makes tokens like one that Signet issued, each with an id of its own, sealed as the token service does it: to have
 * a hundred thousand issued would take minutes. They carry no proof of origin, which only exchange asks for.
 */
export async function sealTokens(
  { signet }: Stage,
  example: string,
  count: number,
  change: Change = (token) => token,
): Promise<readonly string[]> {
  const fileOf = (name: string) => readFile(join(signet.certificatesFolder, name))
  const [ca, certificate, privateKey] = await Promise.all(['ca.crt', 'token.crt', 'token.key'].map(fileOf))
  if (!ca || !certificate || !privateKey) throw new Error('the certificates of the suite are incomplete')
  const transport = grpcTransport({
    address: `127.0.0.1:${signet.replica('keys').ports.rpc}`,
    caller: 'token',
    callee: 'keys',
    tls: { ca, certificate, privateKey },
  })
  const lease = startKeyLease({
    keys: rpcClient(KeyService, transport),
    rings: ['access-seal'],
    now: () => new Date(),
    logger: silentLogger,
    random: Math.random,
  })
  try {
    while (!lease.ready()) await pause(20)
    const key = lease.activeKey('access-seal')
    const opened = createOpener(ACCESS_TOKEN_SEAL, (kid) => lease.keyOf('access-seal', kid)).open(example)
    if (key === undefined || opened === undefined)
      throw new Error('the token of the example cannot be opened')
    const token = readAccessToken(opened.plaintext)
    const sealer = createSealer(ACCESS_TOKEN_SEAL, key, randomBytes)
    const noOrigin = generateKeySync('hmac', { length: 256 })
    return Array.from({ length: count }, (_, index) =>
      sealAccessToken({ ...change(token, index), id: newOpaqueIdentifier(randomBytes) }, sealer, noOrigin),
    )
  } finally {
    await lease.stop()
    transport.close()
  }
}
