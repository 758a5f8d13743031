import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { MANIFEST_TYP, manifestClaims } from '@signet/tokens/archive-manifest'
import { signJws } from '@signet/tokens/keys/sign-jws'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseJson } from '../json-stream/json-scanner.ts'
import { UnexpectedJsonError } from '../json-stream/json-values.ts'
import {
  type ArchiveManifest,
  changedParts,
  type KeySet,
  readKeySet,
  readMeta,
  type SignatureCheck,
  verifyManifest,
} from './manifest.ts'
import { SectionReader } from './section-reader.ts'

const ORGANIZATIONS =
  '{"orgs":[{"orgId":"one","org":{"name":"Öne"},"humanUsers":[{"userId":"a"},{"userId":"b"}],"projects":[{"projectId":"p"}]},\n' +
  '{"orgId":"two","humanUsers":[{"userId":"c"}],"userGrants":[]}]'

let privateKey: KeyObject
let keySet: KeySet
let archive: Buffer
beforeAll(async () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  privateKey = pair.privateKey
  const jwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'key', alg: 'ES256' }
  keySet = readKeySet(JSON.stringify({ keys: [jwk] })) as KeySet
  archive = await archiveOf(ORGANIZATIONS)
})

const sectionsOf = (text: string) => {
  const reader = new SectionReader()
  reader.write(Buffer.from(text))
  return { sections: reader.sections(), sha256: reader.sha256() }
}

async function archiveOf(organizations: string, typ = MANIFEST_TYP): Promise<Buffer> {
  const described = { createdAt: '2026-11-24T00:00:00.000Z', ...sectionsOf(organizations) }
  const claims = manifestClaims('https://source.example', described)
  const manifest = await signJws({ kid: 'key', alg: 'ES256', privateKey }, typ, claims)
  const counts = Object.fromEntries(
    Object.entries(described.sections).map(([name, { count }]) => [name, count]),
  )
  const { createdAt, sha256 } = described
  const meta = {
    format: 'signet-export',
    version: 1,
    createdAt,
    issuer: 'https://source.example',
    counts,
    sha256,
  }
  return Buffer.from(`${organizations},"meta":${JSON.stringify({ ...meta, manifest })}}`)
}

const checks = new Map<string, SignatureCheck<ArchiveManifest>>()

/** The parts that verification names; none for an archive that is whole. */
async function found(bytes: Buffer, chunkBytes = bytes.length): Promise<readonly string[]> {
  const reader = new SectionReader({
    organization: (members) => {
      for (const [name, value] of members) parseJson(value, name)
    },
    record: (_, value, place) => parseJson(value, place),
  })
  let metaBytes: Buffer | undefined
  try {
    for (let at = 0; at < bytes.length; at += chunkBytes) reader.write(bytes.subarray(at, at + chunkBytes))
    metaBytes = reader.end()
  } catch (error) {
    if (error instanceof UnexpectedJsonError) return [reader.place]
    throw error
  }
  const meta = metaBytes && readMeta(metaBytes)
  if (meta?.manifest === undefined) return ['meta']
  const known = checks.get(meta.manifest)
  const check = known ?? (await verifyManifest(meta.manifest, keySet))
  checks.set(meta.manifest, check)
  if (check.outcome !== 'verified') return ['meta']
  return changedParts(check.claims, { sections: reader.sections(), sha256: reader.sha256(), meta })
}

describe('the sections of an archive', () => {
  it('are hashed as they are written, in chunks of any size', () => {
    const { sections, sha256 } = sectionsOf(ORGANIZATIONS)
    const hash = (text: string) => createHash('sha256').update(text).digest('hex')
    expect(sha256).toBe(hash(ORGANIZATIONS))
    expect(sections).toEqual({
      orgs: { count: 2, sha256: hash('{"orgId":"one","org":{"name":"Öne"}}{"orgId":"two"}') },
      humanUsers: { count: 3, sha256: hash('[{"userId":"a"},{"userId":"b"}][{"userId":"c"}]') },
      projects: { count: 1, sha256: hash('[{"projectId":"p"}]') },
      userGrants: { count: 0, sha256: hash('[]') },
    })
    for (const size of [1, 2, 7, 64]) {
      const reader = new SectionReader()
      const bytes = Buffer.from(ORGANIZATIONS)
      for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size))
      expect({ sections: reader.sections(), sha256: reader.sha256() }).toEqual({ sections, sha256 })
    }
  })
})

