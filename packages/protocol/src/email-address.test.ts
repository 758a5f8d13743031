import { describe, expect, it } from 'vitest'
import { emailAddressKey, emailAddressProblem } from './email-address.ts'

const RULE = 'must be one e-mail address such as id@acme.example'

describe('emailAddressProblem', () => {
  it.each([
    'id@acme.example',
    "o'brien+tag@acme.example",
    'Mixed.Case@Example.COM',
    'x@localhost',
    'jürgen@bücher.example',
    `${'a'.repeat(64)}@acme.example`,
  ])('accepts %s', (address) => {
    expect(emailAddressProblem(address)).toBeUndefined()
  })

  it.each([
    '',
    'id',
    '@acme.example',
    'id@',
    '<me6@example.com>',
    'Me <me@example.com>',
    'a@example..com',
    'victim@example.com,me',
    'x,me@example.com',
    'a@example.com.',
    'x@.corp.example',
    'x@corp_.example',
    'x@-corp.example',
    `x@${'a'.repeat(64)}.example`,
    'a..b@example.com',
    '.a@example.com',
    'a.@example.com',
    '"a b"@example.com',
    'a b@example.com',
    'a@b@example.com',
    'a\u200b@example.com',
    '\u202ea@example.com',
    'a\n@example.com',
    'a\u0000@example.com',
    'a@exam\u00adple.com\n',
    'a@[127.0.0.1]',
    'a@foo%41.de',
    'a@b/c',
  ])('refuses %j', (address) => {
    expect(emailAddressProblem(address)).toBe(RULE)
  })

  it('bounds both parts [RFC 5321 section 4.5.3.1]', () => {
    expect(emailAddressProblem(`${'a'.repeat(65)}@acme.example`)).toBe(
      'may have at most 64 bytes before the @',
    )
    expect(emailAddressProblem(`a@${'b.'.repeat(128)}example`)).toBe('may have at most 255 bytes after the @')
  })
})

describe('emailAddressKey', () => {
  it('is one for the cases of an address and the forms of its domain', () => {
    expect(emailAddressKey('Mixed.Case+tag@Example.COM')).toBe('mixed.case+tag@example.com')
    expect(emailAddressKey('x@bücher.example.')).toBe('x@xn--bcher-kva.example')
  })

  it('keeps what no case folding may join', () => {
    expect(emailAddressKey('straße@acme.example')).not.toBe(emailAddressKey('strasse@acme.example'))
  })
})
