// `pnpm --filter @signet/file-formats generate:format`: writes the generated files of docs/reference.
import { writeFileSync } from 'node:fs'
import { exportDocumentSchema, exportMembersPage } from '../src/export/format-schema.ts'

const REFERENCE = new URL('../../../docs/reference/', import.meta.url)

writeFileSync(new URL('export-document.schema.json', REFERENCE), exportDocumentSchema())
writeFileSync(new URL('export-members.md', REFERENCE), exportMembersPage())
