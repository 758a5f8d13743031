import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Clock } from '@signet/platform/runtime/clock'
import { currentRequestId, duringRequest } from '@signet/platform/runtime/current-request'
import { openValue, sealValue } from '@signet/platform/sealing/sealed-value'
import { userNameKey } from '@signet/protocol/user-name'
import type { RandomBytes } from '@signet/tokens/identifiers'
import { createMasterKeyMac } from '@signet/tokens/master-key-mac'
import { firstClaims, isFoundByAddress, parseLoginName, type SignInContext } from '../accounts/login-name.ts'
import type { CredentialStore } from '../credentials/credential.repository.ts'
import type { MailStore } from '../mail/mail.repository.ts'
import type { ResolveRequest } from '../mail/mail-deliveries.ts'
import type { RegistrationStore, TryKind } from '../registration/registration.repository.ts'
import { MasterKeyUnknownError, mailRequestPurpose } from '../sealing/purposes.ts'

/** The form of a person who forgot a password. */
export interface ResetRequest extends SignInContext {
  readonly loginName: string
  readonly language: string
  readonly clientAddress?: string | undefined
}

/** The form as it is stored, with the id of the HTTP request that brought it. */
interface StoredRequest extends ResetRequest {
  readonly requestId?: string | undefined
}

interface Sealing {
  readonly masterKeys: readonly Buffer[]
  readonly random: RandomBytes
}

/** Limit of one network: enough for an office. */
const REQUESTS_PER_HOUR = 100
/** Limit of one network for one login name. */
const REQUESTS_PER_NAME_AND_HOUR = 5

interface RequestDeps extends Sealing {
  readonly mail: Pick<MailStore, 'queueRequest'>
  readonly tries: Pick<RegistrationStore, 'countTry'>
  readonly now: Clock
}

/**
 * Stores the request and nothing else, so that the response and its time are the same for every login name; a round of
 * the outbox resolves it. `throttled` after 5 requests of one network for a login name, or 100 for any, in an hour.
 */
export function createRequestReset({ mail, tries, masterKeys, random, now }: RequestDeps) {
  const names = createMasterKeyMac(masterKeys, 'signet names of reset requests')
  return async (request: ResetRequest): Promise<'accepted' | 'throttled'> => {
    const at = now()
    const name = names.of(userNameKey(request.loginName)).toString('base64url')
    const counts = (most: number, kind: TryKind) => tries.countTry(request.clientAddress, at, most, kind)
    if (!(await counts(REQUESTS_PER_NAME_AND_HOUR, `password_reset of ${name}`))) return 'throttled'
    if (!(await counts(REQUESTS_PER_HOUR, 'password_reset'))) return 'throttled'
    const stored: StoredRequest = { ...request, requestId: currentRequestId() }
    const plain = Buffer.from(JSON.stringify(stored))
    await mail.queueRequest({
      sealed: (id) => sealValue(masterKeys, plain, mailRequestPurpose(id), random),
      at,
    })
    return 'accepted'
  }
}

interface ResolveDeps extends Sealing {
  readonly credentials: Pick<CredentialStore, 'candidates'>
  readonly mail: Pick<MailStore, 'findRecipient'>
  /** Queues the message and records the event in one transaction. */
  readonly queueAndRecord: (message: Parameters<MailStore['queue']>[0], event: AuditEvent) => Promise<void>
  readonly now: Clock
}

/**
 * Queues the message for the account that a login name means, or for each account whose verified address it is, once however
 * often it is called. Nothing is queued for a name without an account, and for one that may not reset its password. To an
 * address that is not verified goes the message that proves it, through the server for proofs: its holder chooses a new
 * password, which ends everything that was set before.
 */
export function createResolveResetRequest(deps: ResolveDeps): ResolveRequest {
  const { credentials, mail, queueAndRecord, masterKeys, now } = deps
  return async ({ id, sealedRequest }) => {
    const plain = sealedRequest && openValue(masterKeys, sealedRequest, mailRequestPurpose(id))
    if (!plain) throw new MasterKeyUnknownError('the request of a person who forgot a password')
    const request = JSON.parse(plain.toString('utf8')) as StoredRequest
    await duringRequest(request.requestId, () => queueFor(request, id))
  }

  async function queueFor(request: StoredRequest, id: string): Promise<void> {
    const found = firstClaims(await credentials.candidates(parseLoginName(request.loginName), request))
    const { language, clientAddress, clientId } = request
    // Several accounts of one address cannot sign in by it; each message says the login name of its own.
    const meant = found.length === 1 || found.every(isFoundByAddress) ? found : []
    for (const { userId, organizationId, active } of meant) {
      const recipient = active ? await mail.findRecipient(userId) : undefined
      if (recipient === undefined || !recipient.offersReset) continue
      await queueAndRecord(
        {
          kind: recipient.emailVerified ? 'password_reset' : 'email_verification',
          userId,
          language,
          clientId,
          at: now(),
          id: meant.length === 1 ? `${id}.message` : `${id}.message.${userId}`,
          byRecipient: true,
        },
        {
          actor: { kind: 'anonymous' },
          action: 'password_reset.request',
          target: { kind: 'user', id: userId },
          organizationId,
          clientAddress,
          result: 'success',
        },
      )
    }
  }
}
