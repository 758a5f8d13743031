import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CommandFixture, startCommandFixture, typed } from './command-fixture.ts'

const mails: string[] = []
let fixture: CommandFixture
beforeAll(async () => {
  fixture = await startCommandFixture({ mailbox: ({ to }) => void mails.push(to) })
  const person = (name: string, more: object = {}) => ({
    user: {
      userId: name,
      userName: name,
      profile: { firstName: 'G', lastName: name },
      email: { email: `${name}@imported.example`, isEmailVerified: true },
      ...more,
    },
  })
  const humanUsers = [
    ...['ann', 'ben', 'cho', 'dan', 'eva'].map((name) => person(name)),
    person('no-mail', { email: undefined }),
    person('has-password', { password: 'Correct-horse-9' }),
  ].map(({ user: { userId, ...user } }) => ({ userId, user }))
  const file = join(fixture.folder, 'people.json')
  const orgs = [{ orgId: 'imported', org: { name: 'Imported' }, humanUsers }]
  await writeFile(file, JSON.stringify({ orgs }))
  expect(await fixture.signet('import', file)).toMatchObject({ code: 0 })
  const off = await fixture.signet('user', 'update', 'eva', '--set', 'state=inactive')
  expect(off).toMatchObject({ code: 0 })
})
afterAll(() => fixture?.close())
beforeEach(() => void mails.splice(0))

describe('signet invite with addresses', () => {
  const TO = ['--organization', 'staff']
  beforeAll(async () => {
    const create = ['--set', 'name=Staff', '--set', 'primaryDomain=staff.example', '--set', 'id=staff']
    expect(await fixture.signet('organization', 'create', ...create)).toMatchObject({ code: 0 })
    const project = ['--set', 'id=shop', '--set', 'name=Shop', '--set', 'organizationId=staff']
    expect(await fixture.signet('project', 'create', ...project)).toMatchObject({ code: 0 })
    for (const key of ['buyer', 'seller'])
      expect(await fixture.signet('project-role', 'add', 'shop', '--set', `key=${key}`)).toMatchObject({
        code: 0,
      })
  })

  it('creates a person with name and roles, and sends the invitation', async () => {
    const roles = ['--role', 'shop:buyer', '--role', 'shop:seller']
    const made = await fixture.signet(
      'invite',
      'erin@staff.example',
      ...TO,
      '--name',
      'Erin Example',
      ...roles,
    )
    expect(made).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^1 invited, 0 there already, 0 refused/),
    })
    await expect.poll(() => mails).toEqual(['erin@staff.example'])
    const read = JSON.parse(
      (await fixture.signet('user', 'read', 'erin@staff.example', '--output', 'json')).out,
    )
    expect(read).toMatchObject({ userName: 'erin', profile: { displayName: 'Erin Example' } })
    const grants = await fixture.signet('user', 'list-grants', read.id, '--output', 'json')
    expect(JSON.parse(grants.out).items).toMatchObject([{ projectId: 'shop', roles: ['buyer', 'seller'] }])
  })

  it('says so when the person is there already, and sends nothing', async () => {
    expect(await fixture.signet('invite', 'ERIN@staff.example', ...TO)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^0 invited, 1 there already, 0 refused\nthere already .*\n\w+ +erin\n$/),
    })
    expect(mails).toEqual([])
  })

  it('invites a list from standard input, and goes on where a run before ended', async () => {
    const list = 'ann@staff.example\nBen Example <ben@staff.example>\n# later\ncho@staff.example\n'
    const from = ['invite', '--from', '-', ...TO, '--role', 'shop:buyer']
    const input = { standardInput: typed(list) }
    const counted = await fixture.signetWith(input, ...from, '--dry-run')
    expect(counted.out).toMatch(/^nothing was sent; it would be: 3 invited, 0 there/)
    expect((await fixture.signetWith(input, ...from, '--most', '2')).out).toMatch(/^2 invited/)
    const rest = await fixture.signetWith(input, ...from)
    expect(rest.out).toMatch(/^1 invited, 2 there already, 0 refused/)
    await expect
      .poll(() => mails.toSorted())
      .toEqual(['ann', 'ben', 'cho'].map((name) => `${name}@staff.example`))
  })

  it('reports whom the server refuses, and creates nothing for them', async () => {
    const list = 'erin@elsewhere.example\ndan@staff.example\n'
    const input = { standardInput: typed(list) }
    expect(await fixture.signetWith(input, 'invite', '--from', '-', ...TO)).toMatchObject({
      code: 9,
      out: expect.stringMatching(
        /^1 invited, 0 there already, 1 refused[\s\S]*refused:\nerin@elsewhere\.example +userName/,
      ),
    })
    await expect.poll(() => mails).toEqual(['dan@staff.example'])
    const refused = await fixture.signet('invite', 'eva@staff.example', ...TO, '--role', 'shop:nothing')
    expect(refused).toMatchObject({ code: 9, out: expect.stringContaining('must be the key of a role') })
    expect(await fixture.signet('user', 'read', 'eva@staff.example')).toMatchObject({ code: 5 })
  })

  it.each([
    [
      ['nobody', ...TO],
      '"nobody" is no e-mail address; signet user invite ID sends a person who is there a link\n',
    ],
    [['a@b.example', ...TO, '--role', 'shop'], '--role shop: write PROJECT:ROLE, such as shop:buyer\n'],
    [
      ['a@b.example', '--without-credentials', ...TO],
      'say who is invited: an address, --from FILE or --without-credentials\n',
    ],
    [['--from', '-', '--name', 'A', ...TO], '--name and --user-name are for one address\n'],
  ])('refuses %j', async (args, err) => {
    expect(await fixture.signet('invite', ...args)).toEqual({ code: 2, out: '', err })
  })
})

