import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { exampleDirectory } from './operation-call.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  await management.directory.apply(exampleDirectory())
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
  management.bearers.set('acme-owner', { roles: ['ORG_OWNER acme'] })
})
afterAll(() => management?.stop())

const call = (...[method, path, body, bearer]: Parameters<ManagementFixture['call']>) =>
  management.call(method, path, body, bearer)

describe('organizations', () => {
  it('are created with a generated id and a verified primary domain', async () => {
    const { status, body } = await call('POST', '/organizations', {
      name: 'New',
      primaryDomain: 'NEW.localhost',
    })
    expect([status, body.state, body.primaryDomain]).toEqual([201, 'active', 'new.localhost'])
    expect(body.id).toMatch(/^[a-z2-7]{26}$/)
    expect((await call('GET', `/organizations/${body.id}/domains`)).body.items).toEqual([
      { domainName: 'new.localhost', isVerified: true, isPrimary: true },
    ])
    expect((await call('GET', '/organizations?name=New')).body.items).toEqual([body])
    const ofDomain = `/organizations?primaryDomain=${body.primaryDomain}`
    expect((await call('GET', ofDomain)).body.items).toEqual([body])
    expect((await call('GET', `${ofDomain}&state=inactive`)).body.items).toEqual([])
    expect((await call('GET', '/organizations?primaryDomain=none.localhost')).body.items).toEqual([])
  })

  it.each([
    [
      { id: 'acme', name: 'Again', primaryDomain: 'again.localhost' },
      'id: is the id of another organization',
    ],
    [{ name: 'Thief', primaryDomain: 'acme.localhost' }, 'domain: is verified for another organization'],
  ])('%o is refused with 409', async (body, message) => {
    const answer = await call('POST', '/organizations', body)
    expect([answer.status, answer.body.code, answer.body.message]).toEqual([409, 6, message])
  })

  it('take only a verified domain of their own as the primary one', async () => {
    await call('POST', '/organizations/acme/domains', { domainName: 'unproven.example' })
    for (const primaryDomain of ['unproven.example', 'new.localhost', 'nobody.example']) {
      expect(await call('PATCH', '/organizations/acme', { primaryDomain })).toMatchObject({
        status: 400,
        body: { message: 'primaryDomain: must be a verified domain of the organization' },
      })
    }
    expect(await call('PATCH', '/organizations/acme', { primaryDomain: 'shop.acme.example' })).toMatchObject({
      status: 200,
      body: { primaryDomain: 'shop.acme.example' },
    })
    await call('PATCH', '/organizations/acme', { primaryDomain: 'acme.localhost' })
  })

  it('are deleted with everything in them, once', async () => {
    await call('POST', '/organizations', { id: 'gone', name: 'Gone', primaryDomain: 'gone.localhost' })
    await call('POST', '/service-users', { id: 'goner', organizationId: 'gone', userName: 'goner' })
    management.published.splice(0)
    expect((await call('DELETE', '/organizations/gone')).status).toBe(204)
    expect(management.published).toEqual([['ORGANIZATION gone 1']])
    for (const path of ['/organizations/gone', '/users/goner'])
      expect((await call('GET', path)).status).toBe(404)
    // Repeated, because the answer was lost: it publishes again.
    expect((await call('DELETE', '/organizations/gone')).status).toBe(204)
    expect((await call('DELETE', '/organizations/never-was')).status).toBe(404)
  })
})

describe('domains', () => {
  it('are verified by IAM_OWNER only', async () => {
    const add = (isVerified: boolean, bearer: string) =>
      call(
        'POST',
        '/organizations/acme/domains',
        { domainName: `d-${isVerified}-${bearer}.example`, isVerified },
        bearer,
      )
    expect((await add(false, 'acme-owner')).status).toBe(201)
    expect(await add(true, 'acme-owner')).toMatchObject({
      status: 403,
      body: { message: 'needs role IAM_OWNER' },
    })
    expect((await add(true, 'owner')).status).toBe(201)
    const path = '/organizations/acme/domains/d-false-acme-owner.example'
    expect((await call('PATCH', path, { isVerified: true }, 'acme-owner')).status).toBe(403)
    expect((await call('PATCH', path, { isVerified: true })).body.isVerified).toBe(true)
  })

  it('that are primary stay, and stay verified', async () => {
    const path = '/organizations/acme/domains/acme.localhost'
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PATCH', { isVerified: false }],
    ] as const) {
      expect(await call(method, path, body)).toMatchObject({
        status: 400,
        body: { details: [{ id: 'domain_primary' }] },
      })
    }
    expect((await call('DELETE', '/organizations/acme/domains/shop.acme.example')).status).toBe(204)
    expect((await call('GET', '/organizations/acme/domains/shop.acme.example')).status).toBe(404)
  })
})

