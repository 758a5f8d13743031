import { z } from 'zod'
import { timestamp } from '../management/timestamp.ts'

const MOST_OVERLAP_SECONDS = 30 * 86_400

export const overlapSeconds = z
  .int()
  .min(0, 'must be 0 or more')
  .max(MOST_OVERLAP_SECONDS, `may be ${MOST_OVERLAP_SECONDS} at most`)
  .describe('How long the secrets before it are still accepted.')

export const newClientSecret = z
  .strictObject({
    clientId: z.string(),
    clientSecret: z.string().describe('Shown here and nowhere again.'),
    previousValidUntil: timestamp.describe('Until when the secrets before it are accepted.'),
  })
  .meta({ id: 'NewClientSecret' })
