// The purposes of sealed values: a value that is moved to another row does not open there.

/** The setting with the keys of all of them. */
export const MASTER_KEY_SETTING = 'SIGNET_DIRECTORY_MASTER_KEY'

/** A stored value was sealed under a key that the setting does not list, or was altered. */
export class MasterKeyUnknownError extends Error {
  override readonly name = 'MasterKeyUnknownError'

  constructor(value: string) {
    super(`no key of ${MASTER_KEY_SETTING} opens ${value}`)
  }
}

/** The known text by which a start finds out whether it has the right master key. */
export const CHECK_PURPOSE = 'directory master key check'

/** The stored response of a call of the management API. */
export const idempotencyPurpose = (callerId: string, key: string): string => `idempotency ${callerId} ${key}`

/** A record that an import carries. */
export const carriedPurpose = (organizationId: string, list: string, key: string): string =>
  `carried_record ${organizationId} ${list} ${key}`

/** The undo record of a batch. */
export const undoPurpose = (jobId: string, batch: number): string => `undo_batch ${jobId} ${batch}`

/** The form of a person who forgot a password. */
export const mailRequestPurpose = (deliveryId: string): string => `mail_delivery ${deliveryId}`

/** The client secret at an identity provider. */
export const identityProviderPurpose = (providerId: string): string => `identity_provider ${providerId}`

/** The keys of Signet at a SAML provider. */
export const ownKeysPurpose = (providerId: string): string => `identity_provider keys ${providerId}`

/** The password at the SMTP server of an organization. */
export const smtpPurpose = (organizationId: string): string => `organization_smtp ${organizationId}`
