import { describe, expect, it } from 'vitest'
import { SourceError } from './conversion.ts'
import { readSignInList } from './sign-in-list.ts'

const SECRET = 'secret-word'

describe('readSignInList', () => {
  it.each([
    ['CSV', 'ann,one\nben@x.example,"two, ""quoted""",123456\n'],
    [
      'CSV with a title and other line ends',
      '\uFEFFlogin name,password,otp\r\n\r\nann,one\r\nben@x.example,"two, ""quoted""",123456',
    ],
    [
      'NDJSON',
      '{"loginName":"ann","password":"one"}\n\n{"login_name":"ben@x.example","password":"two, \\"quoted\\"","otp":"123456"}',
    ],
  ])('reads %s', (_, text) => {
    expect(readSignInList(text).map(({ line, ...rest }) => rest)).toEqual([
      { loginName: 'ann', password: 'one' },
      { loginName: 'ben@x.example', password: 'two, "quoted"', otp: '123456' },
    ])
  })

  it('keeps spaces of passwords, and the lines', () => {
    expect(readSignInList('ann, one \nben,')).toEqual([
      { line: 1, loginName: 'ann', password: ' one ' },
      { line: 2, loginName: 'ben', password: '' },
    ])
  })

  it.each([
    ['no sign-in', '\n', 'no sign-ins'],
    ['a password without a login name', `a,b\n,${SECRET}`, 'line 2: must have a login name'],
    ['a login name alone', SECRET, 'line 1: must have a login name'],
    ['a fourth column', `ann,one,123456,${SECRET}`, 'line 1: must have two or three columns'],
    ['open quotes', `ann,one\nben,"${SECRET}`, 'line 2: must be CSV'],
    [
      'broken JSON',
      `{"loginName":"ann","password":"one"}\n{"loginName":"${SECRET}`,
      'line 2: must be a JSON',
    ],
    ['another member', `{"loginName":"ann","password":"${SECRET}","x":1}`, 'line 1: must have'],
    ['a JSON value that is no object', `{"loginName":"a","password":"b"}\n"${SECRET}"`, 'line 2: must have'],
  ])('refuses %s and repeats no value', (_, text, message) => {
    const read = () => readSignInList(text)
    expect(read).toThrow(SourceError)
    expect(read).toThrow(message)
    expect(read).not.toThrow(SECRET)
  })
})
