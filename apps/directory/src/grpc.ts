import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import { AccountService } from '@signet/grpc/gen/directory/v1/account_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import type { Queryable, Statement } from '@signet/platform/postgres/pool'
import { AccountStore } from './accounts/account.repository.ts'
import { hasDeleted } from './accounts/deleted-factors.ts'
import { deleteFactors, hasAnyPasskeyOf } from './accounts/second-factor.repository.ts'
import { AuditEntryStore } from './audit/audit-entry.repository.ts'
import { auditTable } from './audit/audit-table.ts'
import { ConsentStore } from './consents/consent.repository.ts'
import {
  createFindConsent,
  createListConsents,
  createRecordConsent,
  createWithdrawConsent,
} from './consents/consent.ts'
import { DocumentedClientStore } from './consents/documented-client.repository.ts'
import { createFindAttemptKey } from './credentials/attempt-keys.ts'
import { BrowserTrustStore } from './credentials/browser-trust.repository.ts'
import { browserTrust } from './credentials/browser-trust.service.ts'
import { createChangePassword } from './credentials/change-password.ts'
import { credentialService } from './credentials/credential.grpc.ts'
import { CredentialStore } from './credentials/credential.repository.ts'
import { ownPasskeys } from './credentials/own-passkeys.ts'
import { PasskeyStore } from './credentials/passkey.repository.ts'
import { PasswordChangeStore } from './credentials/password-change.repository.ts'
import { RecoveryCodeStore } from './credentials/recovery-code.repository.ts'
import { recoveryCodes } from './credentials/recovery-codes.service.ts'
import { TotpStore } from './credentials/totp.repository.ts'
import { createVerifyTotp, totpEnrolments } from './credentials/totp.service.ts'
import { createVerifyPasskey } from './credentials/verify-passkey.ts'
import { createVerifyPassword } from './credentials/verify-password.ts'
import { UserGrantStore } from './grants/user-grant.repository.ts'
import { IdentityLinkStore } from './identity-providers/identity-link.repository.ts'
import { identityProviderService } from './identity-providers/identity-provider.grpc.ts'
import { IdentityProviderStore } from './identity-providers/identity-provider.repository.ts'
import { createOwnLinks } from './identity-providers/own-links.service.ts'
import { ProviderTestStore } from './identity-providers/provider-test.repository.ts'
import { createProviderTests } from './identity-providers/provider-tests.ts'
import { createResolveUpstream } from './identity-providers/resolve-upstream.ts'
import { createTryUpstream } from './identity-providers/try-upstream.ts'
import { UpstreamAccountStore } from './identity-providers/upstream-account.repository.ts'
import { upstreamAccountService } from './identity-providers/upstream-accounts.grpc.ts'
import type { UpstreamStores, UpstreamTransact } from './identity-providers/upstream-stores.ts'
import { createImpersonations } from './impersonations/begin-impersonation.ts'
import { impersonationService } from './impersonations/impersonation.grpc.ts'
import { ImpersonationStore } from './impersonations/impersonation.repository.ts'
import { MailStore } from './mail/mail.repository.ts'
import { MailTokenStore } from './mail/mail-token.repository.ts'
import { createOriginSealer, type NoticeOrigin, noticeRequest, requestNotice } from './mail/notices.ts'
import { OwnAnswerStore } from './members/offered-role.repository.ts'
import { ownOfferedRoles } from './members/offered-roles.service.ts'
import { DomainStore } from './organizations/domain.repository.ts'
import { ownAccountService } from './own-account/own-account.grpc.ts'
import { OwnAccountStore } from './own-account/own-account.repository.ts'
import { ownAccounts } from './own-account/own-account.service.ts'
import type { DirectoryParts } from './parts.ts'
import { MemberStore } from './permissions/member.repository.ts'
import { createEmailChanges } from './recovery/email-changes.ts'
import { recoveryService } from './recovery/recovery.grpc.ts'
import { createRecovery } from './recovery/recovery.service.ts'
import { createRequestReset } from './recovery/reset-requests.ts'
import { refusalService } from './refusals/refusals.grpc.ts'
import { createRegisterAccount } from './registration/register-account.ts'
import { isNameTaken, isUserNameTaken } from './registration/registration.repository.ts'
import { type AccountHandlers, accountHandlers } from './users-api/account.grpc.ts'

