import type { AuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import type { PasskeyParty } from '@signet/platform/config/passkey-settings'
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/tokens/identifiers'
import { verifyRegistrationResponse } from '@simplewebauthn/server'
import { ownEvent } from '../audit/own-event.ts'
import type { PasskeyStore } from './passkey.repository.ts'
import type { PasskeyOwner } from './passkey.ts'
import {
  MOST_CREDENTIAL_ID_BYTES,
  MOST_PASSKEYS,
  type OwnPasskey,
  passkeyMethods,
  readAttestation,
} from './passkey.ts'

interface Owner {
  readonly userId: string
  readonly clientAddress?: string
}

interface Dependencies {
  /** Undefined: there are no passkeys. */
  readonly party: PasskeyParty | undefined
  readonly passkeys: PasskeyStore | undefined
  readonly audit: AuditRecorder
  readonly newId: () => string
  readonly random: RandomBytes
  readonly now: Clock
}

const HANDLE_BYTES = 32

/** COSE algorithms that are accepted: EdDSA, ES256 and RS256, which Windows Hello uses. */
const PASSKEY_ALGORITHMS = [-8, -7, -257]

/** The response of an authenticator to the request for a new passkey. */
interface NewPasskey extends Owner {
  readonly response: string
  readonly challenge: string
  /** Whether a factor was proven: without it an account that has a factor already is refused. */
  readonly factorProven: boolean
}

/** Passkeys as their owners see and change them. The caller has authenticated the person a short time ago. */
export function ownPasskeys(dependencies: Dependencies) {
  const { passkeys, random, now } = dependencies
  return {
    async list(userId: string): Promise<{ passkeys: readonly OwnPasskey[]; mayAdd: boolean }> {
      if (passkeys === undefined) return { passkeys: [], mayAdd: false }
      const [held, isUsed] = await Promise.all([passkeys.list(userId), passkeys.isUsed(userId)])
      return { passkeys: held, mayAdd: isUsed && held.length < MOST_PASSKEYS }
    },
    /** Returns undefined where no passkey can be added. */
    async begin(
      userId: string,
    ): Promise<(PasskeyOwner & { readonly passkeys: readonly OwnPasskey[] }) | undefined> {
      const owner = await passkeys?.begin(userId, random(HANDLE_BYTES))
      return owner && passkeys && { ...owner, passkeys: await passkeys.list(userId) }
    },
    add: (request: NewPasskey) => addPasskey(dependencies, request),
    async rename({
      id,
      name,
      ...owner
    }: Owner & { readonly id: string; readonly name: string }): Promise<void> {
      await passkeys?.rename(
        owner.userId,
        id,
        name,
        ownEvent('passkey.rename', owner, { target: { kind: 'passkey', id } }),
      )
    },
    async delete({ id, ...owner }: Owner & { readonly id: string }): Promise<void> {
      await passkeys?.delete(
        owner.userId,
        id,
        ownEvent('passkey.delete', owner, { target: { kind: 'passkey', id } }),
        now(),
      )
    },
    async skipOffer(userId: string): Promise<void> {
      await passkeys?.skipOffer(userId, random(HANDLE_BYTES), now())
    },
  }
}

export type OwnPasskeys = ReturnType<typeof ownPasskeys>

/**
 * Verifies an attestation (WebAuthn Level 3 section 7.1) and stores the passkey. Returns it with its authentication
 * methods, and undefined when it was refused. The attestation statement is not asked for, so the AAGUID proves nothing.
 */
async function addPasskey(
  { party, passkeys, audit, newId, random, now }: Dependencies,
  request: NewPasskey,
): Promise<{ readonly passkeyId: string; readonly amr: readonly string[] } | undefined> {
  const owner = await passkeys?.begin(request.userId, random(HANDLE_BYTES))
  const refuse = async (reason: string) => {
    const details = { reason }
    const organizationId = owner?.organizationId
    await audit.record(ownEvent('passkey.create', request, { result: 'refused', details, organizationId }))
    return undefined
  }
  if (passkeys === undefined || party === undefined || owner === undefined) {
    return refuse('passkey_not_allowed')
  }
  const made = await verified(request.response, request.challenge, party)
  if (made === undefined) return refuse('passkey_wrong')
  const { aaguid, credential, credentialDeviceType, credentialBackedUp } = made
  const names = (await passkeys.list(request.userId)).map(({ name }) => name)
  const passkey = {
    id: newId(),
    userId: request.userId,
    rpId: party.rpId,
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: credential.transports ?? [],
    aaguid,
    name: firstName(aaguid, names),
    backupEligible: credentialDeviceType === 'multiDevice',
    backedUp: credentialBackedUp,
    createdAt: now(),
  }
  const { organizationId } = owner
  const added = ownEvent('passkey.create', request, {
    target: { kind: 'passkey', id: passkey.id },
    organizationId,
  })
  const reason = await passkeys.add(passkey, added, request)
  return reason === undefined ? { passkeyId: passkey.id, amr: passkeyMethods(passkey) } : refuse(reason)
}

async function verified(text: string, challenge: string, { origin, rpId }: PasskeyParty) {
  const response = readAttestation(text)
  if (response === undefined) return undefined
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
    })
    const id = Buffer.from(registrationInfo?.credential.id ?? '', 'base64url')
    return id.length > MOST_CREDENTIAL_ID_BYTES ? undefined : registrationInfo
  } catch {
    // The library throws for each rule that the response breaks.
    return undefined
  }
}

/**
 * Names of password managers and operating systems by their AAGUID. The AAGUID is not attested, so it serves only as
 * the first name of a passkey, which its owner can change.
 */
const NAMES: Readonly<Record<string, string>> = {
  '08987058-cadc-4b81-b6e1-30de50dcbe96': 'Windows Hello',
  '0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6': 'Keeper',
  '50726f74-6f6e-5061-7373-50726f746f6e': 'Proton Pass',
  '531126d6-e717-415c-9320-3d9aa6981239': 'Dashlane',
  '53414d53-554e-4700-0000-000000000000': 'Samsung Pass',
  '6028b017-b1d4-4c02-b4b3-afcdafc96bb2': 'Windows Hello',
  '771b48fd-d3d4-4f74-9232-fc157ab0507a': 'Edge on Mac',
  '9ddd1817-af5a-4672-a2b9-3e3dd95000a9': 'Windows Hello',
  'adce0002-35bc-c60a-648b-0b25f1f05503': 'Chrome on Mac',
  'b5397666-4885-aa6b-cebf-e52262a439a2': 'Chromium',
  'b84e4048-15dc-4dd0-8640-f4f60813c8af': 'NordPass',
  'bada5566-a7aa-401f-bd96-45619a55120d': '1Password',
  'd548826e-79b4-db40-a3d8-11116f7e8349': 'Bitwarden',
  'dd4ec289-e01d-41c9-bb89-70fa845d4bf2': 'iCloud Keychain (managed)',
  'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4': 'Google Password Manager',
  'f3809540-7f14-49c1-a8b3-8f813b225541': 'Enpass',
  'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'iCloud Keychain',
  'fdb141b2-5d84-443e-8a35-4698c205a502': 'KeePassXC',
}

/** The first name of a passkey; `held` are the names that its owner uses already. */
function firstName(aaguid: string, held: readonly string[]): string {
  const known = NAMES[aaguid] ?? 'Passkey'
  const names = [known, ...held.map((_, at) => `${known} ${at + 2}`)]
  return names.find((name) => !held.includes(name)) ?? known
}
