import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SCOPES } from '@signet/protocol/scopes'
import { expect, it } from 'vitest'
import { en } from '../../apps/login/src/pages/texts/en.ts'
import { reasonsOfSources } from './reasons.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8')
const errors = read('docs/reference/errors.md')
const scopes = read('docs/reference/scopes-and-claims.md')
const named = (text: string) => new Set([...text.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name))

/** Why a grant ended, in its row of the database; no caller or log line gets it as the reason of a refusal. */
const ENDS_OF_GRANTS = ['revoked_by_client']

it('the errors reference has every reason of the sources', () => {
  const reasons = reasonsOfSources()
  expect(reasons.length).toBeGreaterThan(150)
  const known = named(errors)
  expect(reasons.filter((reason) => !known.has(reason) && !ENDS_OF_GRANTS.includes(reason))).toEqual([])
})

it('the errors reference has every error code', () => {
  const codes = read('packages/protocol/src/errors.ts').matchAll(/readonly code = '(\w+)'/g)
  const known = named(errors)
  expect([...codes].flatMap(([, code = '']) => (known.has(code) ? [] : [code]))).toEqual([])
})

it('the errors reference has every page that ends a flow', () => {
  const { rejected, notFound, unavailable, failure } = en
  for (const { title } of [rejected, notFound, unavailable, failure]) expect(errors).toContain(`| ${title} |`)
})

it('the scopes reference has every scope and every claim that discovery lists', () => {
  const known = named(scopes)
  const surface = read('e2e/test/public-surface/discovery.txt')
  const [document = ''] = /^\{[\s\S]*?^\}/m.exec(surface) ?? []
  const { claims_supported: claims, scopes_supported: listed } = JSON.parse(document)
  expect(claims.length).toBeGreaterThan(20)
  expect([...SCOPES, ...listed, ...claims].filter((name) => !known.has(name))).toEqual([])
})

it('the scopes reference has every reserved scope', () => {
  const source = read('packages/protocol/src/scopes.ts')
  const fixed = [...source.matchAll(/^ {2}'((?:user|org):[a-z:]+)':/gm)].map(([, name]) => name)
  const withValue = [...source.matchAll(/^ {2}\[\/\^((?:org|user):[a-z:]+)\(/gm)].map(([, name]) => name)
  expect([fixed.length, withValue.length]).toEqual([3, 5])
  expect([...fixed, ...withValue].filter((name) => !scopes.includes(`\`urn:service:iam:${name}`))).toEqual([])
})
