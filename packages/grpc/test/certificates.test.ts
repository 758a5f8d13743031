import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SERVICE_NAMES } from '@signet/platform/process/service'
import { afterEach, describe, expect, it } from 'vitest'
import { makeCertificates, writeCertificates } from '../src/certificates/make-certificates.ts'

const now = new Date('2030-01-01T00:00:00Z')
const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

describe('certificates of the services', () => {
  it('RFC 5280: each is signed by the authority and names its service', async () => {
    const { ca, services } = await makeCertificates({
      now,
      days: 30,
      trustPrefix: 'spiffe://example.org/ns/a',
    })
    const authority = new X509Certificate(ca)
    expect(authority.ca).toBe(true)
    expect(authority.verify(authority.publicKey)).toBe(true)
    expect(Object.keys(services)).toEqual([...SERVICE_NAMES])
    for (const name of SERVICE_NAMES) {
      const certificate = new X509Certificate(services[name].certificate)
      expect(certificate.subject).toBe(`CN=${name}`)
      expect(certificate.subjectAltName).toBe(
        `DNS:${name}, DNS:localhost, URI:spiffe://example.org/ns/a/service/${name}`,
      )
      expect(certificate.ca).toBe(false)
      expect(certificate.verify(authority.publicKey)).toBe(true)
      expect(certificate.checkIssued(authority)).toBe(true)
      expect(certificate.checkPrivateKey(createPrivateKey(services[name].privateKey))).toBe(true)
      expect(certificate.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
      // id-kp-serverAuth and id-kp-clientAuth
      expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])
      expect(certificate.validToDate).toEqual(new Date('2030-01-31T00:00:00Z'))
      expect(certificate.validFromDate < now).toBe(true)
    }
    const serialNumbers = SERVICE_NAMES.map(
      (name) => new X509Certificate(services[name].certificate).serialNumber,
    )
    expect(new Set(serialNumbers).size).toBe(SERVICE_NAMES.length)
  })

  it('are written for their owner only and never over others', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'signet-certificates-'))
    folders.push(folder)
    const written = await writeCertificates(join(folder, 'new'), await makeCertificates({ now, days: 1 }))
    expect(written).toHaveLength(1 + 2 * SERVICE_NAMES.length)
    for (const name of written) expect((await stat(join(folder, 'new', name))).mode & 0o777, name).toBe(0o600)
    const before = await readFile(join(folder, 'new', 'token.key'), 'utf8')
    await expect(
      writeCertificates(join(folder, 'new'), await makeCertificates({ now, days: 1 })),
    ).rejects.toThrow(/ca\.crt exists and is not replaced/)
    expect(await readFile(join(folder, 'new', 'token.key'), 'utf8')).toBe(before)
  })

  it('says when the folder cannot be written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'signet-certificates-'))
    folders.push(folder)
    await writeFile(join(folder, 'file'), '')
    await expect(
      writeCertificates(join(folder, 'file'), await makeCertificates({ now, days: 1 })),
    ).rejects.toThrow(/cannot write to .*file \(EEXIST\)|exists/)
  })
})
