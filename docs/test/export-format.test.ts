import { readFileSync } from 'node:fs'
import { DocumentReader } from '@signet/file-formats/export/document-reader'
import { exportDocumentSchema, exportMembersPage } from '@signet/file-formats/export/format-schema'
import { expect, it } from 'vitest'

const read = (name: string) => readFileSync(new URL(`../reference/${name}`, import.meta.url), 'utf8')

const GENERATE = 'else run pnpm --filter @signet/file-formats generate:format'

it(`export-document.schema.json equals the schemas of the import; ${GENERATE}`, () => {
  expect(JSON.parse(read('export-document.schema.json'))).toEqual(JSON.parse(exportDocumentSchema()))
})

it(`export-members.md equals the table of members; ${GENERATE}`, () => {
  expect(read('export-members.md')).toEqual(exportMembersPage())
})

it('the example of the format page is a document that an import reads', () => {
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(read('export-format.md')) ?? []
  const refused: unknown[] = []
  const ignore = () => undefined
  const reader = new DocumentReader({
    record: ignore,
    organization: ignore,
    invalid: (record) => refused.push(record),
    dropped: (name) => refused.push(name),
  })
  reader.write(Buffer.from(example))
  expect(reader.end()).toMatchObject({ organizations: 1 })
  expect(refused).toEqual([])
})
