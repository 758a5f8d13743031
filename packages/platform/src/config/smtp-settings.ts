import { ConfigurationError } from './settings.ts'
import type { Secret } from './settings-fields.ts'

/** The SMTP server of the instance, and the sender of what goes through it. */
export interface SmtpConfig {
  readonly url: Secret
  /** `id@example.com` or `Example <id@example.com>`. */
  readonly sender: string
}

/** The settings that `smtpConfig` reads. */
export const SMTP_SETTINGS = ['SIGNET_SMTP_URL', 'SIGNET_SMTP_SENDER'] as const

interface Values {
  readonly SIGNET_SMTP_URL?: Secret | undefined
  readonly SIGNET_SMTP_SENDER?: string | undefined
}

/** Undefined without a server. Throws ConfigurationError when one of the two settings stands alone. */
export function smtpConfig({
  SIGNET_SMTP_URL: url,
  SIGNET_SMTP_SENDER: sender,
}: Values): SmtpConfig | undefined {
  if (url !== undefined && sender !== undefined) return { url, sender }
  if (url !== undefined)
    throw new ConfigurationError(['SIGNET_SMTP_SENDER: is required with SIGNET_SMTP_URL'])
  if (sender !== undefined)
    throw new ConfigurationError(['SIGNET_SMTP_URL: is required with SIGNET_SMTP_SENDER'])
  return undefined
}
