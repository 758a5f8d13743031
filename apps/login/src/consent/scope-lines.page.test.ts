import { SCOPES } from '@signet/protocol/scopes'
import { expect, it } from 'vitest'
import { TEXTS } from '../pages/texts/languages.ts'
import { scopeLines } from './scope-lines.page.ts'

const NAMES = new Map([['portal', { project: 'Portal', organization: 'ACME' }]])

const { en } = TEXTS

it.each(Object.values(TEXTS))('has a text for every scope ($language) [F-38]', (texts) => {
  const reserved = [
    'user:metadata',
    'user:resourceowner',
    'org:project:role:x',
    'org:project:id:portal:aud',
    'org:project:id:signet:aud',
    'org:project:id:x:aud',
  ]
  const scopes = [...SCOPES, ...reserved.map((name) => `urn:service:iam:${name}`)]
  const lines = scopeLines(scopes, { allowed: new Set(), audiences: NAMES }, texts)
  expect(lines).toHaveLength(scopes.length)
  for (const { text } of lines) expect(scopes).not.toContain(text)
})

it('shows a text once, as allowed before only if all its scopes were allowed', () => {
  const scopes = ['urn:service:iam:org:id:acme', 'urn:service:iam:user:resourceowner', 'email']
  expect(
    scopeLines(scopes, { allowed: new Set(scopes.slice(1)), audiences: NAMES }, en).map(
      ({ isAllowed }) => isAllowed,
    ),
  ).toEqual([false, true])
  expect(
    scopeLines(scopes, { allowed: new Set(scopes), audiences: NAMES }, en).map(({ isAllowed }) => isAllowed),
  ).toEqual([true, true])
})
