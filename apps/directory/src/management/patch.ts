import { z } from 'zod'

/** The body of a change: every member may be left out, but not all of them. */
export function patch<S extends z.core.$ZodLooseShape>(members: S) {
  return z
    .strictObject(members)
    .partial()
    .refine((changes) => Object.keys(changes).length > 0, 'the body must name a field to change')
}
