import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Logger } from '@signet/platform/logger/logger'
import type { Clock } from '@signet/platform/runtime/clock'
import type { AccountStore } from '../accounts/account.repository.ts'
import type { ResetFailures } from '../accounts/account.ts'
import type { CheckPassword } from '../credentials/password-check.ts'
import type { Epoch, PublishEndings } from '../epochs/epoch.ts'
import type { MailStore } from '../mail/mail.repository.ts'
import type { MailSecrets, PresentedSecret } from '../mail/mail-secret.ts'
import type { FoundToken, MailTokenStore, TokenHolder } from '../mail/mail-token.repository.ts'
import type { RegistrationStore } from '../registration/registration.repository.ts'
import type { Presented, PresentedInSession, Recovery, Refusal } from './recovery.ts'

export interface RecoveryStores {
  readonly tokens: MailTokenStore
  readonly accounts: Pick<AccountStore, 'passwordContext' | 'setPasswordAndRaiseEpoch'>
  readonly mail: Pick<MailStore, 'requestNotice' | 'queue'>
  /** Deletes all second factors, passkeys, recovery codes and trusted browsers; returns whether there were any. */
  readonly deleteFactors: (userId: string) => Promise<boolean>
  readonly record: (event: AuditEvent) => Promise<void>
}

interface Deps {
  readonly stores: RecoveryStores
  readonly transact: <T>(work: (stores: RecoveryStores) => Promise<T>) => Promise<T>
  readonly secrets: MailSecrets
  readonly tries: Pick<RegistrationStore, 'countTry' | 'forgetTry'>
  readonly hasher: PasswordHasher
  readonly checkPassword: CheckPassword
  readonly publishEndings: PublishEndings
  readonly resetFailures: ResetFailures
  readonly logger: Logger
  readonly now: Clock
}

/** Wrong codes that one network may type in an hour: a code has 60 random bits. Tokens have 256 and no limit. */
const CODES_PER_HOUR = 100

/** Refused tokens of one network that the audit log records in an hour. Refused codes are all recorded: they have a limit. */
const TOKENS_RECORDED_PER_HOUR = 20

const ACTIONS = {
  password_reset: 'password.reset',
  invitation: 'invitation.accept',
  email_verification: 'email.verify',
  email_change: 'email.change',
} as const

const INVALID = { refused: 'invalid' } as const

const isValid = (token: FoundToken | undefined): token is FoundToken & { readonly refusal: null } =>
  token?.refusal === null

export function createRecovery(deps: Deps): Recovery {
  const { stores, hasher, checkPassword, now } = deps

  return {
    check: async (presented) => checked(deps, presented, await present(deps, presented)),
    checkLink: async (presented) => checked(deps, presented, await presentLink(deps, presented)),

    async setPassword({ password, ...presented }) {
      const found = await findHolder(deps, presented, await present(deps, presented))
      if ('refused' in found) return found
      const { read, holder } = found
      const { userId } = holder
      if (!holder.allowsPassword) return { refused: 'password_sign_in_not_allowed' }
      const context = await stores.accounts.passwordContext(holder.organizationId, userId)
      const problems = await checkPassword(password, context)
      if (problems.length > 0) return { problems: [...new Set(problems.map(({ code }) => code))] }
      const hash = await hasher.hashPassword(password)
      const changed = await spend(
        deps,
        read,
        presented,
        async ({ accounts, mail, deleteFactors }, { emailVerified, clientId }) => {
          const isFirstProof = presented.purpose !== 'password_reset' || !emailVerified
          if (isFirstProof && (await deleteFactors(userId)))
            await mail.requestNotice({ kind: 'factor_removed', userId, at: now() })
          const epochs = await accounts.setPasswordAndRaiseEpoch(userId, {
            hash,
            changedAt: now(),
            changeRequired: false,
          })
          if (presented.purpose === 'password_reset')
            await mail.requestNotice({ kind: 'password_changed', userId, at: now() })
          return { epochs, clientId }
        },
      )
      if ('refused' in changed) return changed
      await endEverything(deps, userId, changed.epochs)
      return { done: true, clientId: changed.clientId, organizationId: holder.organizationId }
    },

    async verifyEmail(presented) {
      const read = await present(deps, presented)
      if ('refused' in read) return read
      const verified = await spend(deps, read, presented, async ({ tokens, mail }, holder) => {
        if (presented.purpose === 'email_change') {
          const { userId, email, emailKey } = holder
          await tokens.setNewEmail(holder, now())
          if (email !== null && emailKey !== null && holder.emailVerified)
            await queueNotice(deps, mail, { userId, to: { address: email, key: emailKey } })
        }
        return { done: true, clientId: holder.clientId } as const
      })
      if ('done' in verified) await wasRight(deps, presented, read)
      return verified
    },
  }
}

