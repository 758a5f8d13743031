import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Objects, objectRows } from '../src/undo/object-rows.repository.ts'
import { acme, type DirectoryFixture, directoryFixture, sampleDocument } from './directory-fixture.ts'

let fixture: DirectoryFixture
beforeAll(async () => {
  fixture = await directoryFixture()
  const document = sampleDocument()
  acme(document).identityProviders = [
    {
      ...{ id: 'corporate', name: 'Corporate', issuer: 'https://idp.example', clientId: 'signet' },
      clientAuthentication: 'none',
    },
  ]
  await fixture.apply(document)
})
afterAll(() => fixture?.stop())

/** The image of an object, without a column that its table did not have yet. */
async function olderImage(objects: Objects, table: string, column: string) {
  const [image] = await objectRows.images(fixture.owner, objects)
  const rows = (image?.[table] ?? []).map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => name !== column)),
  )
  return { ...image, [table]: rows }
}

const projects = { list: 'projects', organizationIds: ['acme'], keys: [['portal']] } as const
const providers = { list: 'oidcIdps', organizationIds: ['acme'], keys: [['corporate']] } as const

it('leaves a column as it is that the image of a row does not have', async () => {
  const image = await olderImage(projects, 'project', 'project_role_check')
  await fixture.rows(
    "UPDATE directory.project SET name = 'Other', project_role_check = true WHERE project_id = 'portal'",
  )
  await objectRows.restore(fixture.owner, projects, [image])
  const [now] = await objectRows.images(fixture.owner, projects)
  expect(now?.project).toEqual([{ ...image.project?.[0], project_role_check: true }])
})

it('gives a row that is inserted again the default of such a column', async () => {
  const image = await olderImage(providers, 'identity_provider', 'provider_initiated')
  await fixture.rows("DELETE FROM directory.identity_provider WHERE provider_id = 'corporate'")
  await objectRows.restore(fixture.owner, providers, [image])
  const [now] = await objectRows.images(fixture.owner, providers)
  expect(now?.identity_provider).toEqual([{ ...image.identity_provider?.[0], provider_initiated: false }])
})