describe('policies', () => {
  const PATH = '/organizations/acme/policies/password-complexity'

  it('take effect with the response, as a whole, until they are reset to the default', async () => {
    const create = () =>
      call('POST', '/users', {
        organizationId: 'acme',
        userName: 'weak',
        profile: { givenName: 'W', familyName: 'K' },
        password: 'kqvmpxzb-tj',
      })
    const effective = (of: object, source = 'organization') =>
      Object.fromEntries(Object.entries(of).map(([member, value]) => [member, { value, source }]))
    const defaults = {
      minLength: 8,
      hasUppercase: false,
      hasLowercase: false,
      hasNumber: false,
      hasSymbol: false,
    }
    expect((await call('GET', PATH)).body).toEqual({
      isDefault: true,
      policy: {},
      notObeyed: [],
      defaults,
      effective: effective(defaults, 'instance'),
    })
    const policy = { minLength: 12, hasNumber: true }
    expect((await call('PUT', PATH, policy)).body).toEqual({
      isDefault: false,
      policy,
      notObeyed: [],
      defaults,
      effective: { ...effective(defaults, 'instance'), ...effective(policy) },
    })
    expect((await create()).body.message).toBe(
      'password: needs at least 12 characters; password: needs a digit',
    )
    expect((await call('PUT', PATH, { hasUppercase: true })).body.policy).toEqual({ hasUppercase: true })
    expect((await create()).body.message).toBe('password: needs an upper-case letter')
    expect((await call('DELETE', PATH)).status).toBe(204)
    expect((await create()).status).toBe(201)
  })

  it.each([
    ['password-complexity', { minLength: 0 }, 'minLength: must be 1 or more'],
    ['login', { allowRegister: 'yes' }, 'allowRegister: Invalid input: expected boolean'],
    ['label', { primaryColor: 'red' }, 'primaryColor: must be a colour such as #1a2b3c'],
    ['lockout', { attempts: 1 }, 'attempts: unknown field'],
  ])('%s %o is refused', async (kind, body, message) => {
    const answer = await call('PUT', `/organizations/acme/policies/${kind}`, body)
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain(message)
  })

  it('rejects sign-in without a domain for a second organization that has the same user name', async () => {
    await call('POST', '/organizations', { id: 'twin', name: 'Twin', primaryDomain: 'twin.localhost' })
    await call('POST', '/service-users', {
      organizationId: 'twin',
      userName: 'alice',
      clientId: 'twin-alice',
    })
    const open = { userLoginMustBeDomain: false }
    expect((await call('PUT', '/organizations/acme/policies/domain', open)).status).toBe(200)
    expect(await call('PUT', '/organizations/twin/policies/domain', open)).toMatchObject({
      status: 409,
      body: { details: [{ field: 'userName' }] },
    })
  })

  it('returns 404 for the policies of an organization that does not exist', async () => {
    expect((await call('PUT', '/organizations/nowhere/policies/login', {})).status).toBe(404)
  })
})

describe('metadata', () => {
  it('sets, returns, lists and deletes an entry', async () => {
    const path = '/organizations/acme/metadata/contract'
    expect((await call('PUT', path, { value: 'AAEC' })).body).toEqual({ key: 'contract', value: 'AAEC' })
    expect((await call('GET', '/organizations/acme/metadata')).body.items).toEqual([
      { key: 'contract', value: 'AAEC' },
    ])
    expect((await call('DELETE', path)).status).toBe(204)
    expect((await call('GET', path)).status).toBe(404)
    expect((await call('PUT', '/organizations/nowhere/metadata/contract', { value: 'AAEC' })).status).toBe(
      404,
    )
  })
})
