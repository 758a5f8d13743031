import { z } from 'zod'

/** The response of a call that seals stored values under the newest master key. */
export const rewrapped = z
  .strictObject({
    rewrapped: z.int().describe('The number of values that this call sealed under the newest master key.'),
    unreadable: z.int().describe('Values that none of the master keys opens; they stay as they are.'),
    done: z
      .boolean()
      .describe('Whether nothing is left under an older master key; otherwise repeat the call.'),
  })
  .meta({ id: 'Rewrapped' })
