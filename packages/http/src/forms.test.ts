import { InvalidRequestError } from '@signet/protocol/errors'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseParameters } from './forms.ts'

const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'))

describe('form parameters', () => {
  it('reads the output of URLSearchParams (WHATWG URL section 5.1)', () => {
    const forms = fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name })
    fc.assert(
      fc.property(forms, (pairs) => {
        const filled = pairs.filter(([, value]) => value !== '')
        expect(Object.entries(parseParameters(new URLSearchParams(pairs).toString())).sort()).toEqual(
          filled.sort(),
        )
      }),
    )
  })

  it('any text is read or refused as invalid_request', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...'a=&%+0f;') })),
        (value) => {
          try {
            for (const parameter of Object.values(parseParameters(value))) expect(parameter).not.toBe('')
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidRequestError)
          }
        },
      ),
    )
  })

  it('RFC 6749 section 3.1: a repeated parameter is refused, also when empty', () => {
    for (const form of [
      'scope=a&scope=b',
      'scope=&scope=b',
      'scope=a&scope=',
      'scope&scope',
      'scope=a&s%63ope=b',
    ]) {
      expect(() => parseParameters(form)).toThrow('the parameter scope is given more than once')
    }
  })

  it('does not repeat a name that is no name', () => {
    const name = encodeURIComponent('call +49 555 now')
    expect(() => parseParameters(`${name}=1&${name}=2`)).toThrow('a parameter is given more than once')
  })

  it('RFC 6749 section 3.1: a parameter without a value is as good as omitted', () => {
    expect(Object.entries(parseParameters('a=&b&c=1&&=2'))).toEqual([
      ['c', '1'],
      ['', '2'],
    ])
  })

  it('refuses broken percent-encoding, bytes that are not UTF-8, and zero characters', () => {
    for (const form of [
      'a=%',
      'a=%2',
      'a=%zz',
      '%=a',
      'a=%ff',
      'a=%c0%80',
      'a=%ed%a0%80',
      'a=%00',
      'a%00=b',
    ]) {
      expect(() => parseParameters(form)).toThrow(InvalidRequestError)
    }
  })

  it('a name that every object has is a name like any other', () => {
    const parameters = parseParameters('__proto__=1&constructor=2&toString=3')
    expect(Object.entries(parameters)).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
      ['toString', '3'],
    ])
    expect(parseParameters('a=1').hasOwnProperty).toBeUndefined()
  })
})
