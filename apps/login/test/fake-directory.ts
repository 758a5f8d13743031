import { createHash, randomBytes } from 'node:crypto'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/grpc/error'
import { AccountService } from '@signet/grpc/gen/directory/v1/account_service_pb'
import { CredentialService } from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { ImpersonationService } from '@signet/grpc/gen/directory/v1/impersonation_service_pb'
import type { RpcService } from '@signet/grpc/service'
import { REGISTRATION_FIELDS } from '../src/authorize/registration-rules.ts'
import { type FakeServices, PASSWORD } from './fake-services.ts'

/** The organization of each user id, which is the login name too. */
const ORGANIZATION_OF: Readonly<Record<string, string>> = {
  user1: 'acme',
  user2: 'acme',
  user3: 'acme',
  globex1: 'globex',
  totpuser: 'acme',
  corp1: 'corporate',
}

/** The members of a registration by the names of their fields. */
const MEMBERS = {
  user_name: 'userName',
  email: 'email',
  given_name: 'givenName',
  family_name: 'familyName',
  password: 'password',
} as const

/** The contracts of the directory that login calls. */
export function fakeDirectory(fakes: FakeServices): readonly RpcService[] {
  return [
    fakes.fake('directory', CredentialService, {
      async findAttemptKey({ loginName }) {
        const name = loginName.trim().toLowerCase()
        const userId = accountOf(name)
        return {
          attemptKey: attemptKeyOf(userId ?? name),
          deviceKey: `devices of ${userId ?? name} ${fakes.epochs.user}`,
          maxPasswordAttempts: fakes.maxPasswordAttempts,
        }
      },
      async verifyPassword({ organizationId: within, announceNewBrowser, ...attempt }) {
        const { loginName, password, clientAddress, throttled } = attempt
        fakes.passwordTries.push({ loginName, clientAddress, throttled })
        await fakes.whileVerifying()
        const userId = accountOf(loginName.trim().toLowerCase())
        const organizationId = userId === undefined ? undefined : ORGANIZATION_OF[userId]
        if (throttled || userId === undefined || organizationId === undefined || password !== PASSWORD)
          return {}
        if (within !== '' && within !== organizationId) return {}
        const { user: userEpoch, organization: organizationEpoch } = fakes.epochs
        if (fakes.refusedRules.has(userId)) return { refusedRule: fakes.refusedRules.get(userId) ?? '' }
        const secondFactorRequired =
          userId === 'totpuser' ||
          fakes.enrolled.has(userId) ||
          (fakes.forced.has(organizationId) && (fakes.passkeys.has(userId) || fakes.stopped.has(userId)))
        return {
          account: {
            userId,
            organizationId,
            userEpoch,
            organizationEpoch,
            secondFactorRequired,
            secondFactorEnrolmentRequired: fakes.forced.has(organizationId) && !secondFactorRequired,
            deviceKey: `devices of ${userId} ${userEpoch}`,
            passwordChangeRequired: fakes.passwordChanges.has(userId),
            passkeyOffered: fakes.passkeyOffers.has(userId),
            trustKey: fakes.trustKeys.get(userId) ?? '',
          },
          newBrowserAnnounced: announceNewBrowser && fakes.announces,
          noRolesOffered: (fakes.offers.get(userId) ?? []).length === 0,
        }
      },
      async verifyTotp({ userId, code, throttled }) {
        fakes.totpTries.push({ userId, code, throttled })
        const accepted =
          !throttled && (userId === 'totpuser' || fakes.enrolled.has(userId)) && fakes.totpCodes.delete(code)
        return { accepted }
      },
      async verifyRecoveryCode({ userId, code, throttled }) {
        fakes.totpTries.push({ userId, code, throttled })
        const accepted = !throttled && fakes.recoveryCodes.get(userId)?.delete(code.trim()) === true
        return { accepted }
      },
      async verifyPasskey({ response, userId: wanted, organizationId: within, throttled }) {
        fakes.passkeyTries.push({ userId: wanted, organizationId: within, throttled })
        const { id } = JSON.parse(response)
        const [userId] = [...fakes.passkeys].find(([, ids]) => ids.includes(id)) ?? []
        const organizationId = userId === undefined ? undefined : ORGANIZATION_OF[userId]
        if (throttled || userId === undefined || (wanted !== '' && wanted !== userId)) return {}
        if (within !== '' && within !== organizationId) return {}
        const { user: userEpoch, organization: organizationEpoch } = fakes.epochs
        const deviceKey = `devices of ${userId} ${userEpoch}`
        return {
          account: { userId, organizationId: organizationId ?? '', userEpoch, organizationEpoch, deviceKey },
          amr: ['pop', 'hwk', 'user'],
          multiFactor: true,
          passkeyId: id,
        }
      },
    }),
    fakes.fake('directory', ImpersonationService, {
      async findImpersonation({ token }) {
        const found = fakes.impersonations.get(token)
        if (found === undefined) throw new RpcError('NOT_FOUND', 'no such link')
        const { administratorId, userId } = found
        const loginName = `${userId}@acme.localhost`
        return { administratorId, userId, loginName, organizationName: 'ACME', reason: 'Ticket 4711 <b>' }
      },
      async beginImpersonation({ token, administratorId }) {
        const found = fakes.impersonations.get(token)
        if (found?.administratorId !== administratorId) throw new RpcError('NOT_FOUND', 'no such link')
        fakes.impersonations.delete(token)
        if (found.refused !== undefined) return { refusedRule: found.refused }
        const organizationId = found.userId.startsWith('globex') ? 'globex' : 'acme'
        return {
          ...{ impersonationId: `of-${token.slice(0, 8)}`, userId: found.userId, organizationId },
          ...{ reason: 'Ticket 4711 <b>', userEpoch: fakes.epochs.user, organizationEpoch: 0n },
          endsAt: timestampFromDate(found.endsAt),
        }
      },
    }),
    fakes.fake('directory', AccountService, {
      async listPasskeys({ userId }) {
        return { passkeys: passkeysOf(fakes, userId), mayAdd: true }
      },
      beginPasskey: async ({ userId }) => ({
        userHandle: Buffer.alloc(32, userId),
        loginName: `${userId}@acme.localhost`,
        displayName: userId,
        passkeys: passkeysOf(fakes, userId),
      }),
      async addPasskey({ userId, response }) {
        fakes.passkeys.set(userId, [...(fakes.passkeys.get(userId) ?? []), JSON.parse(response).id])
        return { amr: ['pop', 'hwk', 'user'], passkeyId: JSON.parse(response).id }
      },
      renamePasskey: async () => ({}),
      async deletePasskey({ userId, passkeyId }) {
        const left = (fakes.passkeys.get(userId) ?? []).filter((id) => id !== passkeyId)
        fakes.passkeys.set(userId, left)
        return {}
      },
      async skipPasskeyOffer({ userId }) {
        fakes.passkeyOffers.delete(userId)
        return {}
      },
      async listOfferedRoles({ userId }) {
        return { offers: fakes.offers.get(userId) ?? [] }
      },
      async answerOfferedRoles({ userId, objectId, roles, accepted, clientAddress }) {
        const answer = accepted ? 'accepts' : 'refuses'
        fakes.answeredOffers.push(
          `${userId} ${answer} ${roles.join(' ')} of ${objectId} from ${clientAddress}`,
        )
        const others = (fakes.offers.get(userId) ?? []).filter(
          ({ organizationId, projectId }) => (projectId || organizationId) !== objectId,
        )
        fakes.offers.set(userId, others)
        return {}
      },
      async register(request) {
        fakes.registrations.push(request)
        const problems = [
          ...REGISTRATION_FIELDS.filter((field) => request[MEMBERS[field]].trim() === '').map((field) => ({
            field,
            code: 'required',
          })),
          ...fakes.registrationProblems.splice(0),
        ]
        if (problems.length > 0) return { outcome: { case: 'problems', value: { problems } } }
        const { userName: userId, organizationId } = request
        const account = {
          userId,
          organizationId: organizationId || 'acme',
          secondFactorEnrolmentRequired: fakes.forced.has(organizationId || 'acme'),
        }
        return { outcome: { case: 'account', value: account } }
      },
      async findConsent({ userId, clientId }) {
        return { scopes: [...(fakes.consents.get(`${userId} ${clientId}`) ?? [])] }
      },
      async recordConsent({ userId, clientId, scopes }) {
        const key = `${userId} ${clientId}`
        fakes.consents.set(key, new Set([...(fakes.consents.get(key) ?? []), ...scopes]))
        return {}
      },
      async listConsents({ userId }) {
        return { consents: accessOf(userId, fakes.consents) }
      },
      async withdrawConsent({ userId, clientId, clientAddress }) {
        fakes.endedAccess.push({ by: 'directory', userId, clientId, clientAddress })
        fakes.consents.delete(`${userId} ${clientId}`)
        return {}
      },
      async findSecondFactor({ userId }) {
        const totp = userId === 'totpuser' || fakes.enrolled.has(userId)
        return {
          totp,
          passkey: fakes.passkeys.has(userId) && !fakes.stopped.has(userId),
          anyPasskey: fakes.passkeys.has(userId) || fakes.stopped.has(userId),
          passkeyAllowed: true,
          recoveryCodes: fakes.recoveryCodes.get(userId)?.size ?? 0,
          trustedBrowsers: fakes.trustKeys.has(userId),
        }
      },
      async deleteTotp({ userId }) {
        fakes.enrolled.delete(userId)
        fakes.recoveryCodes.delete(userId)
        return {}
      },
      async makeRecoveryCodes({ userId }) {
        if (fakes.previousVersion.has('directory')) throw new RpcError('UNIMPLEMENTED', 'no such method')
        const codes = Array.from({ length: 10 }, (_, at) => `code-${fakes.secrets.length}-${at}`)
        fakes.secrets.push('recovery codes')
        fakes.recoveryCodes.set(userId, new Set(codes))
        return { codes }
      },
      async trustBrowser({ userId, userEpoch, agent }) {
        if (fakes.previousVersion.has('directory')) throw new RpcError('UNIMPLEMENTED', 'no such method')
        const trustKey = fakes.trustKeys.get(userId) ?? `trust of ${userId} ${userEpoch}`
        fakes.trustKeys.set(userId, trustKey)
        const browserId = randomBytes(16).toString('base64url')
        fakes.trustedBrowsers.set(browserId, { userId, agent })
        return { trustKey, browserId }
      },
      async useTrustedBrowser({ userId, browserId }) {
        return { trusted: fakes.trustedBrowsers.get(browserId)?.userId === userId }
      },
      async listTrustedBrowsers({ userId }) {
        const own = [...fakes.trustedBrowsers].filter(([, browser]) => browser.userId === userId)
        const at = { seconds: 1_767_225_600n }
        return { browsers: own.map(([id, { agent }]) => ({ id, agent, trustedAt: at, lastUsedAt: at })) }
      },
      async endBrowserTrust({ userId, browserId }) {
        if (browserId !== '') {
          fakes.trustedBrowsers.delete(browserId)
          return {}
        }
        fakes.trustKeys.delete(userId)
        return {}
      },
      async beginTotp({ userId, enrolment }) {
        if (fakes.enrolled.has(userId)) throw new RpcError('FAILED_PRECONDITION', 'there is a second factor')
        const secret =
          enrolment.length > 0 ? Buffer.from(enrolment).toString() : `SECRET${fakes.secrets.length}`
        if (enrolment.length === 0) fakes.secrets.push(secret)
        const uri = `otpauth://totp/ACME:${userId}?secret=${secret}`
        return { secret, uri, enrolment: Buffer.from(secret) }
      },
      async confirmTotp({ userId, code, throttled }) {
        fakes.totpTries.push({ userId, code, throttled })
        const accepted = !throttled && fakes.totpCodes.delete(code)
        if (accepted) fakes.enrolled.add(userId)
        return { accepted }
      },
      async changePassword({ userId, password }) {
        if (!fakes.passwordChanges.has(userId)) throw new RpcError('FAILED_PRECONDITION', 'none is required')
        if (password === PASSWORD) return { problems: ['password_same'] }
        if (password.length < 8) return { problems: ['password_too_short'] }
        fakes.passwordChanges.delete(userId)
        const userEpoch = fakes.epochs.user + 1n
        const { organization: organizationEpoch } = fakes.epochs
        return {
          account: { userId, organizationId: ORGANIZATION_OF[userId] ?? '', userEpoch, organizationEpoch },
        }
      },
    }),
  ]
}

/** The passkeys of a user, whose ids are those of their credentials. */
function passkeysOf({ passkeys }: FakeServices, userId: string) {
  return (passkeys.get(userId) ?? []).map((id, at) => ({
    ...{ id, credentialId: id, name: `Passkey ${at + 1}`, transports: ['internal'] },
    createdAt: { seconds: 1_700_000_000n, nanos: 0 },
  }))
}

/** The counter of an account, or of an unknown name. */
export function attemptKeyOf(name: string): string {
  return createHash('sha256').update(name).digest('base64url')
}

/** `user2` and `user2@acme.localhost` are one account. */
function accountOf(loginName: string): string | undefined {
  const [user = '', domain] = loginName.split('@')
  const organizationId = ORGANIZATION_OF[user]
  const isOwnDomain = domain === undefined || domain === `${organizationId}.localhost`
  return organizationId !== undefined && isOwnDomain ? user : undefined
}

/** The entries of one user, by application. */
export function accessOf(userId: string, kept: ReadonlyMap<string, Iterable<string>>) {
  return [...kept].flatMap(([key, scopes]) => {
    const [user, clientId = ''] = key.split(' ')
    return user === userId ? [{ clientId, scopes: [...scopes] }] : []
  })
}
