import { describe, expect, it } from 'vitest'
import { mayImpersonate, type ReachingRole, reachAsFarAs } from './role-reach.ts'

const ORGANIZATION_OF: Readonly<Record<string, string>> = { portal: 'acme', depot: 'other' }

/** `ORG_OWNER acme`: the role and the organization or project it is for. */
function role(text: string): ReachingRole {
  const [name = '', objectId] = text.split(' ')
  return objectId === undefined
    ? { role: name }
    : { role: name, objectId, organizationId: ORGANIZATION_OF[objectId] ?? objectId }
}

/** Each role with the others that do not reach further. */
const REACH: Readonly<Record<string, readonly string[] | 'all'>> = {
  IAM_OWNER: 'all',
  IAM_OWNER_VIEWER: ['ORG_OWNER_VIEWER acme', 'PROJECT_OWNER_VIEWER portal'],
  IAM_ADMIN_IMPERSONATOR: [],
  IAM_END_USER_IMPERSONATOR: [],
  IAM_LOGIN_CLIENT: [],
  'ORG_OWNER acme': [
    'ORG_OWNER_VIEWER acme',
    'ORG_USER_MANAGER acme',
    'ORG_ADMIN_IMPERSONATOR acme',
    'ORG_END_USER_IMPERSONATOR acme',
    'ORG_SETTINGS_MANAGER acme',
    'PROJECT_OWNER portal',
    'PROJECT_OWNER_VIEWER portal',
  ],
  'ORG_OWNER_VIEWER acme': ['PROJECT_OWNER_VIEWER portal'],
  'ORG_USER_MANAGER acme': ['ORG_END_USER_IMPERSONATOR acme'],
  'ORG_ADMIN_IMPERSONATOR acme': [],
  'ORG_END_USER_IMPERSONATOR acme': [],
  'ORG_SETTINGS_MANAGER acme': [],
  'ORG_OWNER other': ['PROJECT_OWNER depot'],
  'PROJECT_OWNER portal': ['PROJECT_OWNER_VIEWER portal'],
  'PROJECT_OWNER_VIEWER portal': [],
  'PROJECT_OWNER depot': [],
  // Held where they do not hold.
  'IAM_OWNER acme': [],
  ORG_OWNER: [],
}

describe.each(Object.keys(REACH))('%s', (held) => {
  it.each(Object.keys(REACH))('reaches as far as %s only if the order of roles says so', (other) => {
    const expected = REACH[held] === 'all' || held === other || REACH[held]?.includes(other) === true
    expect(reachAsFarAs([role(held)], [role(other)])).toBe(expected)
  })
})

it('every role of the other account counts, and the roles of the caller count together', () => {
  const target = [role('ORG_OWNER acme'), role('PROJECT_OWNER depot')]
  expect(reachAsFarAs([role('ORG_OWNER acme')], target)).toBe(false)
  expect(reachAsFarAs([role('ORG_OWNER acme'), role('ORG_OWNER other')], target)).toBe(true)
  expect(reachAsFarAs([], [])).toBe(true)
})

describe('impersonation of a user of acme', () => {
  it.each([
    ['IAM_ADMIN_IMPERSONATOR', ['IAM_OWNER'], true],
    ['IAM_ADMIN_IMPERSONATOR acme', [], false],
    ['IAM_END_USER_IMPERSONATOR', [], true],
    ['IAM_END_USER_IMPERSONATOR', ['PROJECT_OWNER_VIEWER portal'], false],
    ['ORG_ADMIN_IMPERSONATOR acme', [], true],
    ['ORG_ADMIN_IMPERSONATOR acme', ['ORG_OWNER acme', 'PROJECT_OWNER portal'], true],
    ['ORG_ADMIN_IMPERSONATOR acme', ['IAM_OWNER_VIEWER'], false],
    ['ORG_ADMIN_IMPERSONATOR acme', ['ORG_OWNER acme', 'ORG_OWNER other'], false],
    ['ORG_ADMIN_IMPERSONATOR acme', ['PROJECT_OWNER depot'], false],
    ['ORG_ADMIN_IMPERSONATOR other', [], false],
    ['ORG_END_USER_IMPERSONATOR acme', [], true],
    ['ORG_END_USER_IMPERSONATOR acme', ['ORG_SETTINGS_MANAGER acme'], false],
    ['ORG_END_USER_IMPERSONATOR other', [], false],
    ['IAM_OWNER', [], false],
  ] as const)('%s reaches a user who holds %o: %s', (actor, held, expected) => {
    const subject = { organizationId: 'acme', roles: held.map(role) }
    expect(mayImpersonate([role(actor)], subject)).toBe(expected)
  })
})
