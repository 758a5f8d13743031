// RFC 8705 section 2: certificates as credentials.

import type { Client } from '@signet/directory-reader/views'
import type { ClientCertificate } from '@signet/http/client-certificate'
import { readPublicJwk } from '@signet/protocol/public-key'
import {
  type CertificateAuthority,
  createCertificateAuthority,
  createSelfSigned,
  type Issued,
  type OwnCertificate,
  rsaPss,
} from '@signet/testing/client-certificates'
import { beforeAll, describe, expect, it } from 'vitest'
import { createVerifyCertificate } from '../src/mutual-tls/verify-certificate.ts'
import { testClient } from './fixtures/clients.ts'

const NOW = new Date()
const DAY_MS = 86_400_000
const SUBJECT = 'C=DE, O=Example\\, Inc., CN=client+OU=payments'

let authority: CertificateAuthority
let foreign: CertificateAuthority
beforeAll(async () => {
  authority = await createCertificateAuthority('CN=Test authority')
  // The same name: the signature tells them apart.
  foreign = await createCertificateAuthority('CN=Test authority')
})

const presented = (
  { certificate, thumbprint }: OwnCertificate,
  ...others: readonly OwnCertificate[]
): ClientCertificate => ({ certificate, thumbprint, others: others.map((other) => other.certificate) })

const BY_DNS = { tlsClientAuthSanDns: 'client.example.com' }
const DNS_NAME = { names: [{ type: 'dns', value: 'client.example.com' }] } as const satisfies Issued

/** The reason of the refusal; undefined for a certificate that is the client's. */
function reasonOf(
  certificate: ClientCertificate,
  client: Partial<Client>,
  { now = NOW, anchors = [authority.certificate] } = {},
): string | undefined {
  const verify = createVerifyCertificate({ current: anchors })
  const { authMethod = 'tls_client_auth' } = client
  const method = authMethod === 'tls_client_auth' ? authMethod : 'self_signed_tls_client_auth'
  try {
    verify(certificate, testClient({ authMethod, ...client }), method, now)
    return undefined
  } catch (error) {
    return (error as { reason?: string }).reason
  }
}

