import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { GRANT_TYPES } from '@signet/protocol/grant-types'
import { startSystem } from '@signet/testing/system/start-system'
import type { TestSystem } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = new URL('../../', import.meta.url)
const TITLE = '| URL or grant_type | file | specification | test |'

const RULES_TITLE = '| rule | decided in | described in |'

/** The cells of the rows below the title line of a table. */
function textsOf(title: string): readonly (readonly string[])[] {
  const lines = readFileSync(new URL('ARCHITECTURE.md', ROOT), 'utf8').split('\n')
  const first = lines.indexOf(title) + 2
  const end = lines.findIndex((line, index) => index >= first && !line.startsWith('|'))
  return lines.slice(first, end === -1 ? undefined : end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
}

function rows() {
  return textsOf(TITLE).map(([what = '', file = '', specification = '', test = '']) => ({
    ...{ what, file, specification, test },
  }))
}

describe('the table of rules of ARCHITECTURE.md', () => {
  const paths = textsOf(RULES_TITLE).flatMap(([, ...named]) => named)

  it.each(paths)('%s exists', (path) => {
    expect(existsSync(fileURLToPath(new URL(path, ROOT)))).toBe(true)
  })

  it('has rows', () => {
    expect(paths.length).toBeGreaterThan(20)
  })
})

it('the page about policy members names the last migration that has effective_policy', () => {
  const migrations = new URL('apps/directory/migrations/', ROOT)
  const hasFunction = (name: string) =>
    readFileSync(new URL(name, migrations), 'utf8').includes('FUNCTION directory.effective_policy(')
  const files = readdirSync(migrations).filter((name) => name.endsWith('.sql'))
  const last = files.sort().findLast(hasFunction)
  const page = readFileSync(new URL('docs/reference/policy-members.md', ROOT), 'utf8')
  expect(page).toContain(`from the last one that has the function (\`${last}\`)`)
})

describe('the table of ARCHITECTURE.md', () => {
  let system: TestSystem
  let discovery: Readonly<Record<string, unknown>>
  const table = rows()
  const named = table.map(({ what }) => what)

  beforeAll(async () => {
    system = await startSystem({
      mode: 'in-process',
      clientRegistration: true,
      securityContacts: ['mailto:security@example.com'],
    })
    discovery = (await system.fetch('/.well-known/openid-configuration')).json
  }, 60_000)
  afterAll(() => system?.stop())

  it('is there, one row for each thing', () => {
    expect(table.length).toBeGreaterThan(8)
    expect(new Set(named).size).toBe(named.length)
  })

  it.each(table)(
    '$what: the file and the test exist, and a specification is named',
    ({ file, test, specification }) => {
      for (const path of [file, test]) expect(existsSync(fileURLToPath(new URL(path, ROOT))), path).toBe(true)
      expect(file).toMatch(/^apps\/\w+\/src\//)
      expect(test).toMatch(/\.test\.ts$/)
      expect(specification).toMatch(/RFC \d+|OIDC Core|OpenID Connect|RP-Initiated Logout|SAML/)
    },
  )

  it('has every endpoint that discovery names, and discovery itself', () => {
    const endpoints = Object.entries(discovery)
      .filter(([name]) => name.endsWith('_endpoint') || name === 'jwks_uri')
      .map(([, url]) => new URL(String(url)).pathname)
    expect(endpoints.length).toBeGreaterThan(5)
    expect(named).toEqual(expect.arrayContaining([...endpoints, '/.well-known/openid-configuration']))
  })

  it('has every grant type that discovery names, and no other', () => {
    const grantTypes = discovery.grant_types_supported as readonly string[]
    // `implicit` is no grant of the token endpoint.
    const expected = grantTypes.filter((grantType) => grantType !== 'implicit')
    // No application of this system has the grant of devices, so discovery does not name it.
    const all = [...expected, GRANT_TYPES.deviceCode]
    expect(named.filter((what) => !what.startsWith('/')).sort()).toEqual(all.sort())
  })

  it.each(named.filter((what) => what.startsWith('/')))('%s is served', async (path) => {
    // There is nothing with an id of the table; the path is there when it refuses a method.
    const answer = await system.fetch(path, path.includes(':') ? { method: 'DELETE' } : {})
    expect(answer.status).not.toBe(404)
    expect(answer.status).toBeLessThan(500)
  })
})
