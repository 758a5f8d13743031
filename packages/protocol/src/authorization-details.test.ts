import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AuthorizationDetail, isWithin, narrowDetails } from './authorization-details.ts'

const LISTS = ['locations', 'actions', 'datatypes', 'privileges'] as const
const word = fc.constantFrom('a', 'b', 'c', 'd')
const value = fc.oneof(word, fc.integer({ min: 0, max: 3 }), fc.boolean(), fc.constant(null))
const inner = fc.oneof(value, fc.array(value, { maxLength: 3 }), fc.dictionary(word, value, { maxKeys: 2 }))
const list = fc.uniqueArray(word, { minLength: 1, maxLength: 4 })

/** A detail of one of a few types, with lists that may be shortened and members that may not. */
const detail: fc.Arbitrary<AuthorizationDetail> = fc
  .record({
    type: fc.constantFrom('payment', 'folder'),
    lists: fc.dictionary(fc.constantFrom(...LISTS), list, { maxKeys: 4 }),
    members: fc.dictionary(fc.constantFrom('amount', 'limits', 'excluded'), inner, { maxKeys: 3 }),
  })
  .map(({ type, lists, members }) => ({ ...members, ...lists, type }))

const isList = (name: string) => LISTS.some((known) => known === name)

/** A detail within another one: elements of its lists are taken away, and its members come in another order. */
const within = (granted: AuthorizationDetail): fc.Arbitrary<AuthorizationDetail> =>
  fc
    .tuple(
      ...Object.entries(granted).map(([name, held]) =>
        (isList(name) ? fc.subarray(held as string[], { minLength: 1 }) : fc.constant(held)).map(
          (kept) => [name, kept] as const,
        ),
      ),
    )
    .map((members) => Object.fromEntries(members.reverse()) as AuthorizationDetail)

/** A change that allows more, or something else. */
const beyond = (granted: AuthorizationDetail): fc.Arbitrary<AuthorizationDetail> => {
  const names = Object.keys(granted)
  const others = names.filter((name) => !isList(name))
  const lists = names.filter(isList)
  const changes: fc.Arbitrary<AuthorizationDetail>[] = [
    fc.constant({ ...granted, added: 'x' }),
    fc.constantFrom(...others).map((name) => ({ ...granted, [name]: ['other', granted[name]] })),
  ]
  const removable = names.filter((name) => name !== 'type')
  if (removable.length > 0)
    changes.push(
      fc.constantFrom(...removable).map((name) => {
        const { [name]: _, ...rest } = granted
        return rest as AuthorizationDetail
      }),
    )
  if (lists.length > 0)
    changes.push(
      fc
        .constantFrom(...lists)
        .map((name) => ({ ...granted, [name]: [...(granted[name] as string[]), 'e'] })),
      fc.constantFrom(...lists).map((name) => ({ ...granted, [name]: [] })),
    )
  return fc.oneof(...changes)
}

const grantedOf = (details: readonly AuthorizationDetail[]) =>
  details.map((one, at) => ({ projectId: `${one.type} ${at}`, detail: one }))

describe('isWithin', () => {
  it('holds for each detail that has fewer elements of the lists of RFC 9396 section 2.2', () => {
    fc.assert(
      fc.property(
        detail.chain((granted) => fc.tuple(fc.constant(granted), within(granted))),
        ([granted, asked]) => isWithin(asked, granted),
      ),
    )
  })

  it('holds for none with another member, another value, or one member less', () => {
    fc.assert(
      fc.property(
        detail.chain((granted) => fc.tuple(fc.constant(granted), beyond(granted))),
        ([granted, asked]) => !isWithin(asked, granted),
      ),
    )
  })

  it('is an order: of two details that are within each other, each has what the other has', () => {
    const chain = detail.chain((granted) =>
      within(granted).chain((less) => fc.tuple(fc.constant(granted), fc.constant(less), within(less))),
    )
    fc.assert(
      fc.property(chain, ([granted, less, least]) => {
        expect(isWithin(least, granted)).toBe(true)
        if (!isWithin(granted, less)) return
        const sorted = (one: AuthorizationDetail) =>
          Object.fromEntries(
            Object.entries(one).map(([name, held]) => [name, isList(name) ? [...(held as [])].sort() : held]),
          )
        expect(sorted(less)).toEqual(sorted(granted))
      }),
    )
  })
})

describe('narrowDetails', () => {
  it('finds a granted detail for each asked one in any order, and each only once', () => {
    const requests = fc
      .array(detail, { minLength: 1, maxLength: 6 })
      .chain((granted) =>
        fc
          .shuffledSubarray(granted, { minLength: 1 })
          .chain((some) => fc.tuple(fc.constant(granted), fc.tuple(...some.map(within)))),
      )
    fc.assert(
      fc.property(requests, ([granted, asked]) => {
        const held = grantedOf(granted)
        const narrowed = narrowDetails(held, asked)
        expect(narrowed.map((one) => one.detail)).toEqual(asked)
        const projects = narrowed.map(({ projectId }) => projectId)
        expect(new Set(projects).size).toBe(asked.length)
        for (const [at, projectId] of projects.entries()) {
          const source = held.find((one) => one.projectId === projectId)
          expect(isWithin(asked[at] as AuthorizationDetail, source?.detail as AuthorizationDetail)).toBe(true)
        }
      }),
    )
  })

  it('gives a granted detail to a later one where the earlier has another', () => {
    const [wide, narrow] = [
      { type: 'folder', actions: ['a', 'b'] },
      { type: 'folder', actions: ['a'] },
    ]
    const narrowed = narrowDetails(grantedOf([wide, narrow]), [narrow, wide])
    expect(narrowed.map(({ projectId }) => projectId)).toEqual(['folder 1', 'folder 0'])
  })

  it('refuses more details than were granted, and names the first that goes further', () => {
    fc.assert(
      fc.property(detail, (one) => {
        expect(() => narrowDetails(grantedOf([one]), [one, one])).toThrow(/authorization_details\[1\]/)
        expect(() => narrowDetails([], [one])).toThrow(/authorization_details\[0\]/)
      }),
    )
  })
})