describe('tls_client_auth', () => {
  it.each([
    [{ tlsClientAuthSubjectDn: 'CN=client+OU=payments,O=Example\\, Inc.,C=DE' }, undefined],
    [{ tlsClientAuthSubjectDn: 'OU=payments+CN=client, O=Example\\2C Inc., C=DE' }, undefined],
    [{ tlsClientAuthSubjectDn: 'C=DE,O=Example\\, Inc.,CN=client+OU=payments' }, 'client_certificate_name'],
    [{ tlsClientAuthSubjectDn: 'CN=client+OU=payments,O=Example\\, Inc.' }, 'client_certificate_name'],
    [{ tlsClientAuthSubjectDn: 'CN=Client+OU=payments,O=Example\\, Inc.,C=DE' }, 'client_certificate_name'],
    [{ tlsClientAuthSanDns: 'CLIENT.example.com' }, undefined],
    [{ tlsClientAuthSanDns: 'example.com' }, 'client_certificate_name'],
    [{ tlsClientAuthSanDns: 'x.client.example.com' }, 'client_certificate_name'],
    [{ tlsClientAuthSanUri: 'spiffe://example.com/client' }, undefined],
    [{ tlsClientAuthSanUri: 'spiffe://example.com/Client' }, 'client_certificate_name'],
    [{ tlsClientAuthSanIp: '2001:DB8:0:0::1' }, undefined],
    [{ tlsClientAuthSanIp: '2001:db8::2' }, 'client_certificate_name'],
    [{ tlsClientAuthSanEmail: 'Client@EXAMPLE.com' }, undefined],
    [{ tlsClientAuthSanEmail: 'client@example.com' }, 'client_certificate_name'],
    // A name of one kind is none of another.
    [{ tlsClientAuthSanUri: 'client.example.com:' }, 'client_certificate_name'],
    [{ tlsClientAuthSubjectDn: 'CN=client.example.com' }, 'client_certificate_name'],
    [{}, 'client_certificate_name_unregistered'],
    [
      { tlsClientAuthSanDns: 'client.example.com', tlsClientAuthSanUri: 'spiffe://example.com/client' },
      'client_certificate_name_unregistered',
    ],
  ])('compares %j with the names of the certificate: %s', async (registered, expected) => {
    const certificate = await authority.issue({
      subject: SUBJECT,
      names: [
        ...[
          { type: 'dns', value: 'other.example.com' },
          { type: 'dns', value: 'client.example.com' },
        ],
        ...[
          { type: 'url', value: 'spiffe://example.com/client' },
          { type: 'ip', value: '2001:db8::1' },
        ],
        { type: 'email', value: 'Client@example.com' },
      ] as const,
    })
    expect(reasonOf(presented(certificate), registered)).toBe(expected)
  })

  it('reads no name out of the text of another one', async () => {
    const value = 'other.example.com, DNS:client.example.com, URI:spiffe://example.com/client'
    const certificate = await authority.issue({
      subject: 'CN=x\\, CN=client',
      names: [
        { type: 'dns', value },
        { type: 'url', value: `https://a/, DNS:client.example.com` },
      ],
    })
    for (const client of [BY_DNS, { tlsClientAuthSubjectDn: 'CN=client' }])
      expect(reasonOf(presented(certificate), client)).toBe('client_certificate_name')
  })

  it('takes a chain over authorities that came with the certificate, in any order', async () => {
    const upper = await authority.below({ subject: 'CN=Upper' })
    const lower = await upper.below({ subject: 'CN=Lower' })
    const certificate = await lower.issue(DNS_NAME)
    expect(reasonOf(presented(certificate, upper, lower, authority), BY_DNS)).toBeUndefined()
    expect(reasonOf(presented(certificate, lower), BY_DNS)).toBe('client_certificate_chain')
    expect(reasonOf(presented(certificate, upper), BY_DNS)).toBe('client_certificate_chain')
  })

  it('refuses a certificate of another authority, also of the same name, and one of no authority', async () => {
    const leaf = await authority.issue(DNS_NAME)
    const certificates = [
      presented(await foreign.issue(DNS_NAME), foreign),
      presented(await createSelfSigned(DNS_NAME)),
      presented(await createSelfSigned({ subject: 'CN=Test authority', ...DNS_NAME })),
    ]
    for (const certificate of certificates)
      expect(reasonOf(certificate, BY_DNS)).toBe('client_certificate_chain')
    expect(reasonOf(presented(leaf), BY_DNS, { anchors: [] })).toBe('client_certificate_chain')
    expect(reasonOf(presented(leaf), BY_DNS, { anchors: [foreign.certificate, authority.certificate] })).toBe(
      undefined,
    )
  })

  it('refuses a chain over a client, whose certificate is none of an authority', async () => {
    const client = await authority.below({ subject: 'CN=client', authority: undefined })
    expect(reasonOf(presented(client), { tlsClientAuthSubjectDn: 'CN=client' })).toBeUndefined()
    const forged = await client.issue(DNS_NAME)
    expect(reasonOf(presented(forged, client), BY_DNS)).toBe('client_certificate_chain')
  })

  it('refuses a chain that is longer than an authority allows', async () => {
    const limited = await authority.below({ subject: 'CN=Limited', authority: { pathLength: 0 } })
    const beyond = await limited.below({ subject: 'CN=Beyond' })
    expect(reasonOf(presented(await limited.issue(DNS_NAME), limited), BY_DNS)).toBeUndefined()
    const certificate = presented(await beyond.issue(DNS_NAME), beyond, limited)
    expect(reasonOf(certificate, BY_DNS)).toBe('client_certificate_chain')
  })

  it.each<[string, Issued, string | undefined]>([
    ['clientAuth', { extendedUsages: ['1.3.6.1.5.5.7.3.2'] }, undefined],
    ['any usage', { extendedUsages: ['2.5.29.37.0'] }, undefined],
    ['serverAuth alone', { extendedUsages: ['1.3.6.1.5.5.7.3.1'] }, 'client_certificate_chain'],
    ['signatures', { keyUsages: 1 }, undefined],
    ['encryption alone', { keyUsages: 4 }, 'client_certificate_chain'],
    ['an unknown critical extension', { unknownExtension: 'critical' }, 'client_certificate_chain'],
    ['name constraints', { nameConstraints: true }, 'client_certificate_chain'],
    ['an extension that cannot be read', { isBroken: true }, 'client_certificate_unreadable'],
    ['an unknown extension', { unknownExtension: 'optional' }, undefined],
  ])('a certificate with %s', async (_, issued, expected) => {
    const certificate = await authority.issue({ ...DNS_NAME, ...issued })
    expect(reasonOf(presented(certificate), BY_DNS)).toBe(expected)
    // An authority hands its limits down.
    if (issued.keyUsages !== undefined || issued.isBroken) return
    const below = await authority.below(issued)
    expect(reasonOf(presented(await below.issue(DNS_NAME), below), BY_DNS)).toBe(expected)
  })

  it.each([
    ['SHA-1', 'client_certificate_chain'],
    ['SHA-256', undefined],
    ['SHA-384', undefined],
    ['SHA-512', undefined],
  ] as const)('a certificate that its authority signed by RSASSA-PSS with %s', async (hash, expected) => {
    const signing = await createCertificateAuthority('CN=PSS', rsaPss(hash))
    const certificate = presented(await signing.issue(DNS_NAME))
    expect(reasonOf(certificate, BY_DNS, { anchors: [signing.certificate] })).toBe(expected)
    const below = await signing.below()
    const under = presented(await below.issue(DNS_NAME), below)
    expect(reasonOf(under, BY_DNS, { anchors: [signing.certificate] })).toBe(expected)
  })

  it('goes by the times of the certificate and of its authorities at the given moment', async () => {
    const soon = {
      notBefore: new Date(NOW.getTime() - DAY_MS),
      notAfter: new Date(NOW.getTime() + 3_600_000),
    }
    const direct = presented(await authority.issue({ ...DNS_NAME, ...soon }))
    const below = await authority.below(soon)
    const under = presented(await below.issue(DNS_NAME), below)
    const verify = createVerifyCertificate({ current: [authority.certificate] })
    const client = testClient({ authMethod: 'tls_client_auth', ...BY_DNS })
    for (const certificate of [direct, under]) {
      // One verifier: a path that it knows does not outlive its certificates.
      const at = (ms: number) => () =>
        verify(certificate, client, 'tls_client_auth', new Date(NOW.getTime() + ms))
      expect(at(0)).not.toThrow()
      expect(at(3_601_000)).toThrow('has expired')
      expect(at(-DAY_MS - 1_000)).toThrow('not valid yet')
    }
  })

  it('forgets a path when the file of authorities changes', async () => {
    const authorities = { current: [authority.certificate] as readonly OwnCertificate['certificate'][] }
    const verify = createVerifyCertificate(authorities)
    const certificate = presented(await authority.issue(DNS_NAME))
    const client = testClient({ authMethod: 'tls_client_auth', ...BY_DNS })
    const call = () => verify(certificate, client, 'tls_client_auth', NOW)
    expect(call).not.toThrow()
    authorities.current = [foreign.certificate]
    expect(call).toThrow('no configured authority signed it')
  })

  it('tries each of many certificates of one name once', async () => {
    const certificate = await (await authority.below()).issue(DNS_NAME)
    const decoys = await Promise.all(Array.from({ length: 8 }, () => foreign.below()))
    const began = process.cpuUsage()
    expect(reasonOf(presented(certificate, ...decoys), BY_DNS)).toBe('client_certificate_chain')
    expect(process.cpuUsage(began).user).toBeLessThan(500_000)
  })
})

