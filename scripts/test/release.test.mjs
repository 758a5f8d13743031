import { createHash, generateKeyPairSync, verify } from 'node:crypto'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { audit, refusedAdvisories } from '../release/audit.mjs'
import {
  changelogEntry,
  checksums,
  envelope,
  imageBom,
  provenance,
  signingKey,
  withDigests,
} from '../release/documents.mjs'
import { requireTools } from '../release/release.mjs'
import { temporaryFolder } from './temporary-folder.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DIGEST = `sha256:${'ab'.repeat(32)}`

function keyPair(options = { namedCurve: 'prime256v1' }) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', options)
  return { pem: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), publicKey }
}

describe('the tools of a release', () => {
  it('are named together when they are missing', async () => {
    const none = requireTools({ PATH: temporaryFolder() })
    await expect(none).rejects.toThrow(
      /docker is not installed\nhelm is not installed\nskopeo is not installed/,
    )
  })

  it('include a Docker engine that answers', async () => {
    const programs = { docker: '#!/bin/sh\nexit 1\n', helm: '#!/bin/sh\n', skopeo: '#!/bin/sh\n' }
    const env = { PATH: `${temporaryFolder(programs)}:/bin` }
    await expect(requireTools(env)).rejects.toThrow('no Docker engine answers')
  })
})

describe('advisories', () => {
  const advisory = { github_advisory_id: 'GHSA-1', module_name: 'express', severity: 'high', title: 'Bad' }
  const allowance = { id: 'GHSA-1', reason: 'not reachable', expires: '2026-12-31' }

  it('of high severity are refused unless an allowance covers the day', () => {
    const of = (/** @type {object[]} */ ...allowances) =>
      refusedAdvisories([advisory], allowances, '2026-12-31')
    expect(of()).toEqual([expect.stringMatching(/^GHSA-1 \(high\) in express: Bad; update it/)])
    expect(of(allowance)).toEqual([])
    expect(of({ ...allowance, id: 'GHSA-2' })).toHaveLength(1)
    expect(of({ ...allowance, expires: '2026-12-30' })).toHaveLength(1)
    expect(refusedAdvisories([{ ...advisory, severity: 'moderate' }], [], '2026-12-31')).toEqual([])
  })

  it('are not allowed without a reason and a day', () => {
    for (const faulty of [
      { reason: ' ' },
      { reason: undefined },
      { expires: 'never' },
      { expires: undefined },
    ])
      expect(refusedAdvisories([advisory], [{ ...allowance, ...faulty }], '2026-01-01')).toEqual([
        expect.stringContaining('"GHSA-1" needs `id`, `reason` and `expires`'),
        expect.stringContaining('in express'),
      ])
  })

  /** @param {number} status @param {string} severity */
  async function auditAt(status, severity) {
    const found = { id: 1, url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc', title: 'Bad', severity }
    const answer = { zod: [{ ...found, vulnerable_versions: '<99.0.0', cwe: [], cvss: { score: 8 } }] }
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    const registry = `http://127.0.0.1:${port}`
    return audit({ cwd: ROOT, env: process.env, today: '2026-01-01', registry })
  }

  it('come from the registry, for the installed packages', async () => {
    await expect(auditAt(200, 'critical')).rejects.toThrow('GHSA-aaaa-bbbb-cccc (critical) in zod')
    expect(await auditAt(200, 'low')).toContain('audited: 1 advisories')
    expect(await auditAt(405, 'critical')).toMatch(/^not audited: no registry answered/)
  })
})

describe('the documents of a release', () => {
  it('list the packages of npm and Debian and Node.js in the SBOM of an image', () => {
    const bom = {
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'token', 'bom-ref': 'pkg:npm/%40signet/token@1.0.0' } },
      components: [{ name: 'zod', 'bom-ref': 'pkg:npm/zod@4.0.0' }],
      dependencies: [{ ref: 'pkg:npm/%40signet/token@1.0.0', dependsOn: ['pkg:npm/zod@4.0.0'] }],
    }
    const packages = ['Package: libc6\nArchitecture: amd64\nVersion: 2.36-9+deb12u13\n']
    const content = { node: '24.1.0', packages, distribution: 'debian-12' }
    const { metadata, components, dependencies } = imageBom(bom, {
      app: 'token',
      version: '1.0.0',
      digest: DIGEST,
      content,
    })
    expect(metadata.component).toMatchObject({ type: 'container', hashes: [{ content: 'ab'.repeat(32) }] })
    expect(components.map((/** @type {any} */ component) => component['bom-ref'])).toEqual([
      'pkg:npm/%40signet/token@1.0.0',
      'pkg:npm/zod@4.0.0',
      'pkg:deb/debian/libc6@2.36-9%2Bdeb12u13?arch=amd64&distro=debian-12',
      'pkg:generic/node@24.1.0',
    ])
    expect(dependencies.at(-1)).toMatchObject({ ref: metadata.component['bom-ref'] })
  })

  it('state commit, base image and digests, signed over type and content of the statement', () => {
    const statement = provenance({
      subjects: { token: DIGEST },
      version: '1.0.0',
      commit: 'c'.repeat(40),
      dirty: false,
      repository: 'https://git.example.com/signet',
      baseImage: { name: 'node:24', digest: DIGEST },
      builder: 'urn:host:builder',
      startedOn: '2026-01-01T00:00:00Z',
      finishedOn: '2026-01-01T00:01:00Z',
    })
    expect(statement.subject).toEqual([{ name: 'token', digest: { sha256: 'ab'.repeat(32) } }])
    const { pem, publicKey } = keyPair()
    const { payload, payloadType, signatures } = envelope(statement, signingKey(pem))
    const body = Buffer.from(payload, 'base64')
    expect(JSON.parse(body.toString())).toEqual(statement)
    const signed = Buffer.concat([
      Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `),
      body,
    ])
    expect(verify('sha256', signed, publicKey, Buffer.from(`${signatures[0]?.sig}`, 'base64'))).toBe(true)
    expect(envelope(statement).signatures).toEqual([])
  })

  it('are not signed with a key of another kind', () => {
    expect(() => signingKey(keyPair({ namedCurve: 'secp384r1' }).pem)).toThrow('ECDSA on P-256')
    expect(() => signingKey('no key')).toThrow('no private key in PEM')
  })

  it('have a checksum each, in the order of their paths', () => {
    const sum = (/** @type {string} */ text) => createHash('sha256').update(text).digest('hex')
    expect(checksums({ b: '1', 'a/x': '2' })).toBe(`${sum('2')}  a/x\n${sum('1')}  b\n`)
  })

  it('give the chart the digests and the registry of the images', () => {
    const values = 'image:\n  repository: ""\n  # -- Digests\n  digests: {}\n'
    expect(withDigests(values, { token: DIGEST }, 'registry.example.com/signet')).toBe(
      `image:\n  repository: registry.example.com/signet\n  # -- Digests\n  digests:\n    token: ${DIGEST}\n`,
    )
    expect(withDigests(values, { token: DIGEST }, undefined)).toContain('repository: ""')
    expect(() => withDigests('image: {}\n', { token: DIGEST }, undefined)).toThrow('digests')
  })

  it('have the entry of the changelog for the version alone', () => {
    const changelog = '# Changelog\n\n## 1.1.0\n\n- new\n\n## 1.0.0\n\n- old\n'
    expect(changelogEntry(changelog, '1.1.0')).toBe('- new')
    expect(() => changelogEntry(changelog, '1.2.0')).toThrow('no entry for 1.2.0')
  })
})
