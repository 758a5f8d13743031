import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ExportedDocument } from '../migration-suite.ts'
import { generatedOrganizations } from './generated/organizations.ts'
import { knownMembers, usedMembers } from './generated/schema-members.ts'
import { generatedSections } from './generated/sections.ts'
import { storedRows } from './generated/stored-rows.ts'
import { source, target } from './two-instances.ts'
import { withoutMarks } from './without-marks.ts'

type Json = Record<string, unknown>

/** Members of a bootstrap file that do not travel. */
const STAYS = /personalAccessTokens/

describe('Signet reads back every field it writes', () => {
  const organizations = generatedOrganizations()
  const ids = organizations.map(({ id = '' }) => id)

  it('the generated documents use every member of the bootstrap schema', () => {
    const schema = new URL('../../../../apps/directory/bootstrap.schema.json', import.meta.url)
    const used = new Set(usedMembers(organizations))
    const known = knownMembers(JSON.parse(readFileSync(schema, 'utf8')).properties.organizations)
    expect(known.filter((path) => !used.has(path) && !STAYS.test(path))).toEqual([])
  })

  it('generated organizations are equal after import and export', async () => {
    const document = await source.export({ org_ids: ids })
    generatedSections().forEach((sectionsOf, at) => {
      const organization = document.orgs.find(({ orgId }) => orgId === ids[at]) ?? {}
      const [user] = (organization.humanUsers ?? []) as { userId: string }[]
      for (const [list, records] of Object.entries(sectionsOf(ids[at] ?? '', user?.userId))) {
        if (Array.isArray(records) && records.length > 0) organization[list] = records
      }
    })
    const given = JSON.parse(JSON.stringify({ orgs: document.orgs })) as ExportedDocument
    const { status, body } = await target.import(given)
    expect([status, body.errors, body.message]).toEqual([200, undefined, undefined])
    const moved = await target.export({ org_ids: ids })
    expect(moved.orgs).toHaveLength(ids.length)
    for (const organization of given.orgs) {
      const found = moved.orgs.find(({ orgId }) => orgId === organization.orgId) ?? {}
      expect(inOrder(found)).toEqual(inOrder(withoutMarks(organization)))
    }
    // Also the rows that neither export might contain.
    expect(await storedRows(target.database)).toEqual(await storedRows(source.database))
  }, 300_000)
})

/** Lists may come out in another order. */
function inOrder(organization: Json): Json {
  const members = Object.entries(organization).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.toSorted((one, other) => (written(one) < written(other) ? -1 : 1)) : value,
  ])
  return Object.fromEntries(members)
}

const written = (record: unknown): string =>
  JSON.stringify(record, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value,
  )
