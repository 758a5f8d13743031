import { type FormatMember, membersOf, RECORD_SCHEMAS } from '@signet/file-formats/export/format-schema'
import { shapeOf } from '@signet/file-formats/export/lists'
import { organizationHeader } from '@signet/file-formats/export/organization-header'
import { URL_SETTINGS } from '@signet/protocol/application-settings'
import { exportedName, type Fields } from '@signet/protocol/fields/field'
import { ADDRESS_FIELDS, PROFILE_FIELDS } from '@signet/protocol/fields/person'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { personDetails } from '../src/accounts/account.schema.ts'
import { applicationSettings } from '../src/applications/application.schema.ts'
import { applicationProblems } from '../src/applications/application-rules.ts'
import { POLICY_SCHEMAS } from '../src/organizations/policies.schema.ts'
import { type PolicyName, treatmentOf } from '../src/organizations/policy-rules.ts'
import { requestSchemas } from '../src/schema/field-schemas.ts'
import { domain, name, newKey } from '../src/schema/fields.ts'
import { postgresExportSource } from '../src/transfer/export.repository.ts'
import { batchFixture } from './batch-fixture.ts'
import { type DirectoryFixture, directoryFixture } from './directory-fixture.ts'
import { HOSTILE } from './hostile-values.ts'

type Json = Readonly<Record<string, unknown>>
type List = 'organization' | 'humanUsers' | 'machineUsers' | 'projects' | 'projectRoles' | 'oidcApps'

/** The value that the management API stores for a text; undefined when it refuses the text. */
type Accepts = (text: string) => unknown

const by =
  (schema: z.ZodType): Accepts =>
  (text) => {
    const { success, data } = schema.safeParse(text)
    return success ? data : undefined
  }

const exportedAs = (fields: Fields, path: string) =>
  Object.fromEntries(
    Object.entries(requestSchemas(fields)).map(([member, type]) => [
      `${path}.${exportedName(member, fields[member] ?? {})}`,
      by(type),
    ]),
  )

const policies = Object.fromEntries(
  (Object.entries(POLICY_SCHEMAS) as [PolicyName, z.ZodObject][]).flatMap(([policy, { shape }]) =>
    Object.entries(shape)
      // An import keeps and names those that Signet does not support; a lifetime has a form of its own.
      .filter(([member]) => treatmentOf(policy, member)?.kind === 'acts' && !/[lL]ifetime$/.test(member))
      .map(([member, type]) => [`${policy}.${member}`, by(type as z.ZodType)]),
  ),
)

/** Checks a URI by the rules of its type, as the management API checks a web application. */
const uri =
  (member: 'redirectUris' | 'postLogoutRedirectUris' | (typeof URL_SETTINGS)[number]): Accepts =>
  (text) => {
    const isList = member === 'redirectUris' || member === 'postLogoutRedirectUris'
    const none = { redirectUris: [], postLogoutRedirectUris: [] }
    const settings = { type: 'web', devMode: false, ...none, [member]: isList ? [text] : text }
    const schema: z.ZodType = applicationSettings[member]
    return schema.safeParse(isList ? [text] : text).success && applicationProblems(settings).length === 0
      ? text
      : undefined
  }

const { email, phone } = personDetails

/** Members of the management API by the same member of the format. */
const API: Readonly<Record<List, Readonly<Record<string, Accepts>>>> = {
  organization: { 'org.name': by(name), 'domains[].domainName': by(domain), ...policies },
  humanUsers: {
    ...exportedAs(PROFILE_FIELDS, 'user.profile'),
    ...exportedAs(ADDRESS_FIELDS, 'user.address'),
    'user.profile.genderText': by(requestSchemas(PROFILE_FIELDS).gender),
    'user.email.email': by(email.unwrap().shape.address),
    'user.phone.phone': by(phone.unwrap().shape.number),
  },
  machineUsers: { 'user.name': by(name) },
  projects: { 'project.name': by(name) },
  projectRoles: { roleKey: by(newKey), displayName: by(name), group: by(name) },
  oidcApps: {
    'app.name': by(applicationSettings.name),
    'app.redirectUris': uri('redirectUris'),
    'app.postLogoutRedirectUris': uri('postLogoutRedirectUris'),
    ...Object.fromEntries(URL_SETTINGS.map((member) => [`app.${member}`, uri(member)])),
    'app.additionalOrigins': (text) =>
      applicationSettings.allowedOrigins.safeParse([text]).success ? text : undefined,
  },
}

