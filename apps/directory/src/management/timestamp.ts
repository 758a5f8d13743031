import { z } from 'zod'

const asText = {
  decode: (text: string) => new Date(text),
  encode: (date: Date) => date.toISOString(),
}

/** RFC 3339 text on the wire. */
export const timestamp = z.codec(z.iso.datetime(), z.date(), asText)

/** A time that a caller chooses, in any zone. */
export const moment = z.codec(
  z.iso.datetime({ offset: true, error: 'must be a time such as 2030-01-01T00:00:00Z' }),
  z.date(),
  asText,
)
