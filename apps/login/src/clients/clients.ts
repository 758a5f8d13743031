import { rpcClient } from '@signet/grpc/client'
import { AccountService } from '@signet/grpc/gen/directory/v1/account_service_pb'
import { CredentialService } from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { ImpersonationService } from '@signet/grpc/gen/directory/v1/impersonation_service_pb'
import { OwnAccountService } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import { RecoveryService } from '@signet/grpc/gen/directory/v1/recovery_service_pb'
import { UpstreamAccountService } from '@signet/grpc/gen/directory/v1/upstream_account_service_pb'
import { FederationService } from '@signet/grpc/gen/federation/v1/federation_service_pb'
import { KeyService } from '@signet/grpc/gen/keys/v1/key_service_pb'
import { AuthorizationService } from '@signet/grpc/gen/token/v1/authorization_service_pb'
import { DeviceService } from '@signet/grpc/gen/token/v1/device_service_pb'
import { GrantService } from '@signet/grpc/gen/token/v1/grant_service_pb'
import { RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import type { Logger } from '@signet/platform/logger/logger'
import type { LoginDependencies } from '../config.ts'
import * as directory from './directory.ts'
import { createBrowserTrustAdder, createTrustedBrowserUse, factorDirectory } from './factors.ts'
import { createStoredImpersonations } from './impersonations.ts'
import { createResponseSigner } from './keys.ts'
import { createEverywhereSignOut, createPasswordReplacer, ownDirectory } from './own-account.ts'
import { createPasskeyVerifier, passkeyDirectory } from './passkeys.ts'
import { createNewSignInNotifier, recoveryClient } from './recovery.ts'
import { createDeviceAnswers, createResponseIssuer, createSessionEnder, grantAccess } from './token.ts'
import { createUpstreams } from './upstream.ts'
import { createLinkDirectory, createStoredTests, createUpstreamAccounts } from './upstream-accounts.ts'

/** All calls to other services. */
export function createClients(transports: LoginDependencies['transports'], logger: Logger) {
  const accounts = rpcClient(AccountService, transports.directory)
  const credentials = rpcClient(CredentialService, transports.directory)
  const own = rpcClient(OwnAccountService, transports.directory)
  const recovery = rpcClient(RecoveryService, transports.directory)
  const upstream = rpcClient(UpstreamAccountService, transports.directory)
  const calls = { own, accounts }
  const passkeys = passkeyDirectory(calls)
  const factors = factorDirectory(calls)
  return {
    consents: directory.consentStore(calls),
    consentAccess: directory.consentAccess(calls),
    offers: directory.roleOffers(calls),
    registerAccount: directory.createAccountRegistrar(accounts),
    findAttemptKey: directory.createAttemptKeyFinder(credentials),
    verifyPassword: directory.createPasswordVerifier(credentials),
    verifyTotp: directory.createTotpVerifier(credentials),
    verifyRecoveryCode: directory.createRecoveryCodeVerifier(credentials),
    verifyPasskey: createPasskeyVerifier(credentials),
    changePassword: directory.createPasswordChanger(accounts),
    findSecondFactors: directory.createSecondFactorFinder(accounts),
    beginEnrolment: directory.createEnrolmentStarter(calls),
    confirmEnrolment: directory.createEnrolmentConfirmer(calls),
    makeRecoveryCodes: factors.makeRecoveryCodes,
    addBrowserTrust: createBrowserTrustAdder(calls),
    useTrustedBrowser: createTrustedBrowserUse(accounts),
    factorDirectory: factors,
    listPasskeys: passkeys.list,
    beginPasskey: passkeys.begin,
    addPasskey: passkeys.add,
    passkeyDirectory: passkeys,
    ownDirectory: ownDirectory(own),
    replacePassword: createPasswordReplacer(own),
    signOutEverywhere: createEverywhereSignOut(own),
    recovery: recoveryClient(recovery),
    upstreams: createUpstreams(rpcClient(FederationService, transports.federation)),
    upstreamAccounts: createUpstreamAccounts(upstream),
    linkDirectory: createLinkDirectory(upstream),
    storedTests: createStoredTests(upstream),
    storedImpersonations: createStoredImpersonations(rpcClient(ImpersonationService, transports.directory)),
    notifyNewSignIn: createNewSignInNotifier(recovery, logger),
    issueResponse: createResponseIssuer(rpcClient(AuthorizationService, transports.token), logger),
    signResponse: createResponseSigner(rpcClient(KeyService, transports.keys)),
    deviceAnswers: createDeviceAnswers(rpcClient(DeviceService, transports.token)),
    grantAccess: grantAccess(rpcClient(GrantService, transports.token)),
    endSessions: createSessionEnder(rpcClient(RevocationService, transports.token)),
  }
}
