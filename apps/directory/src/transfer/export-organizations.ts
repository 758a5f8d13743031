import type { AuditActor, AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Queryable } from '@signet/platform/postgres/pool'

export interface ExportOrder {
  /** All when empty. */
  readonly organizationIds: readonly string[]
  readonly excludedIds: readonly string[]
  readonly withPasswords: boolean
  readonly withOtp: boolean
  readonly withPasskeys: boolean
  readonly withSecrets: boolean
  readonly actor: AuditActor
}

/** Records of one list, with commas in between. */
export interface ExportPart {
  readonly list: string
  readonly count: number
  readonly records: Buffer
}

/** An organization without its lists, or records of the organization before it. */
export type ExportContent =
  | { readonly organization: Readonly<Record<string, unknown>> }
  | { readonly part: ExportPart }

export type ExportMessage =
  | ExportContent
  | {
      readonly plan: {
        readonly users: number
        readonly organizations: number
        readonly unknownIds: readonly string[]
        readonly administrators: readonly string[]
        readonly notes: readonly string[]
      }
    }

/** How much of the organizations is in no document. */
interface Withheld {
  /** Keys of service users and applications. */
  readonly keys: number
  /** Personal access tokens. */
  readonly tokens: number
  /** Memberships and project grants that the receiving side has not accepted. */
  readonly unaccepted: number
  /** Number of passkeys, which need an option. */
  readonly passkeys: number
  /** Number of identity providers, whose secrets need an option. */
  readonly identityProviders: number
}

export interface ExportSource {
  /** Runs the work in one snapshot of the database. */
  snapshot<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
  record(event: AuditEvent): Promise<void>
  organizations(tx: Queryable, order: ExportOrder): Promise<readonly string[]>
  plan(
    tx: Queryable,
    organizationIds: readonly string[],
  ): Promise<
    {
      readonly users: number
      readonly administrators: readonly string[]
    } & Withheld
  >
  /** The organizations in the order of the ids, each with its lists in the order of the format behind it. */
  contents(
    tx: Queryable,
    organizationIds: readonly string[],
    choices: Pick<ExportOrder, 'withPasswords' | 'withOtp' | 'withPasskeys' | 'withSecrets'>,
  ): AsyncIterable<ExportContent>
}

/**
 * Exports whole organizations from one snapshot in parts. The snapshot stays open while parts are read, and
 * is released when the reader disconnects. The audit event is committed before the first part.
 */
export function createExportOrganizations(source: ExportSource) {
  return async function* (order: ExportOrder): AsyncIterable<ExportMessage> {
    const { organizationIds, withPasswords, withOtp, withPasskeys, withSecrets, actor } = order
    await source.record({
      actor,
      action: 'export',
      result: 'success',
      details: {
        organizations: organizationIds.slice(0, 100),
        with_passwords: withPasswords,
        with_otp: withOtp,
        with_passkeys: withPasskeys,
        with_secrets: withSecrets,
      },
    })
    const handOver = createHandOver<ExportMessage>()
    const reading = source
      .snapshot((tx) => readAll(tx, order, handOver.give))
      .then(handOver.end, (error: unknown) => handOver.fail(error))
    try {
      yield* handOver.taken
    } finally {
      handOver.leave()
      await reading
    }
  }

  async function readAll(tx: Queryable, order: ExportOrder, give: (message: ExportMessage) => Promise<void>) {
    const ids = await source.organizations(tx, order)
    const known = new Set([...ids, ...order.excludedIds])
    const unknownIds = order.organizationIds.filter((id) => !known.has(id))
    const { users, administrators, ...withheld } = await source.plan(tx, ids)
    const notes = withheldNotes(withheld, order)
    await give({ plan: { users, administrators, organizations: ids.length, unknownIds, notes } })
    for await (const content of source.contents(tx, ids, order)) await give(content)
  }
}

function withheldNotes(
  { keys, tokens, unaccepted, passkeys, identityProviders }: Withheld,
  { withPasskeys, withSecrets }: ExportOrder,
): readonly string[] {
  return [
    ...(keys > 0
      ? [`not exported: ${keys} keys of service users and applications; register new ones on the target`]
      : []),
    ...(tokens > 0 ? [`not exported: ${tokens} personal access tokens`] : []),
    ...(unaccepted > 0
      ? [`not exported: ${unaccepted} memberships and project grants that are not accepted yet`]
      : []),
    ...(passkeys > 0 && !withPasskeys
      ? [`not exported: ${passkeys} passkeys; with_passkeys exports them`]
      : []),
    ...(identityProviders > 0 && !withSecrets
      ? [`not exported: the secrets of ${identityProviders} identity providers; with_secrets exports them`]
      : []),
  ]
}

/** Lets something that pushes feed something that pulls, one value at a time. */
interface HandOver<T> {
  /** Resolves when the value was consumed; rejects when the consumer has left. */
  readonly give: (value: T) => Promise<void>
  readonly end: () => void
  readonly fail: (error: unknown) => void
  /** The consumer takes no further values. */
  readonly leave: () => void
  readonly taken: AsyncIterable<T>
}

type Offer<T> = { readonly value: T } | { readonly end: true } | { readonly error: unknown }

function createHandOver<T>(): HandOver<T> {
  let offer: Offer<T> | undefined
  let left = false
  let onOffer: (() => void) | undefined
  let onTaken: { resolve(): void; reject(error: Error): void } | undefined

  function put(next: Offer<T>): void {
    offer = next
    onOffer?.()
  }

  async function* take(): AsyncIterable<T> {
    for (;;) {
      if (offer === undefined) await new Promise<void>((resolve) => (onOffer = resolve))
      const current = offer
      if (current === undefined) continue
      if ('end' in current) return
      if ('error' in current) throw current.error
      yield current.value
      // Only now: while a value is being worked on, the next one need not be there yet.
      offer = undefined
      onTaken?.resolve()
    }
  }

  return {
    give: (value) =>
      new Promise((resolve, reject) => {
        if (left) return reject(new Error('nobody takes any more'))
        onTaken = { resolve, reject }
        put({ value })
      }),
    end: () => put({ end: true }),
    fail: (error) => put({ error }),
    leave() {
      left = true
      onTaken?.reject(new Error('nobody takes any more'))
    },
    taken: take(),
  }
}
