import { ConfigurationError } from './settings.ts'
import type { Secret } from './settings-fields.ts'

/** The SMTP server of the instance, and the sender of what goes through it. */
export interface SmtpConfig {
  readonly url: Secret
  /** `id@example.com` or `Example <id@example.com>`. */
  readonly sender: string
  /** The most messages in 24 hours to the people of one organization; 0: no limit. */
  readonly dailyLimit: number
}

/** The settings that `smtpConfig` reads. */
export const SMTP_SETTINGS = ['SIGNET_SMTP_URL', 'SIGNET_SMTP_SENDER', 'SIGNET_SMTP_DAILY_LIMIT'] as const

interface Values {
  readonly SIGNET_SMTP_URL?: Secret | undefined
  readonly SIGNET_SMTP_SENDER?: string | undefined
  readonly SIGNET_SMTP_DAILY_LIMIT: number
}

/** Undefined without a server. Throws ConfigurationError when one of URL and sender stands alone. */
export function smtpConfig({
  SIGNET_SMTP_URL: url,
  SIGNET_SMTP_SENDER: sender,
  SIGNET_SMTP_DAILY_LIMIT: dailyLimit,
}: Values): SmtpConfig | undefined {
  if (url !== undefined && sender !== undefined) return { url, sender, dailyLimit }
  if (url !== undefined)
    throw new ConfigurationError(['SIGNET_SMTP_SENDER: is required with SIGNET_SMTP_URL'])
  if (sender !== undefined)
    throw new ConfigurationError(['SIGNET_SMTP_URL: is required with SIGNET_SMTP_SENDER'])
  return undefined
}
