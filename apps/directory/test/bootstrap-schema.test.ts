import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { bootstrapJsonSchema } from '../src/bootstrap/bootstrap-file.ts'

it('bootstrap.schema.json equals the schema of the code; else run pnpm --filter @signet/directory generate:schema', async () => {
  const published = await readFile(new URL('../bootstrap.schema.json', import.meta.url), 'utf8')
  expect(JSON.parse(published)).toEqual(JSON.parse(bootstrapJsonSchema()))
})
