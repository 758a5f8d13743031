import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  const document = sampleDocument()
  const domains = ['acme.example', { domainName: 'unproven.example', isVerified: false }]
  Object.assign(document.organizations[0] ?? {}, { domains })
  document.organizations.push({ id: 'other', name: 'Other', primaryDomain: 'other.localhost' })
  await management.directory.apply(document)
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
  management.bearers.set('organization-owner', { roles: ['ORG_OWNER acme'] })
  management.bearers.set('user-manager', { roles: ['ORG_USER_MANAGER acme'] })
})
afterAll(() => management?.stop())

const profile = { givenName: 'G', familyName: 'F' }
const EVERYWHERE = ['u1@acme.localhost', 'U1@ACME.example']
const ELSEWHERE = ['u1@other.localhost', 'u1@unproven.example', 'u1@mail.example', 'u1@sub.acme.example']
const CALLERS = ['organization-owner', 'user-manager'] as const
let made = 0

const create = (bearer: string, address: string, verified: boolean) => {
  made += 1
  const body = { organizationId: 'acme', userName: `user-${made}`, profile, email: { address, verified } }
  return management.call('POST', '/users', body, bearer)
}

describe.each(CALLERS)('an address that the %s marks as verified', (bearer) => {
  it.each(EVERYWHERE)('is verified in a verified domain of the organization: %s', async (address) => {
    expect(await create(bearer, address, true)).toMatchObject({
      status: 201,
      body: { email: { verified: true } },
    })
    const { body } = await create(bearer, 'old@mail.example', false)
    const changed = await management.call(
      'PATCH',
      `/users/${body.id}`,
      { email: { address, verified: true } },
      bearer,
    )
    expect(changed).toMatchObject({ status: 200, body: { email: { address, verified: true } } })
  })

  it.each(ELSEWHERE)('is refused elsewhere and stored unverified: %s', async (address) => {
    const refused = {
      status: 403,
      body: {
        code: 7,
        message: expect.stringContaining('needs role IAM_OWNER: only with it email.verified can be true'),
      },
    }
    expect(await create(bearer, address, true)).toMatchObject(refused)
    const { status, body } = await create(bearer, address, false)
    expect([status, body.email]).toEqual([201, { address, verified: false }])
    const path = `/users/${body.id}`
    const verify = { email: { address, verified: true } }
    expect(await management.call('PATCH', path, verify, bearer)).toMatchObject(refused)
    expect((await management.call('PATCH', path, verify)).status).toBe(200)
  })

  it('stays verified when the same address is sent again, and not when another one is', async () => {
    const { body } = await create('owner', 'kept@mail.example', true)
    const path = `/users/${body.id}`
    const patch = (email: object) => management.call('PATCH', path, { email }, bearer)
    expect((await patch({ address: 'Kept@mail.example', verified: true })).status).toBe(200)
    expect((await patch({ address: 'other@mail.example', verified: true })).status).toBe(403)
    expect((await patch({ address: 'other@mail.example' })).body.email).toEqual({
      address: 'other@mail.example',
      verified: false,
    })
  })
})
