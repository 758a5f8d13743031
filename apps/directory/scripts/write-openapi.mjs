// `pnpm --filter @signet/directory generate:openapi`: writes the document of the management API.
import { writeFileSync } from 'node:fs'
import { openapiText } from '../src/openapi-document.ts'
import { OPERATIONS } from '../src/operations.ts'

writeFileSync(new URL('../openapi.json', import.meta.url), openapiText(OPERATIONS))
