import { expect, it } from 'vitest'
import { missingProtections } from './store-protection.ts'

it.each([
  ['rediss://signet_login:a@redis:6379', []],
  ['rediss://signet_token:a@redis:6379', ['shared_user']],
  ['rediss+cluster://a:7000,b:7001', ['shared_user']],
  ['redis://signet_login:a@redis:6379', ['no_tls']],
  ['redis+sentinel://:a@s1,s2/signet', ['no_tls', 'shared_user']],
  ['redis://:a@127.0.0.1:6379', []],
  ['redis://[::1]:6379', []],
  ['postgres://signet_login:a@db/signet?sslmode=verify-full', []],
  ['postgres://signet_login:a@db/signet?sslmode=require', []],
  ['postgres://signet_login:a@db/signet', ['no_tls']],
  ['postgresql://signet_login:a@db/signet?sslmode=prefer', ['no_tls']],
  ['postgres://signet_login:a@localhost:5432/signet', []],
  ['postgres://signet_login:a@[::1]:5432/signet', []],
  ['postgres://signet_login:a@db/signet?host=/run/postgresql', []],
])('the connection of login to %s lacks %s', (url, missing) => {
  expect(missingProtections(url, 'login')).toEqual(missing)
})
