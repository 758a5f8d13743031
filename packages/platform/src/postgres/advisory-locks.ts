/**
 * The keys of the advisory locks of PostgreSQL, by what a holder does alone. All services use one database, so that two uses
 * of one key would wait for each other. Locks of a pair of keys are apart from those of one key; partitions and the sessions
 * of people hash a name into one key of 64 bits instead.
 */
export const ADVISORY_LOCKS = {
  // One key.
  provisionRoles: 7_331_001,
  migrate: 7_331_002,
  bootstrap: 7_331_003,
  migrateOutsideTransaction: 7_331_004,
  /** Held by migrations of the directory. */
  lastOwner: 7_331_021,
  /** Held while refusals are stored, so that the newest 100 of a client are kept exactly. */
  refusals: 7_331_023,
  rotateKeys: 7_331_101,
  recoverEndings: 7_331_103,
  // The first of two keys; the second is a hash.
  triesOfNetwork: 7_331_005,
  managedObject: 7_331_007,
  messagesOfAddress: 7_331_011,
  importBatch: 7_331_025,
  verifiedAddress: 7_331_080,
  upstreamIdentity: 7_331_081,
} as const
