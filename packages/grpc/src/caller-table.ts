import { SERVICE_NAMES, type ServiceName } from '@signet/platform/process/service'

const SESSION = 'signet.login.v1.SessionService'
const SIGN_IN = 'signet.login.v1.SignInService'
const KEYS = 'signet.keys.v1.KeyService'
const CREDENTIAL = 'signet.directory.v1.CredentialService'
const ACCOUNT = 'signet.directory.v1.AccountService'
const RECOVERY = 'signet.directory.v1.RecoveryService'
const OWN_ACCOUNT = 'signet.directory.v1.OwnAccountService'
const TRANSFER = 'signet.directory.v1.TransferService'
const REFUSAL = 'signet.directory.v1.RefusalService'
const IMPERSONATION = 'signet.directory.v1.ImpersonationService'
const AUTHORIZATION = 'signet.token.v1.AuthorizationService'
const DEVICE = 'signet.token.v1.DeviceService'
const REVOCATION = 'signet.token.v1.RevocationService'
const GRANT = 'signet.token.v1.GrantService'
const PREVIEW = 'signet.token.v1.PreviewService'
const IDENTITY_PROVIDER = 'signet.directory.v1.IdentityProviderService'
const UPSTREAM_ACCOUNT = 'signet.directory.v1.UpstreamAccountService'
const FEDERATION = 'signet.federation.v1.FederationService'
const BEARER = 'signet.token.v1.BearerService'

