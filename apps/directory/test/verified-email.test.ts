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
const EVERYWHERE = ['acme.localhost', 'ACME.example']
const ELSEWHERE = ['other.localhost', 'unproven.example', 'mail.example', 'sub.acme.example']
const CALLERS = ['organization-owner', 'user-manager'] as const
let made = 0

/** An address that no other account has. */
const unused = (domain: string) => {
  made += 1
  return `U${made}@${domain}`
}

const create = (bearer: string, address: string, verified: boolean) => {
  made += 1
  const body = { organizationId: 'acme', userName: `user-${made}`, profile, email: { address, verified } }
  return management.call('POST', '/users', body, bearer)
}

describe.each(CALLERS)('an address that the %s marks as verified', (bearer) => {
  it.each(EVERYWHERE)('is verified in a verified domain of the organization: %s', async (domain) => {
    expect(await create(bearer, unused(domain), true)).toMatchObject({
      status: 201,
      body: { email: { verified: true } },
    })
    const address = unused(domain)
    const { body } = await create(bearer, 'old@mail.example', false)
    const changed = await management.call(
      'PATCH',
      `/users/${body.id}`,
      { email: { address, verified: true } },
      bearer,
    )
    expect(changed).toMatchObject({ status: 200, body: { email: { address, verified: true } } })
  })

  it.each(ELSEWHERE)('is refused elsewhere and stored unverified: %s', async (domain) => {
    const address = unused(domain)
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
    const address = unused('mail.example')
    const { body } = await create('owner', address, true)
    const path = `/users/${body.id}`
    const patch = (email: object) => management.call('PATCH', path, { email }, bearer)
    expect((await patch({ address: address.toLowerCase(), verified: true })).status).toBe(200)
    expect((await patch({ address: 'other@mail.example', verified: true })).status).toBe(403)
    expect((await patch({ address: 'other@mail.example' })).body.email).toEqual({
      address: 'other@mail.example',
      verified: false,
    })
  })
})

describe('an address that another account of the organization has verified', () => {
  it.each([
    ['at a new account', (address: string) => create('owner', address.toUpperCase(), true)],
    [
      'at a changed account',
      async (address: string) => {
        const { body } = await create('owner', address.toUpperCase(), false)
        return management.call('PATCH', `/users/${body.id}`, {
          email: { address: address.toUpperCase(), verified: true },
        })
      },
    ],
  ])('is refused %s, in any case', async (_, act) => {
    const address = unused('mail.example')
    expect((await create('owner', address, true)).status).toBe(201)
    expect(await act(address)).toMatchObject({
      status: 409,
      body: {
        message: expect.stringContaining('email.address: another account of the organization has this'),
      },
    })
  })

  it('is verified for one of two that ask at once', async () => {
    const address = unused('mail.example')
    const answers = await Promise.all([1, 2, 3, 4].map(() => create('owner', address, true)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
  })
})

describe('a user name', () => {
  const createNamed = (bearer: string, userName: string, path = '/users') =>
    management.call(
      'POST',
      path,
      { organizationId: 'acme', userName, ...(path === '/users' && { profile }) },
      bearer,
    )

  it.each(CALLERS)(
    'in the form of an address is refused to the %s outside verified domains',
    async (bearer) => {
      const needsOwner = {
        status: 403,
        body: {
          message: expect.stringContaining('needs role IAM_OWNER: only with it userName can have the form'),
        },
      }
      expect(await createNamed(bearer, unused('mail.example'))).toMatchObject(needsOwner)
      expect(await createNamed(bearer, unused('unproven.example'))).toMatchObject(needsOwner)
      expect(await createNamed(bearer, unused('mail.example'), '/service-users')).toMatchObject(needsOwner)
      expect((await createNamed(bearer, unused('ACME.example'))).status).toBe(201)
      const { body } = await createNamed('owner', unused('mail.example'))
      const path = `/users/${body.id}`
      expect((await management.call('PATCH', path, { userName: body.userName }, bearer)).status).toBe(200)
      expect(
        await management.call('PATCH', path, { userName: unused('mail.example') }, bearer),
      ).toMatchObject(needsOwner)
    },
  )

  it.each(CALLERS)('may become the verified address of the account, by the %s', async (bearer) => {
    const address = unused('mail.example')
    const { body } = await create('owner', address, true)
    const named = await management.call('PATCH', `/users/${body.id}`, { userName: address }, bearer)
    expect(named).toMatchObject({ status: 200, body: { userName: address } })
  })

  it.each(['bob\u200b', 'b\u00adob', 'b\ufe0fob', 'b\u202eob', 'a\nb', 'a\tb', 'аlice'])(
    'with characters that imitate another one is refused: %j',
    async (userName) => {
      expect(await createNamed('owner', userName)).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('userName: must') },
      })
      expect((await createNamed('owner', userName, '/service-users')).status).toBe(400)
    },
  )

  it('is one in wide forms and folded cases', async () => {
    expect((await createNamed('owner', 'Straße.ｗ')).body.userName).toBe('Straße.w')
    for (const userName of ['STRASSE.W', 'strasse.w', 'ｓtrasse.w'])
      expect((await createNamed('owner', userName)).status).toBe(409)
  })

  it.each(['an\u200bna', 'anna\u202e', 'an\nna'])('as given name %j is refused', async (givenName) => {
    made += 1
    const body = { organizationId: 'acme', userName: `named-${made}`, profile: { ...profile, givenName } }
    expect((await management.call('POST', '/users', body)).status).toBe(400)
  })
})
