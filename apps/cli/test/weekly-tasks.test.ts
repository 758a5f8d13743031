import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandFixture, startCommandFixture, typed } from './command-fixture.ts'

// The weekly tasks of an administrator, by an ORG_OWNER of an organization whose id was generated: two commands at most. The
// commands name people, projects and applications; none is given an id.

let fixture: CommandFixture
beforeAll(async () => {
  fixture = await startCommandFixture({ mailbox: () => undefined })
  for (const line of [
    'organization create --set name=Acme --set primaryDomain=acme.example',
    'service-user create --organization acme.example --set id=olga --set userName=olga --set name=Olga',
    'organization-member set acme.example olga --set roles=ORG_OWNER',
  ])
    expect((await fixture.signet(...line.split(' '))).code).toBe(0)
  const token = JSON.parse((await fixture.signet('token', 'create', 'olga', '--output', 'json')).out).token
  const login = ['login', '--issuer', fixture.system.issuer, '--token-file', '-']
  expect((await fixture.signetWith({ env: env(), standardInput: typed(token) }, ...login)).code).toBe(0)
  await does(
    'project create --set name=Shop',
    'project-role add Shop --set key=buyer --set displayName=Buyer',
    'project-role add Shop --set key=seller --set displayName=Seller',
    'application create web --project Shop --name Storefront --redirect-uri https://shop.example/cb',
    'invite dora@acme.example --name Dora~Explorer',
  )
})
afterAll(() => fixture?.close())

const env = () => ({ XDG_CONFIG_HOME: fixture.folder })
/** `~` stands for a space within a word. */
const words = (line: string) => line.split(' ').map((word) => word.replaceAll('~', ' '))

async function run(line: string) {
  return fixture.signetWith({ env: env() }, ...words(line))
}

async function does(...lines: string[]): Promise<string> {
  let out = ''
  for (const line of lines) {
    const done = await run(line)
    expect([line, done.code, done.err.includes('give the id')]).toEqual([line, 0, false])
    out += done.out
  }
  return out
}

interface Task {
  readonly task: string
  readonly shows: RegExp
  readonly commands: readonly string[]
}

const ROWS: readonly (readonly [task: string, shows: RegExp, ...commands: string[]])[] = [
  [
    '1 invite a person with a role',
    /1 invited/,
    'invite erin@acme.example --name Erin~Example --role Shop:buyer',
  ],
  ['2 find a person by a part of the name', /dora/, 'user list --search dor'],
  ['3 why a person cannot sign in', /active/, 'user read dora', 'audit list --target dora'],
  ['5 a link to choose a password', /^/, 'user invite dora'],
  ['6 a lost telephone', /passkeys/, 'user reset-factors dora --yes'],
  ['7 unlock', /active/, 'user unlock dora'],
  ['8 a leaver', /inactive/, 'user update dora --set state=inactive', 'user update dora --set state=active'],
  [
    '9 give and take a role',
    /seller/,
    'user-grant add Shop --user dora --set roles=seller',
    'user-grant remove Shop --user dora --set roles=seller',
  ],
  ['9 the roles of a person', /buyer +-? *user_grant|buyer/, 'user roles erin'],
  ['10 who has access to an application', /erin[\s\S]*admits +everyone/, 'application access Storefront'],
  [
    '11 what a token would contain',
    /idToken\.sub/,
    'token preview --user erin --application Storefront --scope openid~groups',
  ],
  [
    '12 add an application',
    /clientSecret/,
    'application create web --project Shop --name Second --redirect-uri https://two.example/cb',
  ],
  [
    '13 change a redirect URI',
    /other/,
    'application update Storefront --set redirectUris+=https://shop.example/other',
  ],
  ['14 rotate a secret', /clientSecret/, 'application rotate-secret Storefront'],
  ['15 force a second factor', /forceMfa +true/, 'login-policy update --set forceMfa=true'],
  ['16 who has no second factor', /erin/, 'user list --has-second-factor false'],
  ['17 the colours of a customer', /2563eb/, 'label-policy update --set primaryColor=#2563eb'],
  [
    '20 who changed a setting',
    /login_policy\.update +service_user\/olga/,
    'audit list --action login_policy.update --columns action,actor',
  ],
]
const TASKS: readonly Task[] = ROWS.map(([task, shows, ...commands]) => ({ task, shows, commands }))

describe('a weekly task', () => {
  it.each(TASKS)('$task takes at most two commands', async ({ shows, commands }) => {
    expect(commands.length).toBeLessThanOrEqual(2)
    expect(await does(...commands)).toMatch(shows)
  })

  it('4 why an application refuses a person takes one command', async () => {
    await does('project update Shop --set projectRoleCheck=true')
    const why = await run('why --user dora --application Storefront')
    expect(why).toMatchObject({
      code: 12,
      out: expect.stringContaining('FAILS   admission: projectRoleCheck'),
    })
  })

  it('19 importing a list of people takes one command, invitations included', async () => {
    const file = join(fixture.folder, 'addresses.txt')
    await writeFile(file, 'ann@acme.example\nBen Example <ben@acme.example>\n')
    const invited = await fixture.signetWith({ env: env() }, 'invite', '--from', file, '--role', 'Shop:buyer')
    expect(invited).toMatchObject({ code: 0, out: expect.stringMatching(/^2 invited/) })
  })

  it('18 a new organization with its administrator takes one command of an IAM_OWNER', async () => {
    const template = typed("organizations: [{ name: '{{name}}', primaryDomain: '{{domain}}' }]")
    const line = 'customer create - --set name=Globex --set domain=globex.example --admin amy@globex.example'
    const made = await fixture.signetWith({ standardInput: template }, ...words(line))
    expect(made).toMatchObject({ code: 0, out: expect.stringContaining('is ready') })
  })
})
