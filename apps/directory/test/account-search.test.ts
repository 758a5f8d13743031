import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AccountStore } from '../src/accounts/account.repository.ts'
import type { SeenObjects } from '../src/permissions/seen-objects.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

const DISPLAY_NAMES = [
  `O'Hara "the" Swift`,
  String.raw`back\slash & \\two`,
  `a:* | b & !c <-> (d)`,
  `''`,
  `x`,
  `日本 太郎`,
  `Grünhart Ünal`,
  `Ana Banana`,
  `%_ percent`,
  `👩‍💻 emoji 👩`,
  `aaa aaaa`,
]
const people = DISPLAY_NAMES.map((displayName, at) => ({
  id: `person-${(at * 7) % DISPLAY_NAMES.length}`.padEnd(10, '-'),
  organizationId: at % 2 === 0 ? 'even' : 'odd',
  userName: at % 3 === 0 ? `ana.${at}` : `user-${at}`,
  displayName,
  address: at % 4 === 0 ? undefined : `${at % 3 === 0 ? `ana.${at}` : `banana${at}`}@mail.example`,
}))

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  await management.directory.apply({
    organizations: ['even', 'odd'].map((id) => ({
      id,
      name: id,
      primaryDomain: `${id}.localhost`,
      users: people
        .filter(({ organizationId }) => organizationId === id)
        .map(({ id: userId, userName, displayName, address }) => ({
          id: userId,
          userName,
          profile: { givenName: 'G', familyName: 'F', displayName },
          ...(address !== undefined && { email: { address, verified: false } }),
        })),
    })),
  })
})
afterAll(() => management?.stop())

/** A page of a search that finds nothing among the users that it looks at, so that only the index of fragments can. */
const byFragments = (
  filter: { readonly search: string; readonly organizationId?: string },
  { limit = 100, seen }: { readonly limit?: number; readonly seen?: SeenObjects } = {},
) =>
  management.directory.owner.transaction(async (tx) => {
    await tx.query({ name: '', text: 'SET LOCAL enable_seqscan = off' })
    const store = new AccountStore(tx, { lookedAtFirst: 1, candidates: 1_000, lookedAt: 1 })
    const { items, nextCursor } = await store.list(filter, { limit, cursor: 'person' }, seen)
    return { ids: items.map(({ id }) => id), nextCursor }
  })

const expected = (text: string, organizationIds: readonly string[] = ['even', 'odd']) =>
  people
    .filter((person) => organizationIds.includes(person.organizationId))
    .filter(({ userName, displayName, address = '' }) =>
      [userName, displayName.toLowerCase(), address].some((each) => each.includes(text.toLowerCase())),
    )
    .map(({ id }) => id)
    .toSorted()

/** Every part of a text of a number of characters, without those that begin or end with a space, which a search cuts. */
const partsOf = (text: string, length: number) => {
  const characters = [...text]
  return characters
    .slice(0, Math.max(characters.length - length + 1, 0))
    .map((_, at) => characters.slice(at, at + length).join(''))
    .filter((part) => part === part.trim())
}

describe('the index of fragments', () => {
  it.each([1, 2, 3, 4, 7, 13, 15])(
    'finds everyone with a part of %s characters, in the order of ids',
    async (length) => {
      const texts = people.flatMap(({ userName, displayName, address = '' }) => [
        userName,
        displayName,
        address,
      ])
      const parts = [...new Set(texts.flatMap((text) => partsOf(text, length)))]
      expect(parts.length).toBeGreaterThan(10)
      for (const part of parts) {
        expect(await byFragments({ search: part.toUpperCase() }), part).toEqual({
          ids: expected(part),
          nextCursor: undefined,
        })
      }
    },
  )

  it('leaves out users who have all fragments of a text and not the text', async () => {
    expect(await byFragments({ search: 'anananab' })).toMatchObject({ ids: [] })
    expect(await byFragments({ search: 'banana banan' })).toMatchObject({ ids: [] })
    // Of two columns.
    expect(await byFragments({ search: 'bananamail' })).toMatchObject({ ids: [] })
  })

  it('finds users of the organizations that are asked for or seen', async () => {
    for (const organizationId of ['even', 'odd'])
      expect(await byFragments({ search: 'ana', organizationId })).toMatchObject({
        ids: expected('ana', [organizationId]),
      })
    const seenAs = (...organizationIds: readonly string[]) =>
      byFragments({ search: 'ana' }, { seen: { organizationIds, projectIds: [] } })
    expect((await seenAs('odd')).ids).toEqual(expected('ana', ['odd']))
    expect((await seenAs('odd', 'even', 'third')).ids).toEqual(expected('ana'))
    const many = Array.from({ length: 150 }, (_, at) => `organization-${at}`)
    expect((await seenAs('odd', ...many)).ids).toEqual(expected('ana', ['odd']))
    expect((await seenAs(...many)).ids).toEqual([])
  })

  it('says where the next page begins, and finds users whose texts have just changed', async () => {
    const all = expected('ana')
    const seen = { organizationIds: ['even', 'odd'], projectIds: [] }
    expect(await byFragments({ search: 'ana' }, { limit: 2, seen })).toEqual({
      ids: all.slice(0, 2),
      nextCursor: all[1],
    })
    management.bearers.set('owner', { userId: 'person-0--', organizationId: 'even', roles: ['IAM_OWNER'] })
    const profile = { displayName: 'Zoë Quittenbaum' }
    const { status } = await management.call('PATCH', `/users/${people[4]?.id}`, { profile }, 'owner')
    expect(status).toBe(200)
    expect(await byFragments({ search: 'UITTEN' })).toMatchObject({ ids: [people[4]?.id] })
    expect(await byFragments({ search: 'x' })).toMatchObject({
      ids: expected('x').filter((id) => id !== people[4]?.id),
    })
  })
})