describe('an archive', () => {
  it('is whole as it was written', async () => {
    expect(await found(archive)).toEqual([])
    expect(await found(archive, 5)).toEqual([])
  })

  it('names the section of every flipped bit', async () => {
    const text = archive.toString('latin1')
    const metaAt = text.indexOf(',"meta"')
    const manifestAt = text.indexOf('"manifest":"') + 20
    const users = [...text.matchAll(/"userId":"."/g)].map(({ index }) => index)
    for (let at = 0; at < archive.length; at += 1) {
      // One bit of each character of the manifest: each is a signature to verify.
      const bits = at > manifestAt && at < archive.length - 10 ? [at % 8] : [0, 1, 2, 3, 4, 5, 6, 7]
      for (const bit of bits) {
        const changed = Buffer.from(archive)
        changed[at] = (changed[at] ?? 0) ^ (1 << bit)
        const names = await found(changed)
        expect(names, `byte ${at}, bit ${bit}`).not.toEqual([])
        const inUser = users.some((start) => at >= start && at < start + 12)
        if (inUser) expect(names[0], `byte ${at}, bit ${bit}`).toBe('humanUsers')
        if (at > metaAt + 10 && at < archive.length - 1) expect(names, `byte ${at}`).toContain('meta')
      }
    }
  }, 120_000)

  it('is refused when records are moved, left out or repeated, or the manifest is that of another', async () => {
    for (const [written, changed, part] of [
      ['{"userId":"a"},', '', 'humanUsers'],
      ['{"userId":"a"}', '{"userId":"a"},{"userId":"a"}', 'humanUsers'],
      ['"orgId":"one"', '"orgId":"uno"', 'orgs'],
      [',\n', ', \n', 'document'],
      ['"counts":{"orgs":2', '"counts":{"orgs":3', 'meta'],
    ] as const) {
      const bytes = Buffer.from(archive.toString('utf8').replace(written, changed))
      expect(await found(bytes), changed).toEqual([part])
    }
    const foreign = await archiveOf('{"orgs":[]')
    const manifest = /"manifest":"([^"]*)"/.exec(foreign.toString('utf8'))?.[1] ?? ''
    const mixed = archive.toString('utf8').replace(/"manifest":"[^"]*"/, `"manifest":"${manifest}"`)
    expect(await found(Buffer.from(mixed))).toContain('humanUsers')
  })

  it('refuses a signature of another typ, of another key and of no key', async () => {
    expect(await found(await archiveOf(ORGANIZATIONS, 'JWT'))).toEqual(['meta'])
    const manifest =
      readMeta(Buffer.from(`{${archive.toString('utf8').split('"meta":{')[1]?.slice(0, -1)}`))?.manifest ?? ''
    expect(await verifyManifest(manifest, keySet)).toMatchObject({ outcome: 'verified', kid: 'key' })
    expect(await verifyManifest(manifest, { keys: [] })).toEqual({ outcome: 'key_unknown', kid: 'key' })
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
    const keys = [{ ...other, kid: 'key', alg: 'ES256' }]
    expect(await verifyManifest(manifest, { keys })).toEqual({ outcome: 'invalid' })
    expect(await verifyManifest('nothing', keySet)).toEqual({ outcome: 'invalid' })
    const [, claims] = manifest.split('.')
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid: 'key', typ: MANIFEST_TYP })).toString(
      'base64url',
    )
    expect(await verifyManifest(`${none}.${claims}.`, keySet)).toEqual({ outcome: 'invalid' })
  })
})
