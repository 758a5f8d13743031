import { expect, it } from 'vitest'
import { createWorkloadTokens, findWorkloadLogin } from './workload-login.ts'

const ISSUER = 'https://id.example'

/** Tokens of 60 seconds; the clock and the file of the platform move by hand. */
function createPod() {
  const pod = { nowMs: 0, file: 'first', assertions: [] as string[], refuses: false }
  const login = { issuer: ISSUER, userId: 'robot', readAssertion: () => pod.file }
  const answer = async (_url: unknown, init?: RequestInit) => {
    pod.assertions.push(new URLSearchParams(String(init?.body)).get('assertion') ?? '')
    return pod.refuses
      ? Response.json({ error: 'invalid_grant' }, { status: 400 })
      : Response.json({ access_token: `token-${pod.assertions.length}`, expires_in: 60 })
  }
  return Object.assign(pod, {
    token: createWorkloadTokens(login, { fetch: answer as typeof fetch, now: () => new Date(pod.nowMs) }),
  })
}

it('requests one token for calls at the same time', async () => {
  const pod = createPod()
  expect(await Promise.all([pod.token(), pod.token(), pod.token()])).toEqual(Array(3).fill('token-1'))
  expect(pod.assertions).toEqual(['first'])
})

it('reads the file of the platform again for the next token', async () => {
  const pod = createPod()
  await pod.token()
  Object.assign(pod, { nowMs: 29_000, file: 'second' })
  expect(await pod.token()).toBe('token-1')
  pod.nowMs = 30_000
  expect(await pod.token()).toBe('token-2')
  expect(pod.assertions).toEqual(['first', 'second'])
})

it('requests again after a refusal', async () => {
  const pod = createPod()
  pod.refuses = true
  await expect(pod.token()).rejects.toThrow(/refused/)
  pod.refuses = false
  expect(await pod.token()).toBe('token-2')
})

const SETTINGS = { SIGNET_ISSUER: ISSUER, SIGNET_WORKLOAD_TOKEN: 'text', SIGNET_WORKLOAD_USER: 'robot' }

it('finds no login without a setting of it', () => {
  expect(findWorkloadLogin({ SIGNET_ISSUER: ISSUER, SIGNET_TOKEN: 'text' })).toBeUndefined()
})

it.each(['did:web:acme.example:robot', 'auth0|5f7c'])('takes the id %s', (userId) => {
  expect(findWorkloadLogin({ ...SETTINGS, SIGNET_WORKLOAD_USER: userId })).toMatchObject({ userId })
})

it.each(Object.keys(SETTINGS))('demands %s with the others', (name) => {
  expect(() => findWorkloadLogin({ ...SETTINGS, [name]: '' })).toThrow(name)
})

it.each(['SIGNET_TOKEN', 'SIGNET_TOKEN_FILE'])('refuses %s beside it', (name) => {
  expect(() => findWorkloadLogin({ ...SETTINGS, [name]: 'text' })).toThrow('keep one')
})
