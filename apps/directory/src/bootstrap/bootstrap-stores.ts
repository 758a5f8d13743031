import type { Epoch } from '../epochs/epoch.ts'
import type { FingerprintStore } from '../stores/bootstrap-fingerprint-store.ts'
import type { ReferenceStore } from '../stores/bootstrap-reference-store.ts'
import type { ObjectKind } from './desired-object.ts'
import type { ObjectWriter, PlacedObject } from './object-writer.ts'

/** The tables that applying a file reads and writes, all in one transaction. */
export interface BootstrapStores {
  readonly writers: Readonly<Record<ObjectKind, ObjectWriter>>
  readonly fingerprints: FingerprintStore
  readonly references: ReferenceStore
  /** Waits until no other transaction applies a file. */
  lock(): Promise<void>
  /** Lets a file take IAM_OWNER from one and give it to another, in any order. */
  ownersAtTheEnd(): Promise<void>
  /** Rejects when no user would be left who administers the instance. */
  requireOwner(): Promise<void>
  /** Waits until the management API changes this object in no other transaction. */
  lockObject(kind: ObjectKind, id: string): Promise<void>
  /** The endings of this transaction, and the current epochs of these objects. */
  epochs(objects: readonly PlacedObject[]): Promise<readonly Epoch[]>
  /** Runs `work` and takes back what it wrote. */
  takenBack<Result>(work: () => Promise<Result>): Promise<Result>
}
