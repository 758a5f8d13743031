// Messages that another implementation signed: signxml 4 over libxml2, with namespaces, escapes and attributes of every kind.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parseResponse, verifyResponse } from '../src/saml/response.ts'

const recorded = JSON.parse(
  readFileSync(new URL('./fixtures/signxml-responses.json', import.meta.url), 'utf8'),
) as Readonly<Record<'certificate' | 'inclusive' | 'plain', string>>
const { publicKey } = new X509Certificate(Buffer.from(recorded.certificate, 'base64'))
const demand = { keys: [publicKey], both: false, encryption: 'none', ownKeys: [] }

it.each(['plain', 'inclusive'] as const)('reads the assertion that signxml signed: %s', (name) => {
  const { assertion } = verifyResponse(parseResponse(recorded[name]), demand)
  expect(assertion.textContent).toContain('Alé 😀 A&B > "x"')
  expect(assertion.getElementsByTagName('Attribute')[0]?.getAttribute('z')).toBe('tab\t"quote" <\nend')
})

it.each([
  ['the value of an attribute', '&quot;quote&quot;', '&quot;quota&quot;'],
  ['a character', '&#128512;', '&#128513;'],
  ['a namespace that is used', 'xmlns:a="urn:a"', 'xmlns:a="urn:aa"'],
  ['white space', '</NameID>', ' </NameID>'],
  ['a listed prefix', 'xmlns:unused="urn:unused"', 'xmlns:unused="urn:other"'],
])('refuses it with another value: %s', (_, from, to) => {
  const changed = recorded.inclusive.replace(from, () => to)
  expect(changed).not.toBe(recorded.inclusive)
  expect(() => verifyResponse(parseResponse(changed), demand)).toThrow(
    expect.objectContaining({ rule: 'signature_invalid' }),
  )
})

it('takes it where a namespace that nothing signed changes', () => {
  const changed = recorded.plain.replace('xmlns:unused="urn:unused"', 'xmlns:unused="urn:other"')
  expect(() => verifyResponse(parseResponse(changed), demand)).not.toThrow()
})
