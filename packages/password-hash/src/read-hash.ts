import type { ComputeDigest } from './rounds/rounds-workers.ts'

/** A stored hash that can be verified: its parameters are parsed, none of it has been run. */
export interface StoredHash {
  readonly format: string
  /** Cost parameters, named as in the encoded hash. */
  readonly parameters: Readonly<Record<string, number>>
  /** Weaker than, or of another kind than, what `hashPassword` makes. */
  readonly isOutdated: boolean
  /** The most that one verification takes. */
  readonly memoryKib: number
  /** About what one verification takes on one core, by the cost parameters. */
  readonly estimatedMs: number
  verify(password: string, computeDigest: ComputeDigest): Promise<boolean>
}

/** Undefined for a hash of another format; throws UnusableHashError for one of this format that cannot be verified. */
export type ReadHash = (hash: string) => StoredHash | undefined

/** A stored hash whose format is not supported or whose cost would hurt the server that verifies it. */
export class UnusableHashError extends Error {
  override readonly name = 'UnusableHashError'
  /** The hash is whole, but its cost parameters are too high. */
  readonly isTooSlow: boolean

  constructor(message: string, { isTooSlow = false }: { readonly isTooSlow?: boolean } = {}) {
    super(message)
    this.isTooSlow = isTooSlow
  }
}