/** The gRPC services of this process that answer within a request. */
export function directoryRpcServices(parts: DirectoryParts): readonly RpcService[] {
  const factors = createFactors(parts)
  const recovery = createRecoveryUseCases(parts)
  const acts = createAccountHandlers(parts, factors)
  return [
    createCredentialService(parts, factors),
    rpcService(AccountService, acts),
    createOwnAccountService(parts, acts, recovery.emailChanges),
    recoveryService(recovery),
    ...providerServices(parts),
    createImpersonationService(parts),
    refusalService((refusals) => parts.refusals.record(refusals)),
  ]
}

/** The stores and use cases of second factors that the sign-in and the own account share. */
function createFactors(parts: DirectoryParts) {
  const { config, database, audit, reportRefused, random, logger, now } = parts
  const { passkeys: party } = config
  const rpId = party?.rpId
  const codes = new RecoveryCodeStore(database, rpId)
  return {
    party,
    passkeys: party && new PasskeyStore(database, party.rpId),
    totp: new TotpStore(database),
    recoveryCodes: recoveryCodes({ codes, audit, reportRefused, random, logger, now }),
  }
}

type Factors = ReturnType<typeof createFactors>

function createCredentialService(
  parts: DirectoryParts,
  { party, passkeys, totp, recoveryCodes: codes }: Factors,
): RpcService {
  const { config, database, attemptKeys, hasher, publishEndings, audit, masterKeys, now, logger } = parts
  const { reportRefused, random } = parts
  const credentials = new CredentialStore(database)
  const sealOrigin = createOriginSealer(masterKeys, random)
  const recordNewBrowser = async (event: AuditEvent, userId: string, origin: NoticeOrigin) => {
    const sealedOrigin = sealOrigin(origin)
    const notice = noticeRequest({ kind: 'new_sign_in', userId, at: now(), sealedOrigin })
    await database.transaction((tx) => tx.commit(...auditTable.statements([event]), notice))
  }
  const isPasskeyOffered = async (userId: string) => (await passkeys?.isOffered(userId, now())) ?? false
  return credentialService({
    attemptKeys,
    findAttemptKey: createFindAttemptKey({ credentials, keys: attemptKeys }),
    verifyPassword: createVerifyPassword({
      ...{ credentials, hasher, isPasskeyOffered, audit, reportRefused, logger },
      recordNewBrowser: config.signInNotices ? recordNewBrowser : undefined,
    }),
    verifyPasskey: createVerifyPasskey({
      ...{ party, passkeys, publishEndings, audit, reportRefused, now, logger },
    }),
    verifyTotp: createVerifyTotp({ totp, audit, reportRefused, masterKeys, now, logger }),
    recoveryCodes: codes,
  })
}

function createAccountHandlers(
  parts: DirectoryParts,
  { party, passkeys, totp, recoveryCodes: codes }: Factors,
): AccountHandlers {
  const { config, database, attemptKeys, audit, masterKeys, newId, random, now } = parts
  const consents = new ConsentStore(database)
  return accountHandlers({
    attemptKeys,
    register: createRegisterAccount(parts),
    findConsent: createFindConsent(consents),
    recordConsent: createRecordConsent(consents, {
      documentedClients:
        config.clientMetadata && new DocumentedClientStore({ ...config.clientMetadata, newId }),
      now,
    }),
    listConsents: createListConsents(consents),
    withdrawConsent: createWithdrawConsent(consents),
    findSecondFactors: async (userId) => ({
      totp: await totp.isSet(userId),
      passkey: await passkeys?.secondFactor(userId),
      anyPasskey: await hasAnyPasskeyOf(database, userId),
    }),
    passkeys: ownPasskeys({ party, passkeys, audit, newId, random, now }),
    enrolments: totpEnrolments({ totp, audit, masterKeys, random, now }),
    recoveryCodes: codes,
    browserTrust: browserTrust({
      store: new BrowserTrustStore(database, config.passkeys?.rpId),
      keys: attemptKeys,
      random,
      now,
    }),
    changePassword: createChangePassword({
      ...parts,
      passwords: new PasswordChangeStore(database, 'required'),
    }),
    offeredRoles: ownOfferedRoles(new OwnAnswerStore(database)),
  })
}

function createOwnAccountService(
  parts: DirectoryParts,
  acts: AccountHandlers,
  emailChanges: ReturnType<typeof createEmailChanges>,
): RpcService {
  const { config, database, attemptKeys } = parts
  const accounts = new OwnAccountStore(database, parts)
  return ownAccountService({
    attemptKeys,
    acts,
    isLive: (session) => accounts.isLive(session),
    emailChanges,
    accounts: ownAccounts({
      ...parts,
      accounts,
      audit: new AuditEntryStore(database),
      mayDelete: config.ownAccountDeletion,
    }),
    replacePassword: createChangePassword({
      ...parts,
      passwords: new PasswordChangeStore(database, 'any'),
    }),
  })
}

