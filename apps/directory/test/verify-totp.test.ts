import { randomBytes } from 'node:crypto'
import { toBinary } from '@bufbuild/protobuf'
import { rpcClient } from '@signet/grpc/client'
import {
  CredentialService,
  VerifyTotpResponseSchema,
} from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { decodeBase32 } from '@signet/tokens/identifiers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defaultAuthenticator, totpCode } from '../src/credentials/totp.ts'
import { acme, PASSWORD, sampleDocument } from './directory-fixture.ts'
import { type RpcFixture, rpcFixture, TIMEOUT } from './rpc-fixture.ts'

let fixture: RpcFixture
const SECRET = 'JBSWY3DPEHPK3PXP'
const SEED = decodeBase32(SECRET) ?? Buffer.alloc(0)

beforeAll(async () => {
  fixture = await rpcFixture({ replicas: 3 })
  const document = sampleDocument()
  const person = (id: string, more: object = {}) => ({
    id,
    userName: id,
    profile: { givenName: 'A', familyName: 'B' },
    password: PASSWORD,
    ...more,
  })
  acme(document).users?.push(
    person('bob'),
    person('locked', { totpSecret: SECRET, state: 'locked' }),
    person('moved', { totpSecret: SECRET }),
  )
  await fixture.directory.apply(document)
})
afterAll(() => fixture?.stop())
// Every test in steps of its own.
beforeEach(() => fixture.directory.clock.advance(300_000))

const codeNow = (shift = 0) =>
  totpCode(defaultAuthenticator(SEED), Math.floor(fixture.directory.clock.now().getTime() / 30_000) + shift)
const verify = async (userId: string, code: string, replica = 0, throttled = false) => {
  const answer = await fixture.replicas[replica]?.credentials.verifyTotp({ userId, code, throttled }, TIMEOUT)
  return answer?.accepted
}

it('the password of an account with a TOTP secret is only the first factor', async () => {
  const account = async (loginName: string) =>
    (await fixture.credentials.verifyPassword({ loginName, password: PASSWORD }, TIMEOUT)).account
  expect((await account('alice'))?.secondFactorRequired).toBe(true)
  expect((await account('bob'))?.secondFactorRequired).toBe(false)
})

describe('RFC 6238 [F-34]', () => {
  it.each([-1, 0, 1])('accepts a code %d steps away, once', async (shift) => {
    expect(await verify('alice', codeNow(shift))).toBe(true)
    expect(await verify('alice', codeNow(shift))).toBe(false)
  })

  it('accepts no code of a step before one that was used, and the next one', async () => {
    expect(await verify('alice', codeNow())).toBe(true)
    expect(await verify('alice', codeNow(-1))).toBe(false)
    fixture.directory.clock.advance(30_000)
    expect(await verify('alice', codeNow())).toBe(true)
  })

  it('30 tries at once at three replicas: one wins', async () => {
    const tries = Array.from({ length: 30 }, (_, at) => verify('alice', codeNow(), at % 3))
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1)
  })

  it('two people may have the same code', async () => {
    expect(await verify('alice', codeNow())).toBe(true)
    expect(await verify('moved', codeNow())).toBe(true)
  })

  it('a throttled attempt is refused with the right code, which stays usable', async () => {
    expect(await verify('alice', codeNow(), 0, true)).toBe(false)
    expect(await verify('alice', codeNow())).toBe(true)
  })
})

it('wrong, used, unknown, locked and without a secret: the same bytes', async () => {
  expect(await verify('alice', codeNow())).toBe(true)
  const tries = [
    ['alice', codeNow()],
    ['alice', codeNow(5)],
    ['nobody', codeNow()],
    ['locked', codeNow()],
    ['bob', codeNow()],
  ] as const
  for (const [userId, code] of tries) {
    const answer = await fixture.credentials.verifyTotp({ userId, code }, TIMEOUT)
    expect(toBinary(VerifyTotpResponseSchema, answer), userId).toHaveLength(0)
  }
})

it('a seed that was moved to another account does not open', async () => {
  await fixture.directory.rows(
    `UPDATE directory.account_totp SET sealed_seed = (SELECT sealed_seed FROM directory.account_totp WHERE user_id = 'alice')
      WHERE user_id = 'moved'`,
  )
  expect(await verify('moved', codeNow())).toBe(false)
})

it('a seed sealed under a key that is not there any more refuses', async () => {
  await fixture.directory.rows("UPDATE directory.account_totp SET sealed_seed = $1 WHERE user_id = 'moved'", [
    randomBytes(60),
  ])
  expect(await verify('moved', codeNow())).toBe(false)
})

it('only login may ask', async () => {
  const introspection = rpcClient(CredentialService, fixture.network.transport('introspection', 'directory'))
  await expect(introspection.verifyTotp({ userId: 'alice', code: '1' }, TIMEOUT)).rejects.toMatchObject({
    code: 'PERMISSION_DENIED',
  })
})