/** Texts of the format that name another object, that prove something, or that have a form of their own. */
const OF_OTHER_KINDS: readonly RegExp[] = [
  /(^|[.\]])(\w*[iI]d|orgId|userName|ownerType)$/,
  /^initial\.name$/,
  /[sS]ecret|[hH]ash|password|otpCode|totpDevices|passkeys/,
  /[lL]ifetime$|minLength$|Attempts$/,
  /^user\.description$/,
  /^project\.(allowedAudiences|resourceUri)$/,
  /^app\.tlsClientAuth/,
  /^loginPolicy\.defaultRedirectUri$/,
]

const isText = ({ schema }: FormatMember): boolean => {
  const { type, enum: names, format, items } = schema
  if (type === 'array') return items?.type === 'string' && items.enum === undefined
  return type === 'string' && names === undefined && format === undefined
}

const LISTS = Object.keys(API) as readonly List[]
const textsOf = (list: List) =>
  membersOf(RECORD_SCHEMAS[list])
    .filter(isText)
    .map(({ path }) => path)
const comparedIn = (list: List) => textsOf(list).filter((path) => Object.hasOwn(API[list], path))

/** The record with a value at the path of a member; a list of texts holds it alone. */
function withValue(record: Json, path: string, value: string, isList: boolean): Json {
  const [first = '', ...rest] = path.split('.')
  const member = first.replace('[]', '')
  if (rest.length === 0) return { ...record, [member]: isList ? [value] : value }
  const inner = first.endsWith('[]') ? {} : ((record[member] ?? {}) as Json)
  const filled = withValue(inner, rest.join('.'), value, isList)
  return { ...record, [member]: first.endsWith('[]') ? [filled] : filled }
}

function valueAt(record: unknown, path: string): unknown {
  return path.split(/\.|(?=\[\])/).reduce<unknown>((value, part) => {
    if (part === '[]') return (value as readonly unknown[] | undefined)?.[0]
    return (value as Json | undefined)?.[part]
  }, record)
}

const isListOf = (list: List, path: string) =>
  membersOf(RECORD_SCHEMAS[list]).find((member) => member.path === path)?.schema.type === 'array'

/** A record of each list without a value in question. */
const PLAIN: Readonly<Record<List, (id: string) => Json>> = {
  organization: (id) => ({ orgId: id }),
  humanUsers: (id) => ({ userId: id, user: { userName: id } }),
  machineUsers: (id) => ({ userId: id, user: { userName: id } }),
  projects: (id) => ({ projectId: id, project: {} }),
  projectRoles: (id) => ({ projectId: 'portal', roleKey: id }),
  oidcApps: (id) => ({ appId: id, app: { projectId: 'portal' } }),
}
const ID_OF: Readonly<Record<List, string>> = {
  ...{ organization: 'orgId', humanUsers: 'userId', machineUsers: 'userId', projects: 'projectId' },
  ...{ projectRoles: 'roleKey', oidcApps: 'appId' },
}

let fixture: DirectoryFixture
let { apply, batchOf } = {} as ReturnType<typeof batchFixture>
beforeAll(async () => {
  fixture = await directoryFixture()
  ;({ apply, batchOf } = batchFixture(fixture))
  await fixture.apply({
    organizations: [
      {
        ...{ id: 'acme', name: 'ACME', primaryDomain: 'acme.localhost' },
        projects: [{ id: 'portal', name: 'Portal' }],
      },
    ],
  })
})
afterAll(() => fixture?.stop())

