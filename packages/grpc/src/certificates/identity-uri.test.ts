import 'reflect-metadata'
import { X509Certificate as NodeCertificate, webcrypto } from 'node:crypto'
import {
  type JsonGeneralName,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { describe, expect, it } from 'vitest'
import { identityUri, serviceOfUri } from './identity-uri.ts'

const PREFIX = 'spiffe://example.org/ns/identity/release/signet'
const LOGIN = identityUri(PREFIX, 'login')

/** The text that Node makes of the names of a certificate. */
async function textOf(names: readonly JsonGeneralName[]): Promise<string | undefined> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=login',
    keys: await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']),
    signingAlgorithm: algorithm,
    extensions: names.length === 0 ? [] : [new SubjectAlternativeNameExtension([...names])],
  })
  return new NodeCertificate(certificate.toString('pem')).subjectAltName
}

it('Node escapes the comma within a name', async () => {
  expect(await textOf([{ type: 'dns', value: 'a, URI:b' }])).toBe('DNS:"a\\u002c URI:b"')
})

describe('serviceOfUri', () => {
  it('returns the service that the only URI names', async () => {
    const text = await textOf([
      { type: 'dns', value: 'login' },
      { type: 'url', value: LOGIN },
      { type: 'dns', value: 'localhost' },
    ])
    expect(serviceOfUri(text, PREFIX)).toBe('login')
  })

  it.each<[string, JsonGeneralName[]]>([
    ['no name', []],
    ['DNS names alone', [{ type: 'dns', value: 'login' }]],
    [
      'another trust domain',
      [{ type: 'url', value: 'spiffe://example.com/ns/identity/release/signet/service/login' }],
    ],
    [
      'another release',
      [{ type: 'url', value: 'spiffe://example.org/ns/identity/release/other/service/login' }],
    ],
    ['a path that begins like the prefix', [{ type: 'url', value: `${PREFIX}-2/service/login` }]],
    ['a longer path', [{ type: 'url', value: `${PREFIX}/service/x/service/login` }]],
    ['a service that the suite does not have', [{ type: 'url', value: `${PREFIX}/service/admin` }]],
    [
      'two URIs',
      [
        { type: 'url', value: LOGIN },
        { type: 'url', value: 'spiffe://example.org/x' },
      ],
    ],
    ['a DNS name that contains the text of a URI', [{ type: 'dns', value: `a, URI:${LOGIN}, DNS:b` }]],
    ['a DNS name with quotes around it', [{ type: 'dns', value: `a", URI:${LOGIN}, DNS:"b` }]],
    ['an e-mail address that contains it', [{ type: 'email', value: `a\\", URI:${LOGIN}, DNS:\\"b` }]],
  ])('returns nothing for %s', async (_, names) => {
    expect(serviceOfUri(await textOf(names), PREFIX)).toBeUndefined()
  })
})
