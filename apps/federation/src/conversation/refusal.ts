import { jsonText } from '../json-text.ts'

/** The names of the rules by which a sign-in is refused. They are in the log and in a metric: a name is not changed. */
export const RULES = [
  // The provider, and what is under way.
  ...(['provider_unknown', 'provider_not_usable', 'provider_type_unknown', 'organization_differs'] as const),
  ...(['directory_away', 'too_many_under_way', 'too_many_requests'] as const),
  // Calls.
  ...(['address_refused', 'issuer_without_tls', 'endpoint_without_tls', 'redirect_refused'] as const),
  ...([
    'provider_away',
    'provider_failed',
    'unexpected_status',
    'answer_too_long',
    'answer_malformed',
  ] as const),
  ...(['discovery_issuer_differs', 'discovery_malformed', 'keys_malformed'] as const),
  // The stored request and the response in the browser.
  ...(['request_unknown', 'request_expired', 'request_unreadable', 'browser_differs'] as const),
  ...(['provider_differs', 'provider_changed', 'response_malformed', 'response_issuer_differs'] as const),
  ...(['upstream_error', 'token_refused', 'purpose_differs', 'client_authentication_refused'] as const),
  // The ID token.
  ...(['id_token_missing', 'id_token_malformed', 'algorithm_refused', 'key_unknown'] as const),
  ...(['signature_invalid', 'issuer_differs', 'audience_differs', 'authorized_party_differs'] as const),
  ...(['nonce_differs', 'id_token_expired', 'id_token_not_yet_valid', 'claim_missing'] as const),
  ...(['authentication_time_missing', 'authentication_too_old', 'required_claim_differs'] as const),
  // The sign-out at the provider.
  'logout_endpoint_missing',
  // The messages of a sign-out of SAML.
  ...(['logout_message_malformed', 'logout_message_expired'] as const),
  // The logout token.
  ...([
    'logout_not_enabled',
    'logout_token_malformed',
    'logout_token_expired',
    'logout_event_missing',
  ] as const),
  // The assertion.
  ...(['subject_missing', 'userinfo_refused', 'userinfo_subject_differs', 'too_many_groups'] as const),
  // The response of SAML, and its signatures.
  ...(['response_too_large', 'xml_refused', 'xml_malformed', 'id_repeated', 'assertion_encrypted'] as const),
  ...(['encryption_missing', 'encryption_malformed', 'decryption_failed'] as const),
  ...(['assertion_not_one', 'signature_missing', 'signature_misplaced', 'signature_malformed'] as const),
  ...(['signature_reference_differs', 'certificate_refused'] as const),
  // The assertion of SAML.
  ...(['response_unsolicited', 'request_differs', 'recipient_differs', 'destination_differs'] as const),
  ...(['assertion_malformed', 'assertion_expired', 'assertion_not_yet_valid', 'assertion_used'] as const),
  ...(['condition_unknown', 'subject_format_refused', 'subject_qualifier_differs'] as const),
  // The server of a directory.
  ...(['provider_type_differs', 'server_certificate_refused', 'start_tls_refused'] as const),
  ...(['own_bind_refused', 'search_refused', 'referral_refused'] as const),
  // The name and the password of a person.
  ...(['name_malformed', 'password_missing', 'person_unknown', 'person_ambiguous'] as const),
  ...(['password_wrong', 'password_expired'] as const),
  ...(['account_disabled', 'account_locked', 'account_expired'] as const),
] as const

export type Rule = (typeof RULES)[number]

interface RefusalDetails {
  /** The value that came and the expected one, without secrets. */
  readonly received?: unknown
  readonly expected?: unknown
  /** The person may try again. */
  readonly temporary?: boolean
  /** The person or the provider ended the sign-in. */
  readonly declined?: boolean
  /** Name and password are no pair that signs in: the answer is the same for each reason. */
  readonly isCredential?: boolean
  /** Whether a browser can cause the refusal alone: no signature of the provider covers what is refused. */
  readonly isUnproven?: boolean
  readonly cause?: unknown
}

/** A sign-in that does not happen. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly rule: Rule
  readonly received: string
  readonly expected: string
  readonly temporary: boolean
  readonly declined: boolean
  readonly isCredential: boolean
  readonly isUnproven: boolean

  constructor(
    rule: Rule,
    { received, expected, temporary, declined, isCredential, isUnproven, cause }: RefusalDetails = {},
  ) {
    super(rule, cause === undefined ? {} : { cause })
    this.rule = rule
    this.received = shown(received)
    this.expected = shown(expected)
    this.temporary = temporary ?? false
    this.declined = declined ?? false
    this.isCredential = isCredential ?? false
    this.isUnproven = isUnproven ?? false
  }
}

/** Reads what came through a browser, before a signature of the provider is verified. Refusals say so. */
export function unproven<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const { rule, cause } = error
    throw new Refused(rule, { ...error, cause, isUnproven: true })
  }
}

const MOST_SHOWN = 200

/** A value of a provider as a log line may have it. */
function shown(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : (jsonText(value) ?? '')
  return text.slice(0, MOST_SHOWN).replaceAll(/[^\x20-\x7e]/g, '?')
}
