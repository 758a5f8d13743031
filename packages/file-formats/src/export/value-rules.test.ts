import { MESSAGE_VARIABLES } from '@signet/protocol/placeholder'
import { describe, expect, it } from 'vitest'
import { type FormatMember, membersOf, RECORD_SCHEMAS } from './format-schema.ts'
import { type RecordKind, underValueRules } from './value-rules.ts'

const PLACEHOLDERS = [
  ...['$\x7bNAME}', 'a $\x7benv.NAME} b', '$(env:NAME)', '$(NAME)', '##NAME##', '@@NAME@@', '{{ NAME }}'],
  ...['https://$\x7bHOST}/cb', '{{name}}@acme.example', 'prefix-{{ NAME }}-suffix'],
]
const KINDS = Object.keys(RECORD_SCHEMAS) as readonly RecordKind[]

/** A text, a list of texts, or any value. */
const mayHoldText = ({ schema: { type, items, enum: names, anyOf } }: FormatMember): boolean =>
  names === undefined &&
  (type === undefined ||
    type === 'string' ||
    type === 'object' ||
    (type === 'array' && (items?.type ?? 'string') === 'string') ||
    anyOf?.some((one) => one.type === 'string') === true)

/** A record with the value in a member alone. */
function recordWith(path: string, value: unknown): Record<string, unknown> {
  const [first = '', ...rest] = path.split('.')
  const name = first === '*' ? 'anything' : first.replace('[]', '')
  const inner = rest.length === 0 ? value : recordWith(rest.join('.'), value)
  return { [name]: first.endsWith('[]') ? [inner] : inner }
}

const isArray = ({ schema }: FormatMember) => schema.type === 'array'
const isObject = ({ schema }: FormatMember) => schema.type === 'object'

const CASES = KINDS.filter((kind) => kind !== 'actions').flatMap((kind) =>
  membersOf(RECORD_SCHEMAS[kind])
    .filter(mayHoldText)
    .map((member) => ({ kind, path: member.path, member })),
)

describe('a placeholder of a deployment in a record', () => {
  it.each(CASES)('is no value of $kind $path', ({ kind, path, member }) => {
    for (const placeholder of PLACEHOLDERS) {
      const isEncoded = path === 'value' && /Metadata$/.test(kind)
      const text = isEncoded ? Buffer.from(placeholder).toString('base64') : placeholder
      const value = isArray(member) ? ['plain', text] : isObject(member) ? { one: text, two: 'plain' } : text
      const { record, problems } = underValueRules(kind, recordWith(path, value), () => true)
      expect(JSON.stringify(record) ?? '', placeholder).not.toContain(text)
      expect(problems.map(({ rule }) => rule)).toContain(
        'is a placeholder of the deployment: fill it in first',
      )
    }
  })

  it('is found in the name of a member, too', () => {
    const app = { clientId: 'web', claimMapping: { '$\x7bCLAIM}': 'key', team: 'team' } }
    const { record } = underValueRules('oidcApps', { appId: 'a', app }, () => true)
    expect(record).toEqual({ appId: 'a', app: { clientId: 'web', claimMapping: { team: 'team' } } })
  })

  it.each(['userName', 'userId'])('refuses the record of which it is the identity: %s', (member) => {
    const user = { userId: 'u', user: { userName: 'u', profile: { firstName: 'U' } } }
    const record =
      member === 'userId' ? { ...user, userId: '@@ID@@' } : { ...user, user: { userName: '@@ID@@' } }
    expect(underValueRules('humanUsers', record)).toMatchObject({ record: undefined, problems: [{}] })
  })

  it('leaves texts their variables, links the language, and scripts their code', () => {
    const texts = [...MESSAGE_VARIABLES.flatMap((name) => [`{{.${name}}}`, `{{ ${name} }}`]), '{{.OTP}}']
    const unchanged = [
      ['verifyEmailMessages', { language: 'en', text: `Hello ${texts.join(' ')}` }],
      ['loginTexts', { language: 'en', loginText: { title: '{{.MinLength}}' } }],
      ['organization', { orgId: 'o', privacyPolicy: { tosLink: 'https://a.example/{{.Lang}}' } }],
      ['actions', { actionId: 'a', script: 'log(`$\x7bctx}`)' }],
    ] as const
    for (const [kind, record] of unchanged)
      expect(underValueRules(kind, record)).toEqual({ record, problems: [] })
    expect(underValueRules('verifyEmailMessages', { language: 'en', text: '{{SENDER}}' }).record).toEqual({
      language: 'en',
    })
  })
})

describe('a record with values that break a rule', () => {
  it('is kept without each of them, also of a list', () => {
    const header = {
      orgId: 'o',
      org: { name: '\u202eACME ' },
      domains: [{ domainName: '-a' }, { domainName: 'ACME.example' }, { domainName: '@@DOMAIN@@' }],
    }
    const { record, problems } = underValueRules('organization', header)
    expect(record).toEqual({ orgId: 'o', org: {}, domains: [{ domainName: 'acme.example' }] })
    expect(problems.map(({ field }) => field).sort()).toEqual([
      'domains[0].domainName',
      'domains[2].domainName',
      'org.name',
    ])
  })

  it('loses the object that the value is the point of', () => {
    const user = {
      userName: 'u',
      email: { email: 'no address', isEmailVerified: true },
      profile: { firstName: ' Ada\n' },
    }
    expect(underValueRules('humanUsers', { userId: 'u', user }).record).toEqual({
      userId: 'u',
      user: { userName: 'u', profile: { firstName: 'Ada' } },
    })
  })

  it('is refused when it cannot do without one', () => {
    expect(underValueRules('userMetadata', { id: 'u', key: 'a\u200bb', value: 'eA==' })).toEqual({
      record: undefined,
      problems: [
        { field: 'key', rule: 'must be 1 to 200 characters, none of them a control or invisible character' },
      ],
    })
  })
})
