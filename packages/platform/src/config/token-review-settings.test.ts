import { expect, it } from 'vitest'
import { readSettings } from './settings.ts'

const ONE = { issuer: 'https://cluster.example', url: 'https://10.0.0.1:6443', tokenFile: '/token' }
const read = (value: string) =>
  readSettings({ SIGNET_TOKEN_REVIEWS: value }, [], ['SIGNET_TOKEN_REVIEWS']).SIGNET_TOKEN_REVIEWS

it('reads an API server for each issuer', () => {
  const other = { ...ONE, issuer: 'https://other.example', caFile: '/ca.crt' }
  expect(read(JSON.stringify([ONE, other]))).toEqual([ONE, other])
  expect(read('')).toBeUndefined()
})

it.each<[what: string, value: unknown]>([
  ['no list', ONE],
  ['an empty list', []],
  ['no issuer', [{ ...ONE, issuer: '' }]],
  ['no file of a token', [{ ...ONE, tokenFile: undefined }]],
  ['a token in place of a file', [{ ...ONE, token: 'text' }]],
  ['two servers of one issuer', [ONE, ONE]],
  ['a URL without https', [{ ...ONE, url: 'http://10.0.0.1' }]],
  ['a URL with a path', [{ ...ONE, url: 'https://10.0.0.1/' }]],
])('refuses %s', (_what, value) => {
  expect(() => read(JSON.stringify(value))).toThrow('SIGNET_TOKEN_REVIEWS: must be a JSON list')
})

it('refuses a text that is no JSON, and does not show it', () => {
  expect(() => read('secret')).toThrow(/^(?!.*secret).*must be a JSON list/)
})
