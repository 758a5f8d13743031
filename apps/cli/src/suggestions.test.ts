import { describe, expect, it } from 'vitest'
import { nearest, nearestVerb } from './suggestions.ts'

describe('the nearest word', () => {
  const NOUNS = ['organization', 'organization-member', 'user', 'user-grant', 'keys', 'key', 'login', 'token']
  it.each([
    ['org', 'organization'],
    ['organisation', 'organization'],
    ['organizations', 'organization'],
    ['users', 'user'],
    ['usergrant', 'user-grant'],
    ['User', 'user'],
    ['tokne', 'token'],
    ['lgoin', 'login'],
    ['u', undefined],
    ['jobs', undefined],
    ['constructor', undefined],
    ['', undefined],
  ])('%s stands for %s', (word, meant) => expect(nearest(word, NOUNS)).toBe(meant))

  it('is none where several begin with it and none of them begins the others', () => {
    expect(nearest('project-', ['project-role', 'project-member'])).toBeUndefined()
  })
})

describe('the nearest verb', () => {
  const VERBS = ['list', 'create', 'read', 'update', 'delete', 'set-password']
  it.each([
    ['ls', 'list'],
    ['get', 'read'],
    ['rm', 'delete'],
    ['crate', 'create'],
    ['edit', 'update'],
    ['setPassword', 'set-password'],
    ['toString', undefined],
    ['fly', undefined],
  ])('%s stands for %s', (word, meant) => expect(nearestVerb(word, VERBS)).toBe(meant))

  it('is one that the noun has', () => expect(nearestVerb('update', ['read', 'set'])).toBe('set'))
})
