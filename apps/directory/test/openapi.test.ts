import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { openapiText } from '../src/http/openapi/openapi-text.ts'

it('openapi.json is what the code serves; else run pnpm --filter @signet/directory generate:openapi', async () => {
  const published = await readFile(new URL('../openapi.json', import.meta.url), 'utf8')
  expect(JSON.parse(published)).toEqual(JSON.parse(openapiText()))
})
