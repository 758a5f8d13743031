import type { PasskeyParty } from '@signet/platform/config/passkey-settings'
import type { OwnPasskey, PasskeyPerson } from './own-passkey.ts'
import type { ChallengeUse, PasskeyChallenges } from './passkey-challenge.ts'

/** PublicKeyCredentialRequestOptionsJSON or PublicKeyCredentialCreationOptionsJSON. */
type Options = Readonly<Record<string, unknown>>

/** Creates the options of WebAuthn calls (Level 3 sections 5.4 and 5.5), each with a new challenge. */
export interface PasskeyOptions {
  /**
   * Options of an authentication. Without `passkeys` the person chooses one of the discoverable passkeys for this
   * service.
   */
  get(use: ChallengeUse, passkeys?: readonly OwnPasskey[]): Options
  create(use: ChallengeUse, person: PasskeyPerson): Options
}

/** User verification is always required, so that a stolen device alone can neither sign in nor add a passkey. */
const userVerification = 'required'
const TIMEOUT_MS = 5 * 60_000

// EdDSA, ES256, and RS256 for Windows Hello.
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
