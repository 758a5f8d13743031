import { expect, it } from 'vitest'
import { readConfig } from './config.ts'

const key = (byte: number) => Buffer.alloc(32, byte)
const read = (SIGNET_LOGIN_MASTER_KEY?: string) =>
  readConfig({
    SIGNET_ISSUER: 'http://localhost:8080',
    ...(SIGNET_LOGIN_MASTER_KEY !== undefined && { SIGNET_LOGIN_MASTER_KEY }),
  })

it.each([
  { of: 'a missing key', value: undefined, problem: 'SIGNET_LOGIN_MASTER_KEY: is required' },
  { of: 'an empty list', value: ',', problem: /^SIGNET_LOGIN_MASTER_KEY: must be keys of 32 bytes/ },
  { of: 'a short key', value: 'c2hvcnQ', problem: /^SIGNET_LOGIN_MASTER_KEY: must be keys of 32 bytes/ },
])('rejects $of', ({ value, problem }) => {
  expect(() => read(value)).toThrow(problem)
})

it('reads a list of master keys, newest first', () => {
  const list = [key(2), key(1)]
  const { masterKeys } = read(list.map((one) => one.toString('base64url')).join(','))
  expect(masterKeys.reveal()).toEqual(list)
})
