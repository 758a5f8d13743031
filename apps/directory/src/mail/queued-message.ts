import type { MessageKind } from './texts/mail.schema.ts'

/** An address with its normalised form. */
export interface Address {
  readonly address: string
  readonly key: string
}

/** The person that a message goes to. */
export interface Recipient {
  readonly userId: string
  readonly organizationId: string
  /** Account and organization. */
  readonly active: boolean
  readonly email: string
  readonly emailKey: string
  /** Key of the address of the account, which may be another one; empty without an address. */
  readonly accountEmailKey: string
  readonly emailVerified: boolean
  readonly hasPassword: boolean
  readonly userEpoch: number
  /** The login policy of the organization lets people sign in with passwords. */
  readonly allowsPassword: boolean
  /** The policies of the organization let people reset their passwords. */
  readonly offersReset: boolean
  /**
   * The person holds a role of the instance or in another organization. Their own organization must not see a link that
   * sets their password, so neither its SMTP server nor its texts are used.
   */
  readonly reachesFurther: boolean
  readonly preferredLanguage: string | null
  readonly preferredLoginName: string
  readonly organizationName: string
  readonly userName: string
  readonly displayName: string
  readonly givenName: string | null
  readonly familyName: string | null
  readonly nickname: string | null
}

/** A message to queue. */
export interface NewMessage {
  readonly kind: MessageKind
  readonly userId: string
  readonly language?: string | undefined
  readonly at: Date
  /** The id of the delivery, so that a repetition queues nothing; generated when left out. */
  readonly id?: string
  /** The person asked for it, so the limit of the organization does not hold. */
  readonly byRecipient?: boolean
  /** Instead of the address of the account. */
  readonly to?: Address
  readonly askedBy?: AskedBy
  /** The `client_id` of the application from which the person came. */
  readonly clientId?: string | undefined
  /** The origin of a sign-in, sealed for `id`. */
  readonly sealedOrigin?: Buffer | undefined
  /** The account whose call asked for the message. */
  readonly askedByUser?: string | undefined
}

/** Requester of a message with a link, unless it is the person of an account that was known before. */
export type AskedBy = 'registration' | 'administrator'

/** `repeated`: a message of that id is there already. The others say why no message was queued. */
export type QueueOutcome =
  | 'queued'
  | 'repeated'
  | 'no_address'
  | 'no_server'
  | 'limited'
  | 'organization_limited'
