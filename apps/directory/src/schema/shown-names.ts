import { z } from 'zod'

export const IN_LISTS = 'In lists, where the caller may read the object.'

/** The names beside the id of a user. */
export const shownUserName = {
  userName: z.string().optional().describe(IN_LISTS),
  displayName: z.string().optional().describe(IN_LISTS),
}
