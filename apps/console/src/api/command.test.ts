import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { commandOf, declarationOf, quoted, quotedFile } from './command.ts'

const HOSTILE = [
  "it's",
  '$(touch hacked)',
  '`id`',
  'a b',
  'x>y',
  '<z',
  'a;b',
  'a\nb',
  '*',
  '~',
  '\\',
  '"',
  '',
  '!!',
  '#c',
]

it('quotes a word so that a shell hands it on unchanged', () => {
  const words = [...HOSTILE, 'plain', 'a@b.c', 'k=v,w', 'https://x/y']
  const script = `printf '%s\\0' ${words.map(quoted).join(' ')}`
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(words)
  expect(quoted('k=v,w')).toBe('k=v,w')
})

it('names a file that begins with a hyphen by its folder', () => {
  expect(quotedFile('--dry-run')).toBe('./--dry-run')
  expect(quotedFile('a b.json')).toBe("'a b.json'")
})

it('quotes the values of a command, and shows names in place of those that are missing', () => {
  const operation = {
    id: 'user_grant.add',
    method: 'POST',
    path: '/management/v1/projects/{projectId}/user-grants/add',
    summary: '',
    parameters: [{ name: 'projectId', in: 'path', schema: {} }],
  } as const
  const body = { userId: "o'brien", roles: ['a>b'] }
  expect(commandOf(operation, { path: { projectId: '$p' }, query: {}, body })).toBe(
    `signet user-grant add '$p' --set 'userId=o'\\''brien' --set 'roles=a>b'`,
  )
  expect(commandOf(operation, { path: {}, query: {}, body: {} })).toBe('signet user-grant add <projectId>')
})

it('writes maps and empty objects as JSON, and the members of other objects one by one', () => {
  const text = { type: 'string' } as const
  const properties = {
    claims: { additionalProperties: text },
    mapping: { properties: { email: text } },
  }
  const operation = {
    ...{ id: 'identity_provider.update', method: 'PATCH', path: '/p', summary: '', parameters: [] },
    body: { properties },
  }
  const command = (body: Readonly<Record<string, unknown>>) =>
    commandOf(operation, { path: {}, query: {}, body })
  expect(command({ claims: { 'a.b': '1' }, mapping: { email: 'mail' } })).toBe(
    `signet identity-provider update --set 'claims={"a.b":"1"}' --set mapping.email=mail`,
  )
  expect(command({ claims: {}, mapping: {} })).toBe(
    `signet identity-provider update --set 'claims={}' --set 'mapping={}'`,
  )
})

it('declares an identity provider with its secret from the environment', () => {
  const operation = {
    id: 'identity_provider.create',
    method: 'POST',
    path: '/p',
    summary: '',
    parameters: [],
  }
  const body = { organizationId: 'acme', name: 'Google', clientSecret: 'GOCSPX-shop' }
  expect(declarationOf(operation, { path: {}, query: {}, body })).toBe(
    `organizations:\n  - id: acme\n    identityProviders:\n      - name: Google\n        clientSecret: \${CLIENT_SECRET}\n`,
  )
})
