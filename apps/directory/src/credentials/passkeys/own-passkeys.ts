import type { AuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { PasskeyParty } from '@signet/platform/config/passkey-settings'
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/tokens/identifiers'
import { verifyRegistrationResponse } from '@simplewebauthn/server'
import { firstName } from './authenticator-names.ts'
import type { PasskeyOwner, PasskeyStore } from './passkey.repository.ts'
import { MOST_PASSKEYS, type OwnPasskey, passkeyMethods, readAttestation } from './passkey.ts'

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

/** Passkeys as their owners see and change them. The caller has authenticated the person a short time ago. */
export function ownPasskeys({ party, passkeys, audit, newId, random, now }: Dependencies) {
  const event = (
    action: string,
    { userId, clientAddress }: Owner,
    more: Partial<AuditEvent> = {},
  ): AuditEvent => ({
    actor: { kind: 'human', id: userId },
    action,
    target: { kind: 'user', id: userId },
    clientAddress,
    result: 'success',
    ...more,
  })

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
    /**
     * Verifies an attestation (WebAuthn Level 3 section 7.1) and stores the passkey. Returns its authentication methods,
     * and undefined when it was refused. The attestation statement is not asked for, so the AAGUID proves nothing.
     */
    async add(
      request: Owner & {
        readonly response: string
        readonly challenge: string
        /** Without it an account that has a factor already is refused. */
        readonly factorProven: boolean
      },
    ): Promise<readonly string[] | undefined> {
      const owner = await passkeys?.begin(request.userId, random(HANDLE_BYTES))
      const refuse = async (reason: string) => {
        const details = { reason }
        const organizationId = owner?.organizationId
        await audit.record(event('passkey.create', request, { result: 'refused', details, organizationId }))
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
      const added = event('passkey.create', request, {
        target: { kind: 'passkey', id: passkey.id },
        organizationId,
      })
      const reason = await passkeys.add(passkey, added, request)
      return reason === undefined ? passkeyMethods(passkey) : refuse(reason)
    },
    async rename({
      id,
      name,
      ...owner
    }: Owner & { readonly id: string; readonly name: string }): Promise<void> {
      await passkeys?.rename(
        owner.userId,
        id,
        name,
        event('passkey.rename', owner, { target: { kind: 'passkey', id } }),
      )
    },
    async delete({ id, ...owner }: Owner & { readonly id: string }): Promise<void> {
      await passkeys?.delete(
        owner.userId,
        id,
        event('passkey.delete', owner, { target: { kind: 'passkey', id } }),
        now(),
      )
    },
    async skipOffer(userId: string): Promise<void> {
      await passkeys?.skipOffer(userId, random(HANDLE_BYTES), now())
    },
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
      return registrationInfo
    } catch {
      // The library throws for each rule that the response breaks.
      return undefined
    }
  }
}

export type OwnPasskeys = ReturnType<typeof ownPasskeys>
