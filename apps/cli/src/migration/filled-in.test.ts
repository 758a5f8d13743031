import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { filledIn } from './filled-in.ts'

const VARIABLES = new Map([
  ['SECRET', 'a "quoted" \\ secret of Zoë 🐎'],
  ['HOST', 'web.example'],
  ['ORIGINS', '["https://a.example","https://b.example"]'],
])

/** Fills in a text that arrives in chunks of this many bytes. */
async function fill(text: string, chunkBytes = 1_000): Promise<string> {
  async function* chunks() {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  return (await buffer(filledIn(chunks(), VARIABLES))).toString()
}

describe('filledIn', () => {
  it.each([
    '$\x7bSECRET}',
    '$\x7benv.SECRET}',
    '$\x7bSECRET:other}',
    '$(env:SECRET)',
    '$(SECRET)',
    '##SECRET##',
    '{{ SECRET }}',
    '@@SECRET@@',
  ])('writes the value in place of %s, as a part of the JSON', async (place) => {
    expect(JSON.parse(await fill(`{"é":"${place}"}`))).toEqual({ é: VARIABLES.get('SECRET') })
  })

  it.each(['"@@ORIGINS@@"', '@@ORIGINS@@'])('writes a JSON value in place of %s', async (place) => {
    expect(JSON.parse(await fill(`{"origins":${place}}`))).toEqual({
      origins: ['https://a.example', 'https://b.example'],
    })
  })

  it('writes a value with quotes in place of one of YAML without', async () => {
    const text =
      'clients:\n  - name: ##HOST##\n    client_secret: ##SECRET##\n    callbacks:\n      - "https://##HOST##/cb"\n      - ##HOST##\n    origins: @@ORIGINS@@\n'
    expect(parse(await fill(text))).toEqual({
      clients: [
        {
          ...{ name: 'web.example', client_secret: VARIABLES.get('SECRET') },
          callbacks: ['https://web.example/cb', 'web.example'],
          origins: ['https://a.example', 'https://b.example'],
        },
      ],
    })
  })

  it('writes a value with quotes in place of a tag of Authentik', async () => {
    const text = 'a: !Env SECRET\nb: [!Env HOST, !Env OTHER]\nc: { d: !Env HOST }\ne: "!Env HOST is kept"\n'
    expect(parse(await fill(text), { logLevel: 'error' })).toEqual({
      a: VARIABLES.get('SECRET'),
      b: ['web.example', 'OTHER'],
      c: { d: 'web.example' },
      e: '!Env HOST is kept',
    })
  })

  it('fills in a part of a text, and leaves other names and what is no placeholder', async () => {
    const text =
      '{"a":"https://$\x7bHOST}/$\x7bOTHER}","b":"##HOST## #HOST# @HOST @@host@@ {{.HOST}}","c":"$\x7brole_x}"}'
    expect(JSON.parse(await fill(text))).toEqual({
      a: 'https://web.example/$\x7bOTHER}',
      b: 'web.example #HOST# @HOST @@host@@ {{.HOST}}',
      c: '$\x7brole_x}',
    })
  })

  it('writes the same from chunks of any size', async () => {
    const text = `{"é":"${'x'.repeat(700)}$\x7bSECRET}${'ü'.repeat(300)}@@SECRET@@","o":"@@ORIGINS@@","p":"##HOST##"}`
    const whole = await fill(text, 10_000)
    expect(JSON.parse(whole)).toMatchObject({
      p: 'web.example',
      o: ['https://a.example', 'https://b.example'],
    })
    for (const chunkBytes of [1, 2, 3, 7, 64, 511, 512, 513]) expect(await fill(text, chunkBytes)).toBe(whole)
  })
})
