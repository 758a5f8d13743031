import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CommandFixture, startCommandFixture } from './command-fixture.ts'

let fixture: CommandFixture
/** A provider whose document each test sets. */
let other: { readonly url: string; document: unknown; close(): void }
beforeAll(async () => {
  fixture = await startCommandFixture()
  const server = createServer((req, res) => {
    if (req.url !== '/.well-known/openid-configuration') return void res.writeHead(404).end()
    res.end(typeof other.document === 'string' ? other.document : JSON.stringify(other.document))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  other = { url, document: {}, close: () => server.close() }
})
afterAll(async () => {
  other.close()
  await fixture.close()
})

const compare = (...args: string[]) => fixture.signet('import', 'compare-discovery', ...args)

it('compares two issuers; differences are no failure', async () => {
  other.document = {
    issuer: other.url,
    authorization_endpoint: `${other.url}/authorize`,
    response_types_supported: ['code', 'token'],
    code_challenge_methods_supported: ['S256', 'plain'],
  }
  const { code, out, err } = await compare(other.url, fixture.system.issuer)
  expect([code, err]).toEqual([0, ''])
  expect(out).toMatch(/^different {2}issuer: http:\S+ -> http:\S+\n {11}configure each client /)
  expect(out).toMatch(/^same {7}response_types_supported: code$/m)
  expect(out).toMatch(
    /^only old {3}code_challenge_methods_supported: plain\n {11}clients that use it: use S256$/m,
  )
  expect(out).toMatch(/^only new {3}backchannel_logout_supported: true$/m)
  const same = await compare(fixture.system.issuer, `${fixture.system.issuer}/`, '--output', 'json')
  const items = JSON.parse(same.out).items as { item: string; status: string }[]
  expect(items.filter(({ status }) => status !== 'same')).toEqual([])
  expect(items.map(({ item }) => item)).toContain('keys')
})

it('takes files, and compares no keys then', async () => {
  const file = join(fixture.folder, 'old.json')
  await writeFile(
    file,
    JSON.stringify({ issuer: 'https://old.example', response_types_supported: ['id_token'] }),
  )
  const { code, out } = await compare(file, fixture.system.issuer)
  expect(code).toBe(0)
  expect(out).not.toMatch(/ keys: /)
})

it('notes a document of another issuer', async () => {
  other.document = { issuer: 'https://elsewhere.example' }
  const { code, err } = await compare(other.url, fixture.system.issuer)
  expect([code, err]).toMatchObject([0, expect.stringContaining('names another issuer')])
})

it('has exit codes for what cannot be read', async () => {
  const { issuer } = fixture.system
  other.document = '<html>'
  expect(await compare(other.url, issuer)).toMatchObject({
    code: 8,
    err: expect.stringContaining('is not a discovery'),
  })
  other.document = { issuer: other.url, jwks_uri: `${other.url}/keys` }
  expect(await compare(other.url, issuer)).toMatchObject({ code: 8, err: `${other.url}/keys returned 404\n` })
  other.document = `"${'x'.repeat(1_100_000)}"`
  expect(await compare(other.url, issuer)).toMatchObject({ code: 8, err: expect.stringContaining('1 MiB') })
  expect(await compare('http://127.0.0.1:9', issuer)).toMatchObject({ code: 8 })
  expect(await compare(join(fixture.folder, 'none.json'), issuer)).toMatchObject({ code: 2 })
  const empty = join(fixture.folder, 'empty.json')
  await writeFile(empty, '{}')
  expect(await compare(empty, issuer)).toMatchObject({ code: 7 })
  expect(await compare(issuer)).toMatchObject({ code: 2 })
})
