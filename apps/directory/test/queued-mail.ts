import type { DirectoryFixture } from './directory-fixture.ts'

/** A message in the outbox, which no API shows: those that were sent arrive at the SMTP server of a test. */
interface QueuedMail {
  readonly kind: string
  readonly userId: string | null
  readonly organizationId: string | null
  /** Whether the message counts for the limit of its recipient. */
  readonly counts: boolean
  readonly language: string | null
  readonly address: string | null
  /** The organization whose SMTP server sends it; null is the server of the instance. */
  readonly smtp: string | null
  readonly failures: number
  readonly outcome: string | null
  /** Whether the row still holds the sealed request. */
  readonly isSealed: boolean
}

/** Returns the messages of the outbox by kind and user, those that were delivered included. */
export const queuedMail = ({ rows }: Pick<DirectoryFixture, 'rows'>): Promise<readonly QueuedMail[]> =>
  rows<QueuedMail>(
    `SELECT kind, user_id AS "userId", organization_id AS "organizationId", recipient_key IS NOT NULL AS counts, language,
            address, smtp, failures, outcome, sealed_request IS NOT NULL AS "isSealed"
       FROM directory.mail_delivery ORDER BY kind, user_id`,
  )
