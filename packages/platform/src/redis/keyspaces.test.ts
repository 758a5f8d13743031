import { expect, it } from 'vitest'
import { defineKeyspaces } from './keyspaces.ts'

const keyspaces = defineKeyspaces('login', {
  session: { pattern: 'session:{hash}', ttlSeconds: 60, holds: 'a browser session' },
  guard: { pattern: 'guard:{client}:{id}', ttlSeconds: 'caller', holds: '"1"' },
})

it('builds keys under the owner from the pattern', () => {
  expect(keyspaces.session.key({ hash: 'abc' })).toBe('signet:login:session:abc')
})

it('keeps two different value lists apart even when values hold separators [fault.single-use-name-space]', () => {
  expect(keyspaces.guard.key({ client: 'a:b', id: 'c' })).not.toBe(
    keyspaces.guard.key({ client: 'a', id: 'b:c' }),
  )
  expect(keyspaces.guard.key({ client: '{x}', id: '1' })).not.toContain('{')
})
