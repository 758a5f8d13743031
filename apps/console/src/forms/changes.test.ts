import { expect, it } from 'vitest'
import type { Schema } from '../api/description.ts'
import { changed } from './changes.ts'

const text = { type: 'string' } as const
const schema: Schema = {
  properties: {
    name: text,
    group: { anyOf: [text, { type: 'null' }] },
    claims: { type: 'object', additionalProperties: text },
    mapping: { type: 'object', properties: { email: text, phone: text } },
    profile: { type: 'object', properties: { nickName: { type: ['string', 'null'] }, title: text } },
  },
}
const stored = {
  ...{ name: 'A', group: 'g', claims: { hd: 'a', tid: 'b' }, mapping: { email: 'mail', phone: 'tel' } },
  profile: { nickName: 'N', title: 'T' },
}
const differing = (body: object) => changed({ ...stored, ...body }, stored, schema, ['mapping'])

it('sends what differs, member by member', () => {
  expect(differing({})).toEqual({})
  expect(differing({ name: 'B', profile: { nickName: 'N', title: 'U' } })).toEqual({
    name: 'B',
    profile: { title: 'U' },
  })
})

it('sends an object whole that the API replaces', () => {
  expect(differing({ claims: { hd: 'c', tid: 'b' } })).toEqual({ claims: { hd: 'c', tid: 'b' } })
  expect(differing({ claims: { hd: 'a' } })).toEqual({ claims: { hd: 'a' } })
  expect(differing({ mapping: { email: 'mail' } })).toEqual({ mapping: { email: 'mail' } })
  expect(differing({ claims: undefined, mapping: undefined })).toEqual({ claims: {}, mapping: {} })
})

it('sends null for a field that was emptied, where the API takes it', () => {
  expect(differing({ group: undefined, profile: { title: 'T' } })).toEqual({
    group: null,
    profile: { nickName: null },
  })
  expect(differing({ name: undefined })).toEqual({})
})
