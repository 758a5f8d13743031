// Seals the audit logs of all services and signs their heads (docs/reference/audit-log.md).

import { createLoggedRound, type Logger } from '@signet/platform/logger/logger'
import type { Clock } from '@signet/platform/runtime/clock'
import { AUDIT_CHAINS, type AuditChain, type AuditHead } from '@signet/tokens/audit-head'
import type { AuditChainStore } from './audit-chain.repository.ts'

/** Most rows of a segment: about 56 KB of positions and hashes. */
const ROWS_AT_ONCE = 1_000
/** Most segments of one log in one round, so that its backlog does not delay the other logs. */
const SEGMENTS_AT_ONCE = 50
/** Oldest age of the signed head of a log without new rows. */
const SIGN_AGAIN_MS = 60_000

interface Dependencies {
  readonly store: AuditChainStore
  /** The head as a JWS; undefined while there is no active key. */
  readonly sign: (head: AuditHead) => Promise<string | undefined>
  readonly logger: Logger
  readonly now: Clock
}

export interface LogSealing {
  /**
   * Seals the committed rows of each audit log, and signs heads that are new or a minute old. Every replica may run it. A failure
   * of one audit log is logged once and does not stop the others. Rejects when the audit logs cannot be listed.
   */
  round(): Promise<void>
  /** Seconds since the oldest unsealed row of each log was written, as of the last round. */
  readonly unsealedSeconds: ReadonlyMap<AuditChain, number>
  /**
   * Logs with a head that this process signed, each with whether the segment of that head is missing or has another
   * hash.
   */
  readonly changed: ReadonlyMap<AuditChain, boolean>
}

/**
 * Stores the last head of each log that this process signed. If the segment of that number is missing or has another hash, the
 * log was changed; this process then signs no further head of it.
 */
export function createLogSealing({ store, sign, logger, now }: Dependencies): LogSealing {
  const signedHere = new Map<AuditChain, Pick<AuditHead, 'number' | 'hash'>>()
  const unsealedSeconds = new Map<AuditChain, number>()
  const changed = new Map<AuditChain, boolean>()
  const rounds = new Map<AuditChain, () => Promise<void>>()

  async function sealLog(chain: AuditChain): Promise<void> {
    try {
      let rows = ROWS_AT_ONCE
      for (let n = 0; n < SEGMENTS_AT_ONCE && rows === ROWS_AT_ONCE; n += 1) {
        rows = await store.seal(chain, ROWS_AT_ONCE)
      }
    } finally {
      unsealedSeconds.set(chain, await store.unsealedSeconds(chain))
    }
  }

  async function signHead(chain: AuditChain): Promise<void> {
    const before = signedHere.get(chain)
    if (before !== undefined) {
      const isChanged = (await store.hashOf(chain, before.number)) !== before.hash
      changed.set(chain, isChanged)
      if (isChanged) {
        logger.error('audit_chain_changed', { name: chain, count: before.number })
        return
      }
    }
    const { number, signedAt } = await store.signed(chain)
    const newest = await store.newest(chain)
    const isRecent = signedAt !== null && Math.abs(now().getTime() - signedAt.getTime()) < SIGN_AGAIN_MS
    if (newest.number === number && isRecent) return
    const jws = await sign({ chain, ...newest, signedAt: now().toISOString() })
    if (jws === undefined) return
    await store.storeHead(chain, newest.number, jws)
    signedHere.set(chain, newest)
  }

  /** The logs for which a round would do nothing. A log that cannot be read is looked at by its own round, which reports it. */
  async function findQuiet(): Promise<readonly AuditChain[]> {
    try {
      const logs = [...rounds.keys()].map((chain) => ({ chain, signedHere: signedHere.get(chain) }))
      return await store.findQuiet(logs, { now: now(), seconds: SIGN_AGAIN_MS / 1_000 })
    } catch {
      return []
    }
  }

  function roundOf(chain: AuditChain): () => Promise<void> {
    const round = createLoggedRound(
      async () => {
        await sealLog(chain)
        await signHead(chain)
      },
      (error) => logger.warn('audit_sealing_failed', { name: chain, error }),
      () => logger.info('audit_sealing_recovered', { name: chain }),
    )
    rounds.set(chain, round)
    return round
  }

  return {
    unsealedSeconds,
    changed,
    async round() {
      const quiet = await findQuiet()
      for (const chain of quiet) {
        unsealedSeconds.set(chain, 0)
        if (signedHere.has(chain)) changed.set(chain, false)
      }
      if (quiet.length === AUDIT_CHAINS.length) return
      for (const chain of await store.chains()) {
        if (!quiet.includes(chain)) await (rounds.get(chain) ?? roundOf(chain))()
      }
    },
  }
}
