import { expect, it } from 'vitest'
import { isRedirectTarget, withQuery } from './redirect.ts'

it.each(['https://rp.localhost/callback', 'http://127.0.0.1:1/x?y=1', 'com.example.app:/callback'])(
  'accepts %s',
  (uri) => {
    expect(isRedirectTarget(uri)).toBe(true)
  },
)

it.each([
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  'https://rp.localhost/#x',
  '/relative',
  '//rp.localhost/callback',
  '',
  'https://rp.localhost/a b',
  'https://rp.localhost/\r\nSet-Cookie: x=y',
  'java\tscript:alert(1)',
])('refuses %j', (uri) => {
  expect(isRedirectTarget(uri)).toBe(false)
})

it('adds parameters without changing the existing bytes', () => {
  expect(withQuery('https://rp.localhost', { a: '1' })).toBe('https://rp.localhost?a=1')
  expect(withQuery('https://rp.localhost/%7e?x=%20', { a: '&' })).toBe('https://rp.localhost/%7e?x=%20&a=%26')
  expect(withQuery('https://rp.localhost/?', { a: '1' })).toBe('https://rp.localhost/?a=1')
  expect(withQuery('https://rp.localhost/cb', {})).toBe('https://rp.localhost/cb')
})
