import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CommandFixture, startCommandFixture } from './command-fixture.ts'

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
    [['--organization', 'imported'], 'say who is invited: --without-credentials\n'],
    [['--without-credentials'], 'give --organization ID\n'],
    [[...INVITE.slice(1), '--rate', '0'], '--rate: must be a whole number from 1 to 50\n'],
    [[...INVITE.slice(1), '--again-after', '31'], '--again-after: must be a whole number from 1 to 30\n'],
  ])('refuses %j', async (args, err) => {
    expect(await fixture.signet('invite', ...args)).toEqual({ code: 2, out: '', err })
  })
})
