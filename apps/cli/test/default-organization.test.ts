import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandFixture, startCommandFixture, typed } from './command-fixture.ts'

let fixture: CommandFixture
let ownersToken: string
beforeAll(async () => {
  fixture = await startCommandFixture()
  for (const line of [
    'organization create --set name=Acme --set primaryDomain=acme.localhost',
    'organization create --set id=other --set name=Other --set primaryDomain=other.localhost',
    'project create --organization other --set id=foreign --set name=Foreign',
    'service-user create --organization acme.localhost --set id=owner --set userName=owner --set name=Olga',
    'organization-member set acme.localhost owner --set roles=ORG_OWNER',
  ])
    expect((await fixture.signet(...line.split(' '))).code).toBe(0)
  ownersToken = JSON.parse((await fixture.signet('token', 'create', 'owner', '--output', 'json')).out).token
})
afterAll(() => fixture.close())

const env = () => ({ XDG_CONFIG_HOME: fixture.folder })
const asOwner = (line: string) => fixture.signetWith({ env: env() }, ...line.split(' '))
const json = async (line: string) => {
  const { code, out, err } = await asOwner(`${line} --output json`)
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out)
}
const acmeId = async () => (await json('whoami')).organizations[0].id

describe('an owner of one organization whose id was generated', () => {
  it('signs in, and the organization is the one of commands that name none', async () => {
    const signedIn = await fixture.signetWith(
      { env: env(), standardInput: typed(ownersToken) },
      ...['login', '--issuer', fixture.system.issuer, '--token-file', '-'],
    )
    expect(signedIn).toMatchObject({ code: 0, err: '' })
    expect(signedIn.out).toMatch(
      / as owner \(Olga\); kept in .*\ncommands that name no organization are for Acme \(/,
    )
  })

  it('learns who it is, where, and with which roles', async () => {
    const { code, out } = await asOwner('whoami')
    expect(code).toBe(0)
    const id = await acmeId()
    expect(out.split('\n').map((line) => line.replace(/ {2,}/, ': '))).toEqual([
      'user: owner (Olga)',
      'user id: owner',
      `organization: Acme (${id})`,
      `issuer: ${fixture.system.issuer}`,
      `roles in the organization: Acme (${id}): ORG_OWNER`,
      `default organization: Acme (${id})`,
      '',
    ])
    expect(await json('whoami')).toMatchObject({ userName: 'owner', roles: [], defaultOrganizationId: id })
  })

  it('creates, reads and changes without naming it', async () => {
    const id = await acmeId()
    expect(await json('project create --set name=P2')).toMatchObject({ name: 'P2', organizationId: id })
    expect(
      await json('user create --set userName=dora --set profile.givenName=D --set profile.familyName=A'),
    ).toMatchObject({ organizationId: id })
    expect(await json('organization read')).toMatchObject({ id, name: 'Acme' })
    expect((await json('login-policy update --set forceMfa=true')).policy).toMatchObject({ forceMfa: true })
    expect((await json('domain read acme.localhost')).domainName).toBe('acme.localhost')
    const spa = await asOwner('application create spa --project P2 --redirect-uri https://s.example/cb')
    expect([spa.code, spa.out]).toEqual([0, expect.stringMatching(/^type +userAgent$/m)])
  })

  it('has the own rows in lists without a filter, and finds them by name', async () => {
    const names = async (line: string, member: string) =>
      (await json(line)).items.map((item: Record<string, string>) => item[member])
    expect(await names('organization list', 'name')).toEqual(['Acme'])
    expect((await names('user list', 'userName')).sort()).toEqual(['dora', 'owner'])
    expect(await names('project list', 'name')).toEqual(['P2'])
    expect(new Set(await names('audit list', 'organizationId'))).toEqual(new Set([await acmeId()]))
    expect((await asOwner('user read dora')).out).toMatch(/^userName +dora$/m)
    expect((await asOwner('project read p2')).code).toBe(0)
    const foreign = await asOwner('project read Foreign')
    expect([foreign.code, foreign.out]).toEqual([4, ''])
    const doctor = await asOwner('doctor')
    expect([0, 12]).toContain(doctor.code)
    expect(doctor.err).toContain('the keys were not checked')
  })

  it('reads in the refusal for which organization a role is missing', async () => {
    expect(await asOwner('project create --organization other --set name=P3')).toMatchObject({
      code: 4,
      err: expect.stringMatching(/^needs role IAM_OWNER or .*; tried for organization other \(403\)$/m),
    })
    expect(await asOwner('domain-policy update --set userLoginMustBeDomain=true')).toMatchObject({
      code: 4,
      err: expect.stringContaining(`tried for organization ${await acmeId()} (403)`),
    })
  })

  it('deletes no organization that it did not name', async () => {
    expect(await asOwner('organization delete --yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('signet organization delete takes organizationId'),
    })
  })

  it('takes another one with signet use, and keeps the last issuer at the next sign-in', async () => {
    expect(await asOwner('use other')).toMatchObject({ code: 4 })
    expect((await asOwner('use Acme')).out).toMatch(/^commands that name no organization are for Acme \(/)
    const again = { env: env(), standardInput: typed(fixture.token) }
    const login = ['login', '--token-file', '-', '--organization', 'Other']
    expect(await fixture.signetWith(again, ...login)).toMatchObject({ code: 0 })
    expect(await json('whoami')).toMatchObject({
      issuer: fixture.system.issuer,
      roles: ['IAM_OWNER'],
      defaultOrganizationId: 'other',
    })
    expect(await fixture.signet('use', 'other')).toMatchObject({
      code: 3,
      err: 'there is no stored login in use; sign in with signet login\n',
    })
  })
})

it('says how to sign in again where the token is not valid any more', async () => {
  const { issuer } = fixture.system
  const expired = { env: { SIGNET_ISSUER: issuer, SIGNET_TOKEN: 'gone' } }
  expect(await fixture.signetWith(expired, 'whoami')).toMatchObject({
    code: 3,
    err: expect.stringMatching(/ \(401\); sign in again with signet login, or give another SIGNET_TOKEN$/m),
  })
})
