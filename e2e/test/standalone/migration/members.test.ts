import { readFileSync } from 'node:fs'
import { LIST_NAMES, shapeOf } from '@signet/file-formats/export/lists'
import type { Treatment } from '@signet/file-formats/export/member-treatment'
import { MEMBER_TREATMENTS } from '@signet/file-formats/export/members'
import { size } from '@signet/testing/sizes'
import { startSystem } from '@signet/testing/system/start-system'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createMigrationClient,
  type ExportedDocument,
  type MigrationClient,
  migrationSystem,
} from '../migration-client.ts'
import { generatedRecords, type Json, RP_ID } from './generated-records.ts'

const SEED = 20_261_124
const COUNT = size('generatedOrganizations')
const IDS = Array.from({ length: COUNT }, (_, index) => `members-${index}`)

const document: { orgs: Json[] } = JSON.parse(
  JSON.stringify({
    orgs: generatedRecords(SEED, COUNT).map((make, index) =>
      make(`members-${index}`, [...IDS.slice(index + 1), ...IDS.slice(0, index)]),
    ),
  }),
)

/** The one rule that the generated documents break, so that the table can say so. */
const API_HAS_NO_SIGN_IN = /Uris\[\d+\] is left out: an api application takes part in no sign-in/

let first: MigrationClient
let second: MigrationClient
let exported: ExportedDocument
beforeAll(async () => {
  const open = migrationSystem({
    settings: {
      ...{ passwordMinLength: 1, maxPasswordAttempts: 0, maxOtpAttempts: 0 },
      signingAlgorithms: ['RS256', 'ES256', 'EdDSA'],
    },
  })
  const systems = await Promise.all([1, 2].map(() => startSystem({ ...open, issuer: `https://${RP_ID}` })))
  ;[first, second] = systems.map(createMigrationClient) as [MigrationClient, MigrationClient]
  const { status, body } = await first.import(document)
  const failures = (body.errors ?? []).filter(({ message }) => !API_HAS_NO_SIGN_IN.test(message))
  expect([status, failures, body.message]).toEqual([200, [], undefined])
  exported = await first.export({ org_ids: IDS })
}, 300_000)
afterAll(() => Promise.all([first?.system.stop(), second?.system.stop()]))

const RECORDS = ['organization', ...LIST_NAMES] as const

describe('generated documents of an import', () => {
  it.each(RECORDS)('%s: a value is given for every member', (list) => {
    const given = document.orgs.flatMap((organization) => recordsOf(organization, list))
    const never = Object.keys(MEMBER_TREATMENTS[list]).filter(
      (path) => !given.some((record) => valuesAt(record, path, list).some((value) => value !== undefined)),
    )
    expect(never).toEqual([])
  })
})

describe('an export after an import', () => {
  it.each(RECORDS)('%s: each member became what the table of members says', (list) => {
    const different = document.orgs.flatMap((organization) => {
      const found = exported.orgs.find(({ orgId }) => orgId === organization.orgId) ?? {}
      return recordsOf(organization, list).flatMap((record) => {
        const match = recordsOf(found, list).find((other) => keyOf(other, list) === keyOf(record, list)) ?? {}
        return Object.entries(MEMBER_TREATMENTS[list]).flatMap(([path, treatment]) => {
          const [expected, actual] = compared(list, record, match, path, treatment)
          return written(expected) === written(actual)
            ? []
            : [{ key: keyOf(record, list), path, expected, actual }]
        })
      })
    })
    expect(different).toEqual([])
  })

  it('without options, it has no member that needs one', async () => {
    const choices = { withPasswords: false, withOtp: false, withPasskeys: false, withSecrets: false }
    const { orgs } = await first.export({ org_ids: IDS, ...choices })
    const found = RECORDS.flatMap((list) =>
      Object.entries(MEMBER_TREATMENTS[list])
        .filter(([path, { option }]) => option !== undefined && path !== '*')
        .flatMap(([path]) =>
          orgs.flatMap((one) => recordsOf(one, list).flatMap((record) => valuesAt(record, path, list))),
        )
        .filter((value) => value !== undefined),
    )
    expect(found).toEqual([])
    expect(JSON.stringify(exported)).toContain('of the provider')
    expect(JSON.stringify(orgs)).not.toContain('of the provider')
  })

  it('is valid by the published JSON Schema', () => {
    const published = new URL('../../../../docs/reference/export-document.schema.json', import.meta.url)
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    const validate = ajv.compile(JSON.parse(readFileSync(published, 'utf8')))
    validate(exported)
    expect(validate.errors).toBeNull()
  })

  it('services can read what was imported', async () => {
    const { database } = first.system
    const read = async (text: string) => (await database.query<{ text: string }>({ name: '', text })).rows
    // Computes every column of every row.
    const views =
      await read(`SELECT format('SELECT count(to_jsonb(v))::text AS text FROM directory_read.%I v', viewname) AS text
                                FROM pg_views WHERE schemaname = 'directory_read'`)
    expect(views.length).toBeGreaterThan(10)
    for (const { text } of views) expect(await read(text)).toHaveLength(1)
  })

  it('is equal after another import and export', async () => {
    const { status, body } = await second.import({ orgs: exported.orgs })
    expect([status, body.errors]).toEqual([200, undefined])
    expect((await second.export({ org_ids: IDS })).orgs).toEqual(exported.orgs)
  }, 300_000)
})

