import { z } from 'zod'
import { timestamp } from '../management/timestamp.ts'
import { shownSettings } from './application.schema.ts'

const shown = { id: z.string(), projectId: z.string(), ...shownSettings, createdAt: timestamp }

export const application = z.strictObject(shown).meta({ id: 'Application' })

export const newApplication = z
  .strictObject({
    ...shown,
    clientSecret: z
      .string()
      .optional()
      .describe('If it authenticates with a secret. Shown here and nowhere again.'),
  })
  .meta({ id: 'NewApplication' })