/** The use cases for the links and codes of messages. */
function createRecoveryUseCases(parts: DirectoryParts) {
  const { config, database, masterKeys, random, now, registrations: tries, mailSecrets: secrets } = parts
  const transact = <T>(work: (stores: ReturnType<typeof recoveryStores>) => Promise<T>) =>
    database.transaction((tx) => work(recoveryStores(tx, masterKeys)))
  const mail = new MailStore(database, masterKeys)
  const sealOrigin = createOriginSealer(masterKeys, random)
  const stores = recoveryStores(database, masterKeys)
  const recovery = createRecovery({ ...parts, stores, transact, secrets, tries })
  return {
    recovery,
    emailChanges: createEmailChanges({ recovery, transact, now }),
    notifyNewSignIn: async (userId: string, origin: NoticeOrigin) => {
      if (!config.signInNotices) return
      await mail.requestNotice({ kind: 'new_sign_in', userId, at: now(), sealedOrigin: sealOrigin(origin) })
    },
    requestReset: createRequestReset({ mail, tries, masterKeys, random, now }),
  }
}

function recoveryStores(queryable: Queryable, masterKeys: readonly Buffer[]) {
  return {
    tokens: new MailTokenStore(queryable),
    accounts: new AccountStore(queryable),
    mail: new MailStore(queryable, masterKeys),
    record: (event: Parameters<typeof auditTable.record>[1]) => auditTable.record(queryable, event),
    deleteFactors: async (userId: string) => hasDeleted(await deleteFactors(queryable, userId)),
  }
}

/** The services about identity providers, for federation and for sign-ins. */
function providerServices(parts: DirectoryParts): readonly RpcService[] {
  const { config, database, attemptKeys, masterKeys } = parts
  const providers = new IdentityProviderStore(database)
  const links = new IdentityLinkStore(database)
  const transact: UpstreamTransact = (work) =>
    database.transaction((tx) => work(upstreamStores(tx, (statements) => tx.commit(...statements))))
  const tryOut: UpstreamTransact = (work) =>
    database.transaction((tx) =>
      work(upstreamStores(tx, (statements) => Promise.all(statements.map((each) => tx.query(each))))),
    )
  return [
    identityProviderService({ findProvider: (id) => providers.findWithUse(id), masterKeys }),
    upstreamAccountService({
      attemptKeys,
      findByConsumerPath: (path) => providers.findByConsumerPath(path),
      resolveUpstream: createResolveUpstream({ ...parts, transact, isNameTaken }),
      providerTests: createProviderTests({
        tests: new ProviderTestStore(database),
        tryUpstream: createTryUpstream({ ...parts, transact: tryOut, isNameTaken }),
        now: parts.now,
      }),
      ownLinks: createOwnLinks({
        ...parts,
        transact,
        listLinks: (userId) => links.own(userId),
        rpId: config.passkeys?.rpId,
      }),
    }),
  ]
}

function createImpersonationService({ database, masterKeys, random, now }: DirectoryParts): RpcService {
  const sealOrigin = createOriginSealer(masterKeys, random)
  return impersonationService(
    createImpersonations({
      impersonations: new ImpersonationStore(database),
      transact: (work) =>
        database.transaction((tx) =>
          work({
            impersonations: new ImpersonationStore(tx),
            members: new MemberStore(tx),
            record: (event) => auditTable.record(tx, event),
            notify: ({ userId, at, ...origin }) =>
              requestNotice(tx, {
                ...{ kind: 'impersonation_begun', userId, at, byAdministrator: true },
                sealedOrigin: sealOrigin({ agent: '', clientAddress: '', ...origin }),
              }),
          }),
        ),
      now,
    }),
  )
}

function upstreamStores(
  tx: Queryable,
  runLast: (statements: readonly Statement[]) => Promise<unknown>,
): UpstreamStores {
  return {
    accounts: new AccountStore(tx),
    domains: new DomainStore(tx),
    links: new IdentityLinkStore(tx),
    upstream: new UpstreamAccountStore(tx),
    userGrants: new UserGrantStore(tx),
    isUserNameTaken: (organizationId, userName) => isUserNameTaken(tx, organizationId, userName),
    record: (event) => auditTable.record(tx, event),
    requestNotice: (notice) => requestNotice(tx, notice),
    async finish(event, ...statements) {
      await runLast([...statements, ...auditTable.statements([event])])
    },
  }
}
