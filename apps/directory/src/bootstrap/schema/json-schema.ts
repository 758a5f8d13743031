import { z } from 'zod'
import { bootstrapFileSchema } from './bootstrap-file.ts'

/** The JSON Schema that editors complete a bootstrap file with, as the text of `bootstrap.schema.json`. */
export function bootstrapJsonSchema(): string {
  const described = {
    title: 'Signet bootstrap file',
    ...z.toJSONSchema(bootstrapFileSchema, { io: 'input' }),
  }
  return `${JSON.stringify(described, null, 2)}\n`
}