type List = (typeof RECORDS)[number]

function recordsOf(organization: Json, list: List): readonly Json[] {
  if (list === 'organization') return [organization]
  return (organization[list] ?? []) as Json[]
}

const keyOf = (record: Json, list: List) =>
  list === 'organization' ? record.orgId : shapeOf(list).id(record as never)

/** The value that the table promises for a member, and that of the export. */
function compared(
  list: List,
  record: Json,
  match: Json,
  path: string,
  treatment: Treatment,
): readonly [unknown, unknown] {
  const [given, found] = [secretsInList(record), secretsInList(match)]
  if (path === '*') return [openMembers(given, list), openMembers(found, list)]
  if (treatment.movedTo !== undefined) {
    const values = valuesAt(given, path, list)
    return values.length === 0 ? [0, 0] : [values, valuesAt(found, treatment.movedTo, list).flat()]
  }
  const [array, member] = path.split('[].')
  if (member === undefined) {
    const value = at(given, path)
    return value === undefined ? [0, 0] : [treatment.becomes(value, given), at(found, path)]
  }
  const [before, after] = [given, found].map((one) => (at(one, array ?? '') ?? []) as Json[])
  return [
    (before ?? [])
      .map((one) => [elementKey(one), one[member] === undefined ? '' : treatment.becomes(one[member], given)])
      .sort(),
    (before ?? [])
      .map((one) => {
        const other = (after ?? []).find((candidate) => elementKey(candidate) === elementKey(one))
        return [elementKey(one), one[member] === undefined ? '' : other?.[member]]
      })
      .sort(),
  ]
}

const elementKey = ({ domainName, hash, idpId, name, type }: Json) =>
  String(domainName ?? hash ?? idpId ?? name ?? type)
    .trim()
    .toLowerCase()

/** Both forms of client secrets as a list. */
function secretsInList(record: Json): Json {
  if (record.app !== undefined) return { ...record, app: secretsInList(record.app as Json) }
  const { clientSecretHash: hash, ...rest } = record
  return hash === undefined ? record : { ...rest, clientSecretHashes: [{ hash }] }
}

function at(record: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Json | undefined)?.[name], record)
}

function valuesAt(record: Json, path: string, list: List): readonly unknown[] {
  if (path === '*') return [openMembers(record, list)]
  const [array = '', member] = path.split('[].')
  const value = at(record, array)
  if (member === undefined) return value === undefined ? [] : [value].flat()
  return ((value ?? []) as Json[]).map((one) => one[member])
}

function openMembers(record: Json, list: List): unknown {
  const known = Object.keys(MEMBER_TREATMENTS[list])
  return Object.fromEntries(Object.entries(record).filter(([name]) => !known.includes(name)))
}

/** Members in one order; values that are false, zero or empty like absent ones. */
function written(value: unknown): string {
  if (value === undefined || value === false || value === 0 || value === '') return ''
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(([name, member]) => [name, written(member)] as const)
  const filled = Array.isArray(value) ? entries : entries.filter(([, text]) => text !== '').sort()
  return filled.length === 0 ? '' : JSON.stringify(filled)
}
