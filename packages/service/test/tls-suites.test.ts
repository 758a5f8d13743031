import 'reflect-metadata'
import { once } from 'node:events'
import { connect, type SecureVersion } from 'node:tls'
import { PemConverter, X509CertificateGenerator } from '@peculiar/x509'
import { type HttpListener, listenHttp } from '@signet/platform/process/http-listener'
import { afterAll, beforeAll, expect, it } from 'vitest'

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
}
const DAY_MS = 24 * 3_600_000

let listener: HttpListener

beforeAll(async () => {
  // RSA, because only with such a key static RSA key exchange is possible at all.
  const keys = await crypto.subtle.generateKey(RSA, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=localhost',
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
    signingAlgorithm: RSA,
    keys,
  })
  const privateKey = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  const tls = { cert: certificate.toString('pem'), key: PemConverter.encode(privateKey, 'PRIVATE KEY') }
  listener = await listenHttp({ listener: (_req, res) => res.end(), port: 0, host: '127.0.0.1', tls })
})
afterAll(() => listener.close(0))

interface Offer {
  readonly ciphers: string
  readonly minVersion: SecureVersion
  readonly maxVersion: SecureVersion
}

/** The suite that the listener chooses, or the code of the error. */
async function negotiated(offer: Offer): Promise<string> {
  // The certificate signs itself; this is about the suites.
  const socket = connect({ port: listener.port, host: '127.0.0.1', rejectUnauthorized: false, ...offer })
  try {
    await once(socket, 'secureConnect')
    return socket.getCipher().name
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'no code'
  } finally {
    socket.destroy()
  }
}

// SECLEVEL=0 lets this client offer what it would not offer by itself.
const only = (version: SecureVersion, ciphers: string): Offer => ({
  ciphers: `${ciphers}:@SECLEVEL=0`,
  minVersion: version,
  maxVersion: version,
})

it.each(['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-RSA-CHACHA20-POLY1305'])(
  'RFC 9325 section 4.2: takes %s with TLS 1.2',
  async (suite) => {
    expect(await negotiated(only('TLSv1.2', suite))).toBe(suite)
  },
)

it.each([
  'AES128-SHA',
  'AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-SHA',
  'ECDHE-RSA-AES128-SHA256',
  'DHE-RSA-AES128-GCM-SHA256',
])('RFC 9325 section 4.1: refuses %s', async (suite) => {
  expect(await negotiated(only('TLSv1.2', suite))).toMatch(/HANDSHAKE_FAILURE/)
})

it.each(['TLSv1', 'TLSv1.1'] as const)('RFC 9325 section 3.1.1: refuses %s', async (version) => {
  expect(await negotiated(only(version, 'ECDHE-RSA-AES128-SHA:AES128-SHA'))).toMatch(/PROTOCOL_VERSION/)
})

it('takes TLS 1.3', async () => {
  const ciphers = 'TLS_AES_128_GCM_SHA256'
  expect(await negotiated({ ciphers, minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' })).toBe(ciphers)
})