describe('self_signed_tls_client_auth', () => {
  const registered = ({ certificate }: OwnCertificate, expiresAt: Date | null = null) => ({
    authMethod: 'self_signed_tls_client_auth' as const,
    keys: [{ kid: 'k', jwk: { ...certificate.publicKey.export({ format: 'jwk' }), use: 'sig' }, expiresAt }],
  })

  it('takes any certificate of a registered key, and of no other one', async () => {
    const own = await createSelfSigned()
    const other = await createSelfSigned()
    expect(reasonOf(presented(own), registered(own))).toBeUndefined()
    expect(reasonOf(presented(other), registered(own))).toBe('client_certificate_key')
    expect(reasonOf(presented(own), { ...registered(own), keys: [] })).toBe('client_certificate_key')
  })

  it('does not take a certificate of a trusted authority for the key', async () => {
    const issued = await authority.issue()
    expect(reasonOf(presented(issued), registered(await createSelfSigned()))).toBe('client_certificate_key')
    expect(reasonOf(presented(issued), registered(issued))).toBeUndefined()
  })

  it('goes by the times of the certificate and of the key', async () => {
    const own = await createSelfSigned({ notAfter: new Date(NOW.getTime() + 1_000) })
    expect(reasonOf(presented(own), registered(own))).toBeUndefined()
    const later = { now: new Date(NOW.getTime() + 2_000) }
    expect(reasonOf(presented(own), registered(own), later)).toBe('client_certificate_times')
    expect(reasonOf(presented(own), registered(own, NOW))).toBe('client_certificate_key')
  })

  it('registers the key of an x5c, and no other key beside one', async () => {
    const own = await createSelfSigned()
    const jwk = own.certificate.publicKey.export({ format: 'jwk' })
    const x5c = (certificate: OwnCertificate) => [certificate.certificate.raw.toString('base64')]
    expect(readPublicJwk({ ...jwk, x5c: x5c(own) })).toEqual({ jwk })
    for (const wrong of [x5c(await createSelfSigned()), [], ['…'], 'AAAA'])
      expect(readPublicJwk({ ...jwk, x5c: wrong })).toHaveProperty('problem')
  })
})
