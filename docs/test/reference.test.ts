import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SCOPES } from '@signet/protocol/scopes'
import { expect, it } from 'vitest'
import { en } from '../../apps/login/src/pages/texts/en.ts'
import { reasonsOfSources } from './reasons.ts'
import { ERROR_CLASSES, refusalsOfSources } from './refusals.ts'

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

/** The rows of the tables of reasons, with the codes and statuses of each. */
const rows = [...errors.matchAll(/^\| (`.*?) \| (.*?) \| .* \|$/gm)].map(([, reasons = '', sent = '']) => ({
  reasons: [...named(reasons)].map(String),
  sent: sent.replaceAll('`', '').split(', '),
}))
const refusals = refusalsOfSources()

it('the errors reference has the code or status that each reason is sent with', () => {
  expect(refusals.length).toBeGreaterThan(150)
  const wrong = refusals.flatMap(({ reason, sends, file }) => {
    const documented = rows.filter(({ reasons }) => reasons.includes(reason)).flatMap(({ sent }) => sent)
    // An error of the login service is a page when it cannot be sent to the application.
    const isPage = file.startsWith('apps/login/') && documented.includes('page')
    return documented.includes(sends) || isPage ? [] : [`${file}: ${reason} is ${sends}, not ${documented}`]
  })
  expect(wrong).toEqual([])
})

it('the errors reference has no code or status that no reason of its row is sent with', () => {
  const wrong = rows.flatMap(({ reasons, sent }) => {
    const known = refusals.filter(({ reason }) => reasons.includes(reason))
    const isComplete = reasons.every((reason) => known.some((refusal) => refusal.reason === reason))
    const sends = new Set(known.flatMap(({ sends, status }) => [sends, `${status}`, 'page', '–']))
    return isComplete ? sent.filter((one) => !sends.has(one)).map((one) => `${reasons}: ${one}`) : []
  })
  expect(wrong).toEqual([])
})

it('the errors reference has the statuses of every OAuth error code', () => {
  const wrong = [...ERROR_CLASSES.values()].flatMap(({ code, status }) => {
    const given = refusals.filter(({ sends }) => sends === code)
    // The login service sends its errors by redirect.
    const isDirect = given.some(({ file }) => !file.startsWith('apps/login/'))
    const expected = new Set([status, ...given.map((refusal) => refusal.status)])
    const [documented] = rows.filter(({ reasons }) => reasons.includes(code)).map(({ sent }) => sent)
    const missing = [...expected].filter((one) => isDirect && !documented?.includes(`${one}`))
    return missing.map((one) => `${code}: ${one}, not ${documented}`)
  })
  expect(wrong).toEqual([])
})
