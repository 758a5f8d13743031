import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DocumentReader, type DocumentSummary } from './document-reader.ts'
import { type DocumentSink, problemsOf } from './document-sink.ts'
import { problemText } from './record-check.ts'

interface Read {
  readonly summary: DocumentSummary
  readonly seen: readonly unknown[]
  readonly problems: readonly string[]
  readonly dropped: readonly string[]
}

function read(chunks: Iterable<Buffer>): Read {
  const seen: unknown[] = []
  const problems: string[] = []
  const dropped: string[] = []
  const sink: DocumentSink = {
    record: (...record) => seen.push(record),
    organization: (...organization) => seen.push(organization),
    invalid: (record) => problems.push(...problemsOf(record).map(problemText)),
    dropped: (name) => dropped.push(name),
  }
  const reader = new DocumentReader(sink)
  for (const chunk of chunks) reader.write(chunk)
  return { summary: reader.end(), seen, problems, dropped }
}

const readText = (text: string) => read([Buffer.from(text)])
const user = (userId: string, more: object = {}) => ({ userId, user: { userName: userId, ...more } })
const documentOf = (organization: object, more: object = {}) =>
  JSON.stringify({ orgs: [{ orgId: 'acme', org: { name: 'ACME' }, ...organization }], ...more })

describe('export-format 1.4: the document', () => {
  it.each([
    ['{"realm":"acme","users":[]}', 'it is a realm of Keycloak: signet import --from keycloak reads it'],
    [
      '{"timeout":"1h","dataOrgs":{"orgs":[]}}',
      'it is a call of ZITADEL: signet import --from zitadel reads it',
    ],
    ['{"users":[{"localId":"1"}]}', 'docs/coming-from-elsewhere.md names the products whose files are read'],
    ['{}', 'has no member orgs'],
  ])('refuses a document without organizations, and names the product of a known one: %s', (text, rule) => {
    expect(() => readText(text)).toThrow(rule)
  })

  it('reads records and organizations, members in any order and either spelling', () => {
    const { seen, summary } = readText(
      '{"orgs":[{"human_users":[{"user_id":"u","user":{"user_name":"a","hashed_password":null}}],"org":{"name":"A"},"orgId":"o"}]}',
    )
    expect(seen).toEqual([
      [0, 'humanUsers', 0, { userId: 'u', user: { userName: 'a' } }],
      [0, { orgId: 'o', org: { name: 'A' } }],
    ])
    expect(summary).toEqual({ organizations: 1, records: 1 })
  })

  it('reads the same wherever the text is divided', () => {
    const text = Buffer.from(
      documentOf({
        humanUsers: [user('u1', { profile: { displayName: 'Zo\\u00eb "x" \\\\ 🐎' } })],
        loginTexts: [{ language: 'de', a: { b: [1.5e3, true, null, { c: '}' }] } }],
      }),
    )
    const whole = read([text])
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
        const chunks: Buffer[] = []
        for (let at = 0, turn = 0; at < text.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1
          chunks.push(Buffer.from(text.subarray(at, at + size)))
          at += size
        }
        expect(read(chunks)).toEqual(whole)
      }),
    )
  })

  it('export-format 1.5: understands the v1 layout', () => {
    const { seen } = readText(
      documentOf({
        iamPolicy: { userLoginMustBeDomain: true },
        secondFactors: [{ type: 'SECOND_FACTOR_TYPE_OTP' }],
        idps: [{ idpId: 'i', ownerType: 2 }],
        triggerActions: [{ flowType: 'FLOW_TYPE_EXTERNAL_AUTHENTICATION', triggerType: 2, actionIds: ['a'] }],
      }),
    )
    expect(seen).toEqual([
      [0, 'triggerActions', 0, { flowType: '1', triggerType: '2', actionIds: ['a'] }],
      [
        0,
        expect.objectContaining({
          domainPolicy: { userLoginMustBeDomain: true },
          loginPolicy: {
            secondFactors: ['SECOND_FACTOR_TYPE_OTP'],
            idps: [{ idpId: 'i', ownerType: 'IDP_OWNER_TYPE_ORG' }],
          },
        }),
      ],
    ])
  })

  it('drops and counts unknown members', () => {
    const { dropped, seen } = readText(
      documentOf({ humanUsers: [{ ...user('u'), hat: 1 }], vendorThing: [1] }),
    )
    expect(dropped).toEqual(['hat', 'vendorThing'])
    expect(seen[0]).toEqual([0, 'humanUsers', 0, user('u')])
  })

  it('meta.counts: a document that lost records is refused', () => {
    const meta = { format: 'signet-export', version: 1, counts: { orgs: 1, humanUsers: 2 } }
    expect(() => readText(documentOf({ humanUsers: [user('u')] }, { meta }))).toThrow(
      'meta.counts: 2 humanUsers were written, 1 are here; the document is truncated',
    )
  })

  it('meta.counts: does not expect records of lists that only a later version has', () => {
    const meta = { format: 'signet-export', version: 1, counts: { orgs: 1, laterThings: 2 } }
    const { dropped } = readText(documentOf({ laterThings: [1, 2] }, { meta }))
    expect(dropped).toEqual(['laterThings'])
  })

  it('meta.sha256: detects whether the bytes of orgs are those that were written', () => {
    const orgs = '{"orgs":[{"orgId":"o","org":{"name":"A"}}]'
    const sha256 = createHash('sha256').update(orgs).digest('hex')
    const meta = JSON.stringify({ format: 'signet-export', version: 1, counts: {}, sha256 })
    const text = ` \n${orgs},"meta":${meta}}\n`
    expect(readText(text).summary.intact).toBe(true)
    expect(readText(text.replace('"A"', '"B"')).summary.intact).toBe(false)
    expect(read(Array.from(Buffer.from(text), (byte) => Buffer.of(byte))).summary.intact).toBe(true)
  })
})

