import { expect, it } from 'vitest'
import { canonicalName, readDistinguishedName } from './distinguished-name.ts'

const canonical = (text: string) => {
  const name = readDistinguishedName(text)
  return name && canonicalName(name)
}

it.each([
  ['types in any case and as OIDs', 'CN=a,o=b', '2.5.4.3=a,2.5.4.10=b'],
  ['blanks behind a comma', 'CN=a, O=b', 'CN=a,O=b'],
  ['escapes of characters and of bytes', String.raw`CN=a\,b\C3\A9`, String.raw`CN=a\2Cb\c3\a9`],
  ['letters and their bytes', 'CN=Lučić', String.raw`CN=Lu\C4\8Di\C4\87`],
  ['the DER of a string and its text', 'CN=#0c0161', 'CN=a'],
  ['the attributes of one relative name in any order', 'CN=a+OU=b,C=DE', 'OU=b+CN=a,C=DE'],
])('reads as one name: %s [RFC 4514 section 3]', (_, one, other) => {
  expect(canonical(one)).toBeDefined()
  expect(canonical(one)).toBe(canonical(other))
})

it.each([
  ['CN=a', 'CN=A'],
  ['CN=a,O=b', 'O=b,CN=a'],
  ['CN=a+O=b', 'CN=a,O=b'],
  ['CN=a', 'CN=a,CN=a'],
  ['CN=a', 'OU=a'],
  [String.raw`CN=a\,O=b`, 'CN=a,O=b'],
  [String.raw`CN=a\+2.5.4.10=b`, 'CN=a+O=b'],
])('keeps %s and %s apart', (one, other) => {
  expect(canonical(one)).toBeDefined()
  expect(canonical(one)).not.toBe(canonical(other))
})

it.each([
  ...['', 'CN', '=a', 'CN=', 'CN=a,', 'CN=a,,O=b', 'CN=a+', 'FOO=a', '/CN=a', 'CN = a', 'C=DE, O = b'],
  ...[
    'CN=a;O=b',
    'CN="a"',
    'CN=a<b',
    'CN=a ',
    'CN= a',
    'CN=a\\',
    String.raw`CN=\FF`,
    'CN=a\0',
    'CN=#0',
    'CN=#0c05',
  ],
])('refuses %j', (text) => {
  expect(readDistinguishedName(text)).toBeUndefined()
})
