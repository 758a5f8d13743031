import type { SeenObjects } from './seen-objects.ts'

/** The kinds of objects that have a name. */
export const NAMED_KINDS = ['organization', 'user', 'project', 'application'] as const
export type NamedKind = (typeof NAMED_KINDS)[number]

/** The name of an object that a list shows by its id. */
export interface ShownName {
  /** User name of a user, otherwise the name. */
  readonly name: string
  readonly displayName?: string | undefined
}

/** The objects of each kind that a caller sees; undefined: every one. */
export type SeenOfKinds = Readonly<Record<'organization' | 'user' | 'project', SeenObjects | undefined>>

/** The ids of a list whose names are shown. */
export type IdsOfKinds = Readonly<Partial<Record<NamedKind, readonly string[]>>>
