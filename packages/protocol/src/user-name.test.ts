import { describe, expect, it } from 'vitest'
import { preparedUserName, userNameKey, userNameProblem } from './user-name.ts'

const INVISIBLE = 'must have no invisible characters'
const CHARACTERS = 'must have letters, digits, ASCII punctuation and single spaces only'
const MIXED = 'must not mix the letters of several scripts'

const problemOf = (text: string) => userNameProblem(preparedUserName(text))

describe('userNameProblem', () => {
  it.each([
    'alice',
    ' alice ',
    "o'brien",
    'jo doe',
    'jürgen',
    'ｃarol.smith',
    'иван',
    'иван@example.com',
    'иван@почта.рф',
    'יעל',
    '山田たろう',
    'yamada太郎',
    'राम123',
    'a'.repeat(200),
    'alice@acme.example',
  ])('accepts %s', (name) => {
    expect(problemOf(name)).toBeUndefined()
  })

  it.each([
    ['', 'must not be empty'],
    ['   ', 'must not be empty'],
    ['a'.repeat(201), 'may have at most 200 characters'],
    ['alice\u200b', INVISIBLE],
    ['al\u00adice', INVISIBLE],
    ['\u202ealice', INVISIBLE],
    ['al\ufe0fice', INVISIBLE],
    ['al\u200dice', INVISIBLE],
    ['a\u3164', INVISIBLE],
    ['a\nb', CHARACTERS],
    ['a\tb', CHARACTERS],
    ['a\u0000b', CHARACTERS],
    ['a\u0085b', CHARACTERS],
    ['jo  doe', CHARACTERS],
    ['jo\u00a0doe', CHARACTERS],
    ['ﬁnn', CHARACTERS],
    ['𝐚lice', CHARACTERS],
    ['alice😀', CHARACTERS],
    ['аlice', MIXED],
    ['αlice', MIXED],
    ['alice@аcme.example', MIXED],
  ])('refuses %j', (name, rule) => {
    expect(problemOf(name)).toBe(rule)
  })
})

describe('userNameKey', () => {
  it.each([
    ['straße', 'STRASSE', 'strasse', 'STRAẞE'],
    ['ｃarol.smith', 'Carol.Smith'],
    ['e\u0301mile', 'Émile'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος', 'σίσυφοσ'],
    ['bob@acme.localhost', 'BOB@ACME.localhost.', 'bob@acme。localhost'],
    ['x@bücher.example', 'x@xn--bcher-kva.example'],
  ])('is one for %s and its other spellings', (name, ...spellings) => {
    for (const spelling of spellings) expect(userNameKey(spelling)).toBe(userNameKey(name))
  })

  it.each([
    ['alice', 'alíce'],
    ['ısmail', 'ismail'],
    ['alice', 'аlice'],
    ['bob@acme.example', 'bob@acme.test'],
  ])('tells %s and %s apart', (one, other) => {
    expect(userNameKey(one)).not.toBe(userNameKey(other))
  })

  it('is the key of itself', () => {
    for (const name of ['Straße', 'ΣΊΣΥΦΟΣ', 'ｃarol', 'İ', 'ŉ', 'ᾳ']) {
      expect(userNameKey(userNameKey(name))).toBe(userNameKey(name))
    }
  })
})