const INVITE = ['invite', '--without-credentials', '--organization', 'imported']

describe('signet invite', () => {
  it('counts in a dry run, and sends nothing', async () => {
    expect(await fixture.signet(...INVITE, '--dry-run')).toEqual({
      code: 0,
      out: 'nothing was sent; it would be: 4 sent, 1 without an e-mail address, 0 refused\nwithout an e-mail address:\nno-mail  no-mail\n',
      err: '',
    })
    expect(mails).toEqual([])
  })

  it('goes on in a second run with those whom the first did not reach, no faster than the rate', async () => {
    // The command's clock alone: it runs while the command waits and while the server answers.
    let time = Date.now()
    const calls: number[] = []
    const clocked = {
      now() {
        time += 3
        return new Date(time)
      },
      async pause(ms: number) {
        time += ms
      },
      fetch: (async (input, init) => {
        if (init?.method === 'POST') calls.push(time)
        return fetch(input, init)
      }) as typeof fetch,
    }
    expect(await fixture.signetWith(clocked, ...INVITE, '--rate', '2', '--most', '3')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^3 sent, /),
    })
    expect(calls).toHaveLength(3)
    for (const [at, call] of calls.slice(1).entries())
      expect(call - (calls[at] ?? 0)).toBeGreaterThanOrEqual(500)
    expect(await fixture.signet(...INVITE, '--output', 'json')).toMatchObject({ code: 0 })
    await expect
      .poll(() => mails.toSorted())
      .toEqual(['ann', 'ben', 'cho', 'dan'].map((name) => `${name}@imported.example`))
    expect(await fixture.signet(...INVITE)).toMatchObject({
      out: expect.stringMatching(/^0 sent, 1 without/),
    })
  })

  it('ends at the refusal that holds for the whole organization, and names the rule', async () => {
    const forbid = ['login-policy', 'update', 'imported', '--set', 'allowUsernamePassword=false']
    expect(await fixture.signet(...forbid)).toMatchObject({ code: 0 })
    const later = { now: () => new Date(Date.now() + 8 * 86_400_000) }
    expect(await fixture.signetWith(later, ...INVITE)).toMatchObject({
      code: 7,
      out: expect.stringMatching(/^0 sent, \d without an e-mail address, 0 refused/),
      err: expect.stringContaining('allowUsernamePassword'),
    })
    expect(mails).toEqual([])
  })

  it.each([
    [
      ['--organization', 'imported'],
      'say who is invited: an address, --from FILE or --without-credentials\n',
    ],
    [['--without-credentials'], 'give --organization NAME\n'],
    [[...INVITE.slice(1), '--rate', '0'], '--rate: must be a whole number from 1 to 50\n'],
    [[...INVITE.slice(1), '--again-after', '31'], '--again-after: must be a whole number from 1 to 30\n'],
  ])('refuses %j', async (args, err) => {
    expect(await fixture.signet('invite', ...args)).toEqual({ code: 2, out: '', err })
  })
})
