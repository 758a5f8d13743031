import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Certificates, makeCertificates } from '@signet/grpc/certificates/make-certificates'
import { type Logger, silentLogger } from '@signet/platform/logger/logger'
import { createMetrics } from '@signet/platform/metrics/metrics'
import type { Repetition } from '@signet/platform/runtime/clock'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readProcessSettings } from '../src/process-settings.ts'
import { measureProcess } from '../src/service-process.ts'
import type { WatchedTlsIdentity } from '../src/tls-files.ts'

let folder: string
let before: Certificates
let after: Certificates
let watching: Repetition | undefined
const logged: string[] = []

const logger: Logger = {
  ...silentLogger,
  info: (event) => void logged.push(event),
  warn: (event, fields) => void logged.push(`${event}: ${(fields?.error as Error | undefined)?.message}`),
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signet-tls-'))
  const validity = { now: new Date(), days: 1 }
  const longer = { ...validity, days: validity.days + 1 }
  ;[before, after] = await Promise.all([makeCertificates(validity), makeCertificates(longer)])
  logged.length = 0
  place(before)
})
afterEach(async () => {
  await watching?.stop()
  rmSync(folder, { recursive: true })
})

function place({ ca, services }: Certificates, names: readonly string[] = ['ca.crt', 'tls.crt', 'tls.key']) {
  const contents: Record<string, string> = {
    'ca.crt': ca,
    'tls.crt': services.token.certificate,
    'tls.key': services.token.privateKey,
  }
  for (const name of names) writeFileSync(join(folder, name), contents[name] ?? '')
}

function settings(trustPrefix?: string): WatchedTlsIdentity {
  const env = {
    ...(trustPrefix !== undefined && { SIGNET_RPC_TRUST_PREFIX: trustPrefix }),
    SIGNET_RPC_CA: join(folder, 'ca.crt'),
    SIGNET_RPC_CERT: join(folder, 'tls.crt'),
    SIGNET_RPC_KEY: join(folder, 'tls.key'),
  }
  const { tls } = readProcessSettings(env, 'token')
  if (tls === undefined) throw new Error('three files are named')
  return tls
}

describe('certificates in files', () => {
  it('reads changed files again and calls the listeners', async () => {
    const tls = settings()
    const metrics = createMetrics()
    measureProcess(metrics, 'token', { tls, staticSecrets: [] })
    let told = 0
    const stop = tls.onRenewal?.(() => {
      told += 1
    })
    watching = tls.watch(logger, 10)
    place(after)
    await expect.poll(() => tls.certificate.toString()).toBe(after.services.token.certificate)
    expect([tls.ca.toString(), tls.privateKey.toString()]).toEqual([
      after.ca,
      after.services.token.privateKey,
    ])
    expect(told).toBeGreaterThan(0)
    const { validToDate } = new X509Certificate(after.services.token.certificate)
    expect(await metrics.text()).toContain(
      `signet_rpc_certificate_expiry_timestamp_seconds{certificate="service"} ${validToDate.getTime() / 1_000}`,
    )
    stop?.()
    const sofar = told
    place(before)
    await expect.poll(() => tls.certificate.toString()).toBe(before.services.token.certificate)
    expect(told).toBe(sofar)
  })

  it('of authorities side by side the one that ends first is the one to look at', async () => {
    writeFileSync(join(folder, 'ca.crt'), `${after.ca}\n${before.ca}`)
    const metrics = createMetrics()
    measureProcess(metrics, 'token', { tls: settings(), staticSecrets: [] })
    const { validToDate } = new X509Certificate(before.ca)
    expect(await metrics.text()).toContain(
      `signet_rpc_certificate_expiry_timestamp_seconds{certificate="authority"} ${validToDate.getTime() / 1_000}`,
    )
  })

  it('ignores half an update and reports it once', async () => {
    const tls = settings()
    watching = tls.watch(logger, 5)
    place(after, ['tls.crt'])
    await expect
      .poll(() => logged)
      .toContain('certificates_unusable: SIGNET_RPC_CERT: does not belong to SIGNET_RPC_KEY')
    expect(tls.certificate.toString()).toBe(before.services.token.certificate)
    place(after, ['ca.crt', 'tls.key'])
    await expect.poll(() => tls.certificate.toString()).toBe(after.services.token.certificate)
    expect(tls.privateKey.toString()).toBe(after.services.token.privateKey)
    expect(logged.filter((line) => line.includes('does not belong'))).toHaveLength(1)
    expect(logged).toContain('certificates_renewed')
  })

  it('are kept while their files are missing', async () => {
    const tls = settings()
    watching = tls.watch(logger, 5)
    rmSync(join(folder, 'tls.key'))
    await expect.poll(() => logged.join()).toContain('ENOENT')
    expect(tls.privateKey.toString()).toBe(before.services.token.privateKey)
  })

  it('that cannot be used at the start stop it, by the name of the setting', () => {
    place(after, ['tls.key'])
    expect(() => settings()).toThrow('SIGNET_RPC_CERT: does not belong to SIGNET_RPC_KEY')
    writeFileSync(join(folder, 'ca.crt'), 'no certificate')
    expect(() => settings()).toThrow('SIGNET_RPC_CA: its file is not in PEM format')
    writeFileSync(join(folder, 'ca.crt'), before.services.token.certificate)
    expect(() => settings()).toThrow('SIGNET_RPC_CA: holds no certificate of an authority')
  })

  it('have to name the service by a URI when a trust prefix is set', () => {
    expect(settings('spiffe://signet.internal').trustPrefix).toBe('spiffe://signet.internal')
    expect(() => settings('spiffe://example.org')).toThrow(
      'SIGNET_RPC_CERT: has no URI spiffe://example.org/service/token, or others beside it; replace it or leave out SIGNET_RPC_TRUST_PREFIX',
    )
    expect(() =>
      readProcessSettings({ SIGNET_RPC_TRUST_PREFIX: 'spiffe://signet.internal' }, 'token'),
    ).toThrow('SIGNET_RPC_TRUST_PREFIX: needs SIGNET_RPC_CA, SIGNET_RPC_CERT, SIGNET_RPC_KEY')
  })
})
