import { describe, expect, it } from 'vitest'
import { certificateSource, mutualTlsListener } from './mutual-tls-settings.ts'
import { readSettings } from './settings.ts'

const ORIGIN = 'SIGNET_MTLS_ORIGIN'
const PER_SERVICE = { [ORIGIN]: 'https://{service}.mtls.id.example.com' }

describe('the origin of certificates', () => {
  it.each([
    'https://mtls.id.example.com',
    'https://mtls.id.example.com:8443',
    'https://{service}.mtls.id.example.com',
  ])('may be %s', (value) => {
    expect(readSettings({ [ORIGIN]: value }, [], [ORIGIN])[ORIGIN]).toBe(value)
  })

  it.each([
    'http://localhost',
    'https://mtls.id.example.com/',
    'https://mtls.id.example.com/{service}',
    'https://{service}.{service}.example.com',
    'https://{SERVICE}.id.example.com',
    'https://{service}@id.example.com',
  ])('is refused as %s', (value) => {
    expect(() => readSettings({ [ORIGIN]: value }, [], [ORIGIN])).toThrow(ORIGIN)
  })

  it('names the host of the service in a process of its own', () => {
    expect(certificateSource(PER_SERVICE, 'token')).toEqual({
      origin: 'https://token.mtls.id.example.com',
      header: 'client-cert',
    })
  })

  it('names one host in the process of all services', () => {
    expect(() => certificateSource(PER_SERVICE, undefined)).toThrow('name one host')
    const one = { [ORIGIN]: 'https://mtls.id.example.com' }
    expect(certificateSource(one, undefined)?.origin).toBe(one[ORIGIN])
  })
})

it.each([
  { SIGNET_MTLS_PORT: 8443 },
  { SIGNET_MTLS_CERT: '/cert.pem', SIGNET_MTLS_KEY: '/key.pem' },
  { SIGNET_MTLS_PORT: 8443, SIGNET_MTLS_CERT: '/cert.pem', SIGNET_MTLS_KEY: '/key.pem' },
])('the port needs its origin and its files: %j is refused', (settings) => {
  expect(() => mutualTlsListener(settings)).toThrow('needs all of SIGNET_MTLS_ORIGIN')
})

it('a port without files that can be read is refused by their paths', () => {
  const settings = { SIGNET_MTLS_PORT: 8443, SIGNET_MTLS_CERT: '/none.pem', SIGNET_MTLS_KEY: '/none.key' }
  expect(() => mutualTlsListener({ ...PER_SERVICE, ...settings })).toThrow('/none.pem or /none.key (ENOENT)')
})
