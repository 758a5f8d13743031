import { z } from 'zod'

const MOST_BYTES = 500_000

export const metadataKey = z
  .string()
  .min(1)
  .max(200, 'may have at most 200 characters')
  .describe('A key of the metadata.')
  .meta({ examples: ['customer_no'] })

/** Bytes inside, base64 on the wire, as exports have it. */
export const metadataValue = z
  .codec(z.base64('must be base64'), z.instanceof(Buffer), {
    decode: (text) => Buffer.from(text, 'base64'),
    encode: (bytes) => bytes.toString('base64'),
  })
  .refine(({ length }) => length > 0 && length <= MOST_BYTES, `must hold 1 to ${MOST_BYTES} bytes`)
  .describe('Base64.')

export const metadata = z.strictObject({ key: z.string(), value: metadataValue }).meta({ id: 'Metadata' })
