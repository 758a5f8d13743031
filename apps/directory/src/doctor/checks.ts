/** An object that a check concerns. */
export interface DoctorFinding {
  readonly kind:
    | 'application'
    | 'database'
    | 'identity_provider'
    | 'organization'
    | 'process'
    | 'project'
    | 'project_grant'
    | 'token'
    | 'user'
  readonly id: string
  readonly organizationId: string | null
  /** The relevant property of the object, such as a role or an address. */
  readonly detail: string
}

/** The texts of a check for an administrator: the finding, and the remedy for each object. */
interface Check {
  readonly title: string
  readonly remedy: string
}

/** Every check, in the order in which an administrator should act. The SQL of each stands in the doctor store. */
export const CHECKS = {
  reserved_id: {
    title: 'Objects with the reserved id signet or zitadel: their clients cannot authenticate',
    remedy:
      'Create the object again under another id, change the clients, and take the id out of bootstrap files.',
  },
  foreign_name: {
    title:
      'Clients have the id of a project of another organization: APIs of that project take their tokens for their own',
    remedy:
      'Give the client another clientId, or delete it, and ask the owner of the project about its APIs.',
  },
  api_audience: {
    title: 'Applications ask for the audience of the management API without mayCallApi',
    remedy:
      'If people shall administer through the application: signet application update ID --set mayCallApi=true. Otherwise take the scope out of its requests, which are refused with invalid_scope.',
  },
  foreign_audience: {
    title: 'Applications ask for the audience of a project that does not allow them',
    remedy:
      'If the owner of the project agrees, add the client_id to its allowedAudiences. Otherwise take the scope out of the requests, which are refused with invalid_scope.',
  },
  first_party: {
    title: 'First-party applications, which ask no person of any organization for consent',
    remedy:
      'Keep the mark for applications of the operator. For others: signet application update ID --set firstParty=false; a person of another organization is then asked once, one of its own organization or of one with the project is not.',
  },
  refused_uri: {
    title:
      'Applications have URIs that may not be registered any more, and that people are not redirected to',
    remedy:
      'Register an https URI instead; http is for loopback hosts, or for development: signet application update ID --set devMode=true.',
  },
  guessable_secret: {
    title:
      'Client secrets are a placeholder of a file or a known sample, so each reader of the file knows them',
    remedy:
      'Rotate the secret: signet application rotate-secret ID. Others that came from the same file can be placeholders too: a secret is stored as a hash, and only names made of the client_id are tried.',
  },
  placeholder: {
    title: 'Members hold a placeholder that the deployment should have filled in',
    remedy:
      'Set the value, or delete it. Look at the file that it came from: its passwords and client secrets may be placeholders too, which a hash does not show.',
  },
  refused_value: {
    title: 'Members have values that neither the management API nor an import takes any more',
    remedy:
      'Set another value, or delete it. ID tokens and userinfo leave picture, profile and website out unless they are http or https.',
  },
  refused_key: {
    title: 'Users and applications have RSA keys that verify nothing any more',
    remedy: 'Register a key of 2048 to 4096 bits with the exponent 65537, then delete the old one.',
  },
  foreign_member: {
    title: 'Users hold a role in another organization',
    remedy: 'Ask both organizations. Take a role away that one of them does not know of.',
  },
  project_grant: {
    title: 'Projects are granted to other organizations',
    remedy: 'Ask the receiving organization. It can end a grant that it does not want.',
  },
  foreign_email: {
    title: 'E-mail addresses are marked as verified in a verified domain of another organization',
    remedy: 'Ask the owner of the domain. Set verified to false where the address is not proven.',
  },
  shared_email: {
    title:
      'Several users have the same verified e-mail address, so it signs in none of them without an organization',
    remedy: 'Set verified to false for the users that do not own the address.',
  },
  token_without_end: {
    title: 'Personal access tokens have no end or a later one than the instance allows for new tokens',
    remedy: 'Create a token with an end, change the client, then delete the old one.',
  },
  second_factor: {
    title: 'Organizations force a second factor, and some of their people have none',
    remedy: 'Tell the people: each adds an authenticator app or a passkey at the next sign-in.',
  },
  stopped_factor: {
    title: 'People cannot sign in: their only second factors no longer count, and they have no recovery code',
    remedy:
      'Make sure who asks, then delete the passkeys of the person (signet user passkey delete): a new factor is added at the next sign-in.',
  },
  password_sign_in: {
    title: 'Organizations forbid sign-in with a password, so none of their people can sign in',
    remedy: 'Set allowUsernamePassword to true in the login policy.',
  },
  no_sign_in: {
    title: 'Applications that people cannot sign in to: they have no redirect URI or no flow',
    remedy:
      'Register the exact callback: signet application update ID --set redirectUris+=URI --set responseTypes+=code. Or delete the application.',
  },
  certificates_off: {
    title:
      'Applications use certificates, which no service takes: SIGNET_MTLS_ORIGIN is not set, so discovery has no mtls_endpoint_aliases',
    remedy:
      'Set SIGNET_MTLS_ORIGIN in all services (docs/guides/mutual-tls.md). Or give the application another authMethod, and tlsClientCertificateBoundAccessTokens=false.',
  },
  saml_certificate: {
    title: 'Certificates of SAML providers, or own ones there, have expired or expire within 30 days',
    remedy:
      'Ask the provider for its new certificate and import its metadata: signet identity-provider import-metadata ID --file metadata.xml. Its sign-ins are refused when it signs with a key that it did not give. Take a certificate out that it has replaced. Replace an own one: signet identity-provider add-key ID, then retire-key ID.',
  },
  no_credentials: {
    title: 'Organizations have active people with neither a password nor a passkey, who cannot sign in',
    remedy:
      'Invite them: signet invite --without-credentials --organization ID. Or deactivate those who shall not sign in.',
  },
  pkce_optional: {
    title: 'Public applications may go on without PKCE, so a stolen code gets tokens',
    remedy:
      'When the application sends a code challenge: signet application update ID --set pkceOptional=false.',
  },
  implicit_access_token: {
    title: 'Applications get access tokens in the URL of the browser (RFC 9700 section 2.1.2)',
    remedy:
      'Let the application send response_type=code, then: signet application review ID. It lists further findings, too.',
  },
  large_id_token: {
    title: 'ID tokens of applications pass 4,096 characters, so they fit into no cookie',
    remedy:
      'Read the roles at userinfo instead: signet application update ID --set idTokenRoleAssertion=false. Or give the person fewer roles, with shorter keys. The log names each such token as id_token_large.',
  },
  process_clock: {
    title: 'The wall clock of a process of directory is away from that of PostgreSQL',
    remedy:
      'Let the machine set its clock by NTP. This finding is about the process that responded; signet_clock_offset_seconds and the alert SignetClockDiffers name every other one, and doctor --prometheus lists them.',
  },
  wal_archive: {
    title: 'PostgreSQL does not archive its log, so a point-in-time recovery would lose what came since',
    remedy:
      'Read the log of PostgreSQL for its archive_command, then docs/runbooks/back-up-and-restore.md. The server does not know of dumps.',
  },
} as const satisfies Readonly<Record<string, Check>>

export type CheckId = keyof typeof CHECKS

/** The checks whose findings are about one organization alone, so that those who may see it may see them. */
export const CHECKS_OF_ORGANIZATION: readonly CheckId[] = [
  'first_party',
  'refused_uri',
  'guessable_secret',
  'placeholder',
  'refused_value',
  'refused_key',
  'token_without_end',
  'second_factor',
  'stopped_factor',
  'password_sign_in',
  'no_sign_in',
  'certificates_off',
  'saml_certificate',
  'no_credentials',
  'pkce_optional',
  'implicit_access_token',
  'large_id_token',
]
