// `pnpm --filter @signet/directory generate:openapi`: writes the document of the management API.
import { writeFileSync } from 'node:fs'
import { OPERATIONS } from '../src/management-api/all-operations.routes.ts'
import { openapiText } from '../src/management-api/openapi-document.ts'

writeFileSync(new URL('../openapi.json', import.meta.url), openapiText(OPERATIONS))