describe('hostile documents [F-42]', () => {
  it.each([
    ['{"orgs":[', 'cut off'],
    ['', 'cut off'],
    ['[]', 'the document must be an object'],
    ['{"orgs":{}}', 'orgs must be an array'],
    ['{"orgs":[1]}', 'orgs[0] must be an object'],
    ['{"orgs":[{"humanUsers":7}]}', 'orgs[0].humanUsers must be an array'],
    ['{"orgs":[]}}', 'not JSON at byte 11'],
    ['{"orgs" []}', 'not JSON at byte 8'],
    ['{"orgs":[],"orgs":[]}', 'a member is given twice'],
    [
      `{"orgs":[{"humanUsers":[${'['.repeat(100_000)}`,
      'orgs[0].humanUsers[0] is nested deeper than 64 levels',
    ],
    [`{"x":${'{"x":'.repeat(100_000)}`, 'nested deeper than 64 levels'],
    [`{"orgs":[],"${'x'.repeat(2_000)}":1}`, 'larger than 1000 bytes'],
  ])('refuses %.40s', (text, message) => {
    expect(() => readText(text)).toThrow(message)
  })

  it('refuses a single endless line with bounded memory, naming the record', () => {
    const piece = Buffer.alloc(65_536, 'a')
    function* endless() {
      yield Buffer.from('{"orgs":[{"orgId":"o","humanUsers":[{"userId":"')
      for (let sent = 0; sent < 1_073_741_824; sent += piece.length) yield piece
    }
    const before = process.memoryUsage().rss
    expect(() => read(endless())).toThrow('orgs[0].humanUsers[0] is larger than 1572864 bytes')
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000)
  })

  it('names organization, list, index, field and rule, and no value', () => {
    const { problems } = readText(
      documentOf({
        humanUsers: [
          user('u'),
          { userId: 7, user: { userName: '' } },
          user('v', {
            hashedPassword: { value: '$2a$31$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Py' },
          }),
          user('w', { otpCode: 'no base32!' }),
          user('x', { profile: { displayName: 'zero\u0000' } }),
        ],
      }),
    )
    expect(problems).toEqual([
      'orgs[0].humanUsers[1].userId (organization acme): must be of type string',
      'orgs[0].humanUsers[1].user.userName (organization acme): must not be empty',
      expect.stringMatching(
        /^orgs\[0\]\.humanUsers\[2\]\.user\.hashedPassword\.value \(organization acme\): .*cost/,
      ),
      'orgs[0].humanUsers[3].user.otpCode (organization acme): must be base32 of 10 bytes or more',
      'orgs[0].humanUsers[4].user.profile.displayName (organization acme): holds a zero character',
    ])
  })

  it('refuses bytes that are not UTF-8', () => {
    const text = Buffer.from(documentOf({ humanUsers: [user('uXv')] }))
    text[text.indexOf('X')] = 0xff
    expect(read([text]).problems).toEqual(['orgs[0].humanUsers[0] (organization acme): is not UTF-8'])
  })
})
