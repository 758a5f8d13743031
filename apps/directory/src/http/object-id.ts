import { z } from 'zod'

/** An id in a path, as identity.md has them. */
const objectId = z
  .string()
  .regex(/^[A-Za-z0-9._~@+-]{1,200}$/, 'must be 1 to 200 letters, digits and . _ ~ @ + -')

export const idInPath = z.object({ id: objectId })
