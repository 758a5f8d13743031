import type { PasskeyParty } from '@signet/platform/config/passkey-settings'
import type { OwnPasskey, PasskeyPerson } from './own-passkey.ts'
import type { ChallengeUse, PasskeyChallenges } from './passkey-challenge.ts'

/** PublicKeyCredentialRequestOptionsJSON or PublicKeyCredentialCreationOptionsJSON. */
type Options = Readonly<Record<string, unknown>>

/** Creates the options of ceremonies (WebAuthn Level 3 sections 5.4 and 5.5), each with a new challenge. */
export interface PasskeyOptions {
  /** Without `passkeys` the person chooses among those that their authenticators hold for this service. */
  get(use: ChallengeUse, passkeys?: readonly OwnPasskey[]): Options
  create(use: ChallengeUse, person: PasskeyPerson): Options
}

/** User verification is required everywhere: a stolen device alone neither signs in nor adds a passkey. */
const userVerification = 'required'
const TIMEOUT_MS = 5 * 60_000

// EdDSA, ES256 and RS256, which Windows Hello uses.
const ALGORITHMS = [-8, -7, -257].map((alg) => ({ type: 'public-key', alg }))

const descriptors = (passkeys: readonly OwnPasskey[]) =>
  passkeys.map(({ credentialId, transports }) => ({ type: 'public-key', id: credentialId, transports }))

export function createPasskeyOptions(
  { rpId }: PasskeyParty,
  challenges: Pick<PasskeyChallenges, 'issue'>,
): PasskeyOptions {
  return {
    get: (use, passkeys = []) => ({
      challenge: challenges.issue(use),
      rpId,
      timeout: TIMEOUT_MS,
      userVerification,
      allowCredentials: descriptors(passkeys),
    }),
    create: (use, { userHandle, loginName, displayName, passkeys }) => ({
      challenge: challenges.issue(use),
      rp: { id: rpId, name: rpId },
      user: { id: userHandle, name: loginName, displayName },
      pubKeyCredParams: ALGORITHMS,
      timeout: TIMEOUT_MS,
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification },
      excludeCredentials: descriptors(passkeys),
    }),
  }
}
