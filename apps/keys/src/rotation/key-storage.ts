import type { KeyLife } from './key-life.ts'
import type { PublicJwk } from './key-material.ts'

/** A key as it is stored: its life, its public half in the clear, its secret sealed while it is needed. */
export interface StoredKey extends KeyLife {
  readonly publicJwk: PublicJwk | undefined
  readonly sealedSecret: string | undefined
}

export interface KeySnapshot {
  /** Rises with every change of any key. */
  readonly revision: number
  readonly keys: readonly StoredKey[]
}

/** Applied in this order, so that a line never has two active keys: an active one may be forgotten at once. */
export interface KeyChanges {
  readonly forget: readonly string[]
  readonly change: readonly KeyLife[]
  readonly create: readonly StoredKey[]
}

export interface KeyStore {
  revision(): Promise<number>
  read(): Promise<KeySnapshot>
  /**
   * Runs `decide` on the keys as they are now and writes what it answers, all or nothing. Of any number of
   * concurrent calls one leads at a time; the others return at once, or take their turn when they `wait`.
   */
  lead(
    decide: (keys: readonly StoredKey[]) => Promise<KeyChanges>,
    options: { readonly wait: boolean },
  ): Promise<'led' | 'led elsewhere'>
}