let batches = 0
/** Imports records, and returns the outcome and what is named of each. */
async function write(list: List, records: readonly Json[]) {
  batches += 1
  const schema = list === 'organization' ? organizationHeader : shapeOf(list).schema
  const parsed = records.map((record) => schema.parse(record))
  const one = list === 'organization' ? parsed.map((record) => [record]) : [parsed]
  const outcomes = await apply(
    one.map((some, at) => {
      const organizationId = list === 'organization' ? String(records[at]?.orgId) : 'acme'
      const given = { list, namedOrganizations: ['acme'] }
      return batchOf(`hostile-${batches}-${at}`, at, organizationId, some, given)
    }),
  )
  const failures = outcomes.flatMap((outcome, at) =>
    (outcome?.failures ?? []).map((failure) => ({ ...failure, index: failure.index + at })),
  )
  const messages = (index: number) =>
    failures.filter((failure) => failure.index === index).map(({ message }) => message)
  return { outcomes: outcomes.map((outcome) => outcome?.outcomes ?? '').join(''), messages }
}

/** The exported records of a list, by id; of organizations those that are named. */
async function exported(list: List, ids: readonly string[]): Promise<ReadonlyMap<string, Json>> {
  const source = postgresExportSource(fixture.owner, fixture.masterKeys)
  const choices = { withPasswords: false, withOtp: false, withSecrets: false, withPasskeys: false }
  const organizationIds = list === 'organization' ? ids : ['acme']
  const order = {
    organizationIds,
    excludedIds: [],
    ...choices,
    actor: { kind: 'service_user', id: 'x' },
  } as const
  return source.snapshot(async (tx) => {
    const records: Json[] = []
    for await (const content of source.contents(tx, organizationIds, order)) {
      if ('organization' in content && list === 'organization') records.push(content.organization)
      if ('part' in content && content.part.list === list)
        records.push(...JSON.parse(`[${content.part.records}]`))
    }
    return new Map(records.map((record) => [String(record[ID_OF[list]]), record]))
  })
}

describe('a value of an import', () => {
  it.each(LISTS)(
    '%s: each text of the format is compared with the management API or of another kind',
    (list) => {
      const untold = textsOf(list).filter(
        (path) => !Object.hasOwn(API[list], path) && !OF_OTHER_KINDS.some((kind) => kind.test(path)),
      )
      expect(untold).toEqual([])
      expect(comparedIn(list).length).toBeGreaterThan(0)
    },
  )

  const CASES = LISTS.flatMap((list) => comparedIn(list).map((path) => ({ list, path })))
  it.each(CASES)(
    'is stored if the management API accepts it, else left out and named: $list $path',
    async ({ list, path }) => {
      const accepts = API[list][path] as Accepts
      const isList = isListOf(list, path)
      // A role is known by it, so the record itself is refused. The format bounds its length.
      const isKey = path === 'roleKey'
      const values = [...new Set(HOSTILE)]
        .filter((value) => !isKey || value.length <= 200)
        .map((value, at) => ({
          value,
          id: isKey ? value : `${path}-${at}`.replace(/[^\w.-]/g, ''),
        }))
      const records = values.map(({ value, id }) => withValue(PLAIN[list](id), path, value, isList))
      const { outcomes, messages } = await write(list, records)
      const found = await exported(
        list,
        values.map(({ id }) => id),
      )
      const differing = values.flatMap(({ value, id }, at) => {
        const accepted = accepts(value)
        const written = valueAt(found.get(id), path)
        const stored = Array.isArray(written) ? written[0] : written
        const named = messages(at).filter((message) =>
          message.startsWith(`${fieldOf(path, isList)} is left out: `),
        )
        const isRight = isKey
          ? (outcomes[at] === 'c') === (accepted !== undefined)
          : outcomes[at] === 'c' &&
            (accepted === undefined
              ? stored !== value && named.length === 1
              : stored === accepted && named.length === 0)
        return isRight ? [] : [{ value, accepted, stored, outcome: outcomes[at], messages: messages(at) }]
      })
      expect(differing).toEqual([])
    },
  )
})

const fieldOf = (path: string, isList: boolean) => `${path.replace('[]', '[0]')}${isList ? '[0]' : ''}`
