// `pnpm --filter @signet/directory generate:schema`: writes the JSON Schema of the bootstrap file.
import { writeFileSync } from 'node:fs'
import { bootstrapJsonSchema } from '../src/bootstrap/bootstrap-file.ts'

writeFileSync(new URL('../bootstrap.schema.json', import.meta.url), bootstrapJsonSchema())
