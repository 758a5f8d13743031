import type { BlockList } from 'node:net'
import { PASSKEY_SETTINGS, type PasskeyParty, passkeyParty } from '@signet/platform/config/passkey-settings'
import {
  PASSWORD_SETTINGS,
  type PasswordRules,
  passwordRules,
} from '@signet/platform/config/password-settings'
import { type Environment, readSettings } from '@signet/platform/config/settings'
import type { Secret } from '@signet/platform/config/settings-fields'
import { SMTP_SETTINGS, type SmtpConfig, smtpConfig } from '@signet/platform/config/smtp-settings'
import { permittedNetworks } from '@signet/platform/outbound-http/address-policy'

export interface DirectoryConfig {
  /** Public origin of the suite. */
  readonly issuer: string
  /** Newest first: the first one seals, all of them open. */
  readonly masterKeys: Secret<readonly Buffer[]>
  /** The relying party of passkeys; undefined: there are no passkeys. */
  readonly passkeys?: PasskeyParty | undefined
  readonly trustedProxies: BlockList
  /** Requests a second of one caller of the management API; absent or 0: any number. */
  readonly rateLimits?: { readonly management?: number | undefined }
  /** The SMTP server of the instance, if there is one. */
  readonly smtp?: SmtpConfig | undefined
  readonly passwords: PasswordRules
  /** Whether people get a message about a sign-in in a new browser. */
  readonly signInNotices: boolean
  /** Whether people may delete their own accounts. */
  readonly ownAccountDeletion: boolean
  /** Networks beside the public Internet that SMTP servers of organizations, and that list, may be in. */
  readonly outboundAllow: BlockList
}

/** Reads what only the directory needs. Throws ConfigurationError with every problem at once. */
export function readDirectoryConfig(environment: Environment): DirectoryConfig {
  const settings = readSettings(environment, [
    'SIGNET_ISSUER',
    'SIGNET_DIRECTORY_MASTER_KEY',
    'SIGNET_TRUSTED_PROXIES',
    'SIGNET_RATE_LIMIT_MANAGEMENT',
    ...PASSKEY_SETTINGS,
    'SIGNET_OUTBOUND_ALLOW',
    ...SMTP_SETTINGS,
    ...PASSWORD_SETTINGS,
    'SIGNET_SIGN_IN_NOTICES',
    'SIGNET_OWN_ACCOUNT_DELETION',
  ])
  return {
    issuer: settings.SIGNET_ISSUER,
    masterKeys: settings.SIGNET_DIRECTORY_MASTER_KEY,
    passkeys: passkeyParty(settings.SIGNET_ISSUER, settings),
    trustedProxies: settings.SIGNET_TRUSTED_PROXIES,
    rateLimits: { management: settings.SIGNET_RATE_LIMIT_MANAGEMENT },
    smtp: smtpConfig(settings),
    passwords: passwordRules(settings),
    signInNotices: settings.SIGNET_SIGN_IN_NOTICES,
    ownAccountDeletion: settings.SIGNET_OWN_ACCOUNT_DELETION,
    outboundAllow: permittedNetworks(settings.SIGNET_OUTBOUND_ALLOW, settings.SIGNET_ISSUER),
  }
}
