import type { DoctorFinding } from './checks.ts'

/** The kinds of stored secrets, in the order in which they are listed, with what replaces each. The SQL of each stands in the store. */
export const STATIC_SECRETS = {
  application_secret:
    'authMethod private_key_jwt, a certificate (docs/guides/mutual-tls.md), or the token of its platform: signet trust add (docs/guides/workloads.md)',
  service_user_secret: 'the token of its platform: signet trust add (docs/guides/workloads.md), or a key',
  personal_access_token:
    'a service user that trusts the issuer of its platform: signet trust add (docs/guides/workloads.md)',
  registration_token: 'clients with a URL, which need no token (docs/guides/client-documents.md)',
  identity_provider_secret: 'clientAuthentication private_key_jwt, where the provider takes it',
  ldap_bind_password: 'nothing yet: the directory server wants it for each search',
  mail_server_password: 'a mail server that knows the network of Signet',
  database_password:
    'a client certificate where PostgreSQL takes one: the connection of this process presents none',
} as const

export type StaticSecretKind = keyof typeof STATIC_SECRETS

/** The static secrets of one kind: their number, what replaces them, and the first of them by who holds them. */
export interface StaticSecrets {
  readonly kind: StaticSecretKind
  readonly count: number
  readonly replacement: string
  readonly secrets: readonly DoctorFinding[]
}