/** Counts a code as a try until it proves right, so that many at once get no more guesses. */
async function present(deps: Deps, presented: Presented): Promise<Refusal | PresentedSecret> {
  const { secrets, tries, now } = deps
  const { secret, clientAddress } = presented
  const read = secrets.read(secret)
  if (read === undefined) return refuse(deps, presented, undefined)
  if (read.isCode && !(await tries.countTry(clientAddress, now(), CODES_PER_HOUR, 'mail_code')))
    return { refused: 'throttled' }
  return read
}

async function presentLink(deps: Deps, presented: Presented): Promise<Refusal | PresentedSecret> {
  const { secrets } = deps
  const read = secrets.read(presented.secret)
  return read === undefined || read.isCode ? refuse(deps, presented, undefined) : read
}

async function findHolder(deps: Deps, presented: Presented, read: Refusal | PresentedSecret) {
  const { stores, now } = deps
  if ('refused' in read) return read
  const token = await stores.tokens.find(read, presented.purpose, now())
  if (!isValid(token)) return refuse(deps, presented, token, read)
  await wasRight(deps, presented, read)
  return { read, holder: token }
}

async function wasRight(
  { tries }: Deps,
  { clientAddress }: Presented,
  { isCode }: PresentedSecret,
): Promise<void> {
  if (isCode) await tries.forgetTry(clientAddress, 'mail_code')
}

async function checked(deps: Deps, presented: Presented, read: Refusal | PresentedSecret) {
  const found = await findHolder(deps, presented, read)
  if ('refused' in found) return found
  return found.holder
}

/** Records the refusal without the token or code. Tokens do not use up the records of codes, of which `read` is one that counted. */
async function refuse(
  { tries, now, stores }: Deps,
  { purpose, clientAddress, userId }: Presented & Partial<PresentedInSession>,
  token: FoundToken | undefined,
  read?: PresentedSecret,
): Promise<Refusal> {
  if (read?.isCode || (await tries.countTry(clientAddress, now(), TOKENS_RECORDED_PER_HOUR, 'mail_refusal')))
    await stores.record({
      actor: userId === undefined ? { kind: 'anonymous' } : { kind: 'human', id: userId },
      action: ACTIONS[purpose],
      target: token && { kind: 'user', id: token.userId },
      organizationId: token?.organizationId,
      clientAddress,
      result: 'refused',
      details: { reason: token === undefined ? 'unknown' : (token.refusal ?? 'other_account') },
    })
  return token?.refusal === 'password_sign_in_not_allowed' ? { refused: token.refusal } : INVALID
}

/** Runs `work` and spends the token in one transaction, or neither. */
async function spend<T>(
  deps: Deps,
  read: PresentedSecret,
  presented: Presented & Partial<PresentedInSession>,
  work: (stores: RecoveryStores, holder: TokenHolder) => Promise<T>,
): Promise<T | Refusal> {
  const { transact, now } = deps
  const { purpose, clientAddress } = presented
  const spent = await transact(async (within) => {
    const holder = await within.tokens.find(read, purpose, now(), 'lock')
    const isForeign = presented.userId !== undefined && holder?.userId !== presented.userId
    if (!isValid(holder) || isForeign) return { refusedToken: holder }
    const result = await work(within, holder)
    await within.tokens.spend(holder, now())
    // The message went to this address.
    if (!holder.emailVerified) await within.tokens.setEmailVerified(holder.userId, now())
    await within.record({
      actor: { kind: 'human', id: holder.userId },
      action: ACTIONS[purpose],
      target: { kind: 'user', id: holder.userId },
      organizationId: holder.organizationId,
      clientAddress,
      result: 'success',
    })
    return { result }
  })
  // After the transaction: counting takes another connection.
  return 'result' in spent ? spent.result : refuse(deps, presented, spent.refusedToken, read)
}

/** The former owner of the address must hear of it, so no limit of the organization holds. */
async function queueNotice(
  deps: Deps,
  mail: RecoveryStores['mail'],
  former: { readonly userId: string; readonly to: { readonly address: string; readonly key: string } },
): Promise<void> {
  const { now } = deps
  const kind = 'email_changed'
  const reason = await mail.queue({ kind, at: now(), byRecipient: true, ...former })
  if (reason !== 'queued') deps.logger.warn('mail_not_queued', { userId: former.userId, reason, kind })
}

async function endEverything(deps: Deps, userId: string, epochs: readonly Epoch[]): Promise<void> {
  await deps.publishEndings(epochs)
  try {
    await deps.resetFailures(userId)
  } catch (error) {
    // The password is set; the person may have to wait before signing in.
    deps.logger.warn('failures_not_reset', { userId, error })
  }
}