/** Methods that each caller may call, written `package.Service/Method`. Everything else is PERMISSION_DENIED. */
const ALLOWED: Readonly<Record<ServiceName, readonly string[]>> = {
  login: [
    `${CREDENTIAL}/FindAttemptKey`,
    `${CREDENTIAL}/VerifyPassword`,
    `${CREDENTIAL}/VerifyTotp`,
    `${CREDENTIAL}/VerifyRecoveryCode`,
    `${CREDENTIAL}/VerifyPasskey`,
    `${ACCOUNT}/Register`,
    `${ACCOUNT}/FindConsent`,
    `${ACCOUNT}/RecordConsent`,
    `${ACCOUNT}/ListConsents`,
    `${ACCOUNT}/WithdrawConsent`,
    `${ACCOUNT}/FindSecondFactor`,
    `${ACCOUNT}/BeginTotp`,
    `${ACCOUNT}/ConfirmTotp`,
    `${ACCOUNT}/DeleteTotp`,
    `${ACCOUNT}/MakeRecoveryCodes`,
    `${ACCOUNT}/TrustBrowser`,
    `${ACCOUNT}/UseTrustedBrowser`,
    `${ACCOUNT}/ListTrustedBrowsers`,
    `${ACCOUNT}/EndBrowserTrust`,
    `${ACCOUNT}/ChangePassword`,
    `${ACCOUNT}/ListOfferedRoles`,
    `${ACCOUNT}/AnswerOfferedRoles`,
    `${ACCOUNT}/ListPasskeys`,
    `${ACCOUNT}/BeginPasskey`,
    `${ACCOUNT}/AddPasskey`,
    `${ACCOUNT}/RenamePasskey`,
    `${ACCOUNT}/DeletePasskey`,
    `${ACCOUNT}/SkipPasskeyOffer`,
    `${IMPERSONATION}/FindImpersonation`,
    `${IMPERSONATION}/BeginImpersonation`,
    `${RECOVERY}/RequestPasswordReset`,
    `${RECOVERY}/CheckMailToken`,
    `${RECOVERY}/SetPassword`,
    `${RECOVERY}/VerifyEmail`,
    `${OWN_ACCOUNT}/FindOwnAccount`,
    `${OWN_ACCOUNT}/ListOwnActivity`,
    `${OWN_ACCOUNT}/UpdateProfile`,
    `${OWN_ACCOUNT}/ReplacePassword`,
    `${OWN_ACCOUNT}/SignOutEverywhere`,
    `${OWN_ACCOUNT}/DeleteAccount`,
    `${OWN_ACCOUNT}/RequestEmailChange`,
    `${OWN_ACCOUNT}/RequestEmailVerification`,
    `${OWN_ACCOUNT}/FindEmailChange`,
    `${OWN_ACCOUNT}/ConfirmEmailChange`,
    `${OWN_ACCOUNT}/RecordOwnConsent`,
    `${OWN_ACCOUNT}/WithdrawOwnConsent`,
    `${OWN_ACCOUNT}/BeginOwnTotp`,
    `${OWN_ACCOUNT}/ConfirmOwnTotp`,
    `${OWN_ACCOUNT}/DeleteOwnTotp`,
    `${OWN_ACCOUNT}/MakeOwnRecoveryCodes`,
    `${OWN_ACCOUNT}/TrustOwnBrowser`,
    `${OWN_ACCOUNT}/EndOwnBrowserTrust`,
    `${OWN_ACCOUNT}/AnswerOwnOfferedRoles`,
    `${OWN_ACCOUNT}/BeginOwnPasskey`,
    `${OWN_ACCOUNT}/AddOwnPasskey`,
    `${OWN_ACCOUNT}/RenameOwnPasskey`,
    `${OWN_ACCOUNT}/DeleteOwnPasskey`,
    `${OWN_ACCOUNT}/SkipOwnPasskeyOffer`,
    `${RECOVERY}/NotifyNewSignIn`,
    `${UPSTREAM_ACCOUNT}/ResolveUpstream`,
    `${UPSTREAM_ACCOUNT}/FindConsumer`,
    `${UPSTREAM_ACCOUNT}/FindProviderTest`,
    `${UPSTREAM_ACCOUNT}/BeginProviderTest`,
    `${UPSTREAM_ACCOUNT}/FinishProviderTest`,
    `${UPSTREAM_ACCOUNT}/LinkUpstream`,
    `${UPSTREAM_ACCOUNT}/ListOwnLinks`,
    `${UPSTREAM_ACCOUNT}/DeleteOwnLink`,
    `${FEDERATION}/Begin`,
    `${FEDERATION}/Complete`,
    `${FEDERATION}/WriteMetadata`,
    `${FEDERATION}/FindPerson`,
    `${FEDERATION}/VerifyPassword`,
    `${FEDERATION}/TestPassword`,
    `${FEDERATION}/CompleteTest`,
    `${FEDERATION}/ReadLogoutToken`,
    `${FEDERATION}/ReadLogoutRequest`,
    `${FEDERATION}/CompleteLogout`,
    `${FEDERATION}/BeginLogout`,
    `${AUTHORIZATION}/IssueCode`,
    `${AUTHORIZATION}/IssueImplicit`,
    `${DEVICE}/BeginDevice`,
    `${DEVICE}/ApproveDevice`,
    `${DEVICE}/DenyDevice`,
    `${REVOCATION}/EndSession`,
    `${GRANT}/ListGrants`,
    `${GRANT}/EndGrants`,
    `${KEYS}/ListPublicKeys`,
    `${KEYS}/SignAuthorizationResponse`,
    `${REFUSAL}/RecordRefusals`,
  ],
  token: [`${KEYS}/Lease`, `${KEYS}/ListPublicKeys`, `${REFUSAL}/RecordRefusals`],
  introspection: [
    `${KEYS}/Lease`,
    `${KEYS}/ListPublicKeys`,
    `${KEYS}/SignIntrospectionResponse`,
    `${REFUSAL}/RecordRefusals`,
  ],
  keys: [`${REVOCATION}/RevokeKey`, `${BEARER}/Authenticate`],
  directory: [
    `${REVOCATION}/PublishEndings`,
    `${BEARER}/Authenticate`,
    `${SESSION}/ListSessions`,
    `${SESSION}/EndSession`,
    `${SIGN_IN}/ForgetFailures`,
    `${SIGN_IN}/ExplainSignIn`,
    `${SIGN_IN}/PreviewSignInPage`,
    `${PREVIEW}/PreviewTokens`,
    `${GRANT}/CountUse`,
    `${GRANT}/FindLastUse`,
  ],
  federation: [`${IDENTITY_PROVIDER}/FindProvider`],
  migration: [
    `${TRANSFER}/ApplyBatch`,
    `${TRANSFER}/ApplyBatches`,
    `${TRANSFER}/UndoBatch`,
    `${TRANSFER}/UndoBatches`,
    `${TRANSFER}/FindDeletedUsers`,
    `${TRANSFER}/RehearseSignIn`,
    `${TRANSFER}/Export`,
    `${BEARER}/Authenticate`,
    `${KEYS}/SignArchiveManifest`,
  ],
}

/** Whether `caller` may call the method with this full name (`package.Service/Method`). */
export function mayCall(caller: ServiceName, method: string): boolean {
  return ALLOWED[caller].includes(method)
}

/** The services that `caller` may call any method of. */
export function calleesOf(caller: ServiceName): readonly ServiceName[] {
  const called = ALLOWED[caller].map((method) => method.split('.')[1] ?? '')
  return SERVICE_NAMES.filter((name) => called.includes(name))
}
