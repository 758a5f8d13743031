// Changes of an e-mail address by its owner. The address changes when its owner proves the new one, signed in.
import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Clock } from '@signet/platform/runtime/clock'
import { emailAddressKey } from '@signet/protocol/email-address'
import type { MailStore } from '../mail/mail.repository.ts'
import type { QueueOutcome } from '../mail/queued-message.ts'
import { email } from '../schema/fields.ts'
import type { Recovery, Refusal } from './recovery.ts'

interface OwnChange {
  readonly userId: string
  readonly clientAddress?: string | undefined
}

/** `same`: the account has this address, confirmed. The others say why no message was queued. */
type RequestOutcome = 'queued' | 'invalid' | 'same' | 'no_server' | 'limited'

/** `verified`: there is no address to confirm. The others say why no message was queued. */
type VerificationOutcome = 'queued' | 'verified' | 'no_server' | 'limited'

export interface EmailChanges {
  /** Queues a message with a link and a code for the new address. */
  request(
    change: OwnChange & { readonly address: string; readonly language: string },
  ): Promise<RequestOutcome>
  /** Queues the message that proves the address of the account again. */
  requestVerification(change: OwnChange & { readonly language: string }): Promise<VerificationOutcome>
  /** The person and the address of the token of a link, which is not spent. */
  find(
    presented: Pick<OwnChange, 'clientAddress'> & { readonly secret: string },
  ): Promise<Refusal | { readonly userId: string; readonly address: string }>
  /** Sets the address that a token or code of this person proves, and queues a notice for the former one. */
  confirm(change: OwnChange & { readonly secret: string }): ReturnType<Recovery['verifyEmail']>
}

interface Dependencies {
  readonly recovery: Pick<Recovery, 'checkLink' | 'verifyEmail'>
  /** Runs the work in one transaction. */
  readonly transact: <T>(
    work: (stores: {
      readonly mail: Pick<MailStore, 'findRecipient' | 'queue'>
      readonly record: (event: AuditEvent) => Promise<void>
    }) => Promise<T>,
  ) => Promise<T>
  readonly now: Clock
}

export function createEmailChanges({ recovery, transact, now }: Dependencies): EmailChanges {
  return {
    async request({ userId, clientAddress, address, language }) {
      const parsed = email.safeParse(address)
      if (!parsed.success) return 'invalid'
      const to = { address: parsed.data, key: emailAddressKey(parsed.data) }
      return transact(async ({ mail, record }) => {
        const recipient = await mail.findRecipient(userId, to)
        if (recipient?.accountEmailKey === to.key && recipient.emailVerified) return 'same'
        const outcome = await mail.queue({ kind: 'email_change', userId, language, at: now(), to })
        const { organizationId } = recipient ?? {}
        await record(requested('email_change.request', { userId, clientAddress, organizationId }, outcome))
        if (outcome === 'queued' || outcome === 'no_server') return outcome
        return outcome === 'no_address' ? 'invalid' : 'limited'
      })
    },
    async requestVerification({ userId, clientAddress, language }) {
      return transact(async ({ mail, record }) => {
        const recipient = await mail.findRecipient(userId)
        if (recipient === undefined || recipient.emailVerified) return 'verified'
        const message = {
          kind: 'email_verification',
          userId,
          language,
          at: now(),
          byRecipient: true,
        } as const
        const outcome = await mail.queue(message)
        const { organizationId } = recipient
        await record(
          requested('email_verification.request', { userId, clientAddress, organizationId }, outcome),
        )
        return outcome === 'queued' || outcome === 'no_server' ? outcome : 'limited'
      })
    },
    async find({ secret, clientAddress }) {
      const found = await recovery.checkLink({ secret, purpose: 'email_change', clientAddress })
      return 'refused' in found ? found : { userId: found.userId, address: found.newEmail ?? '' }
    },
    confirm: ({ userId, clientAddress, secret }) =>
      recovery.verifyEmail({ secret, purpose: 'email_change', clientAddress, userId }),
  }
}

function requested(
  action: string,
  { userId, clientAddress, organizationId }: OwnChange & { readonly organizationId: string | undefined },
  outcome: QueueOutcome,
): AuditEvent {
  return {
    actor: { kind: 'human', id: userId },
    action,
    target: { kind: 'user', id: userId },
    organizationId,
    clientAddress,
    ...(outcome === 'queued' ? { result: 'success' } : { result: 'refused', details: { reason: outcome } }),
  }
}
