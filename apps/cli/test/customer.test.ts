import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CommandFixture, startCommandFixture, typed } from './command-fixture.ts'

const mails: string[] = []
let fixture: CommandFixture
beforeAll(async () => {
  fixture = await startCommandFixture({ mailbox: ({ to }) => void mails.push(to) })
  const project = ['--set', 'id=shop', '--set', 'name=Shop', '--set', 'organizationId=home']
  expect(await fixture.signet('project', 'create', ...project)).toMatchObject({ code: 0 })
})
afterAll(() => fixture?.close())
beforeEach(() => void mails.splice(0))

const TEMPLATE = `
organizations:
  - name: '{{name}}'
    primaryDomain: '{{domain}}'
    loginPolicy: { forceMfa: true, allowUsernamePassword: true }
    labelPolicy: { primaryColor: '#2563eb' }
    projects:
      - name: '{{name}} internal'
        roles: [{ key: staff }]
`

const create = (template: string, ...args: string[]) =>
  fixture.signetWith({ standardInput: typed(template) }, 'customer', 'create', '-', ...args)
const json = async (...args: string[]) => JSON.parse((await fixture.signet(...args, '--output', 'json')).out)

describe('signet customer create', () => {
  const globex = ['--set', 'name=Globex', '--set', 'domain=globex.example']

  it('shows what it would create and writes nothing in a dry run', async () => {
    expect(await create(TEMPLATE, ...globex, '--admin', 'erin@globex.example', '--dry-run')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\+ organization \S+ \(organizations\[0\]\)[\s\S]*\+ user/),
    })
    expect((await json('organization', 'list')).items).toHaveLength(1)
  })

  it('creates the organization with policies, project, granted project and administrator, who is invited', async () => {
    const before = await json('doctor')
    const admin = ['--admin', 'Erin Example <erin@globex.example>', '--grant-project', 'shop']
    const made = await create(TEMPLATE, ...globex, ...admin, '--output', 'json')
    expect(made).toMatchObject({ code: 0, err: '' })
    const { organizationId, invited } = JSON.parse(made.out)
    expect(await json('organization', 'read', organizationId)).toMatchObject({
      name: 'Globex',
      primaryDomain: 'globex.example',
    })
    expect(await json('login-policy', 'read', organizationId)).toMatchObject({
      effective: { forceMfa: { value: true, source: 'organization' } },
    })
    expect((await json('project', 'list', '--organization-id', organizationId)).items).toMatchObject([
      { name: 'Globex internal' },
    ])
    expect((await json('granted-project', 'list', organizationId)).items).toMatchObject([
      { projectId: 'shop', accepted: true },
    ])
    expect((await json('organization-member', 'list', organizationId)).items).toMatchObject([
      { userId: invited[0], roles: ['ORG_OWNER'] },
    ])
    await expect.poll(() => mails).toEqual(['erin@globex.example'])
    expect((await json('doctor')).defaultOrganization).toEqual(before.defaultOrganization)
  })

  it('refuses one that exists', async () => {
    expect(await create(TEMPLATE, ...globex)).toMatchObject({ code: 6 })
    expect(await create(TEMPLATE, '--set', 'name=Home', '--set', 'domain=home.localhost')).toMatchObject({
      code: 7,
    })
  })

  it('says where it stopped and which commands do the rest', async () => {
    const initech = ['--set', 'name=Initech', '--set', 'domain=initech.example']
    const stopped = await create(
      TEMPLATE,
      ...initech,
      ...['--admin', 'bill@initech.example', '--grant-project', 'nothing'],
    )
    expect(stopped.code).toBe(9)
    expect(stopped.err).toMatch(
      /^the organization \S+ was created, and then: .*\n {2}signet project-grant add nothing --set organizationId=\S+\n {2}signet granted-project accept \S+ nothing\n {2}signet user invite \S+\n$/,
    )
    const [, invite = ''] = /(user invite \S+)/.exec(stopped.err) ?? []
    expect(await fixture.signet(...invite.split(' '))).toMatchObject({ code: 0 })
    await expect.poll(() => mails).toEqual(['bill@initech.example'])
  })

  it.each([
    [
      TEMPLATE,
      ['--set', 'name=A'],
      2,
      'the template has placeholders without a value: give --set domain=…\n',
    ],
    [TEMPLATE, [...globex, '--set', 'more=1'], 2, 'the template has no placeholder {{more}}\n'],
    [TEMPLATE, [...globex, '--admin', 'erin'], 2, '--admin erin: is no e-mail address\n'],
    [
      'security: {}',
      [],
      7,
      '-: must hold one organization under organizations, and no settings of the instance: security\n',
    ],
  ])('refuses %j with %j', async (template, args, code, err) => {
    expect(await create(template, ...args)).toEqual({ code, out: '', err })
  })
})
