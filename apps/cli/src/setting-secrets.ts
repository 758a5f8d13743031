/** The first pattern that a setting matches says what replaces its secret. */
const REPLACED_BY: readonly (readonly [setting: RegExp, replacement: string])[] = [
  [
    /_MASTER_KEY$/,
    'entries that Vault or an HSM unwraps: signet secrets wrap (docs/runbooks/wrap-master-keys.md)',
  ],
  [/^SIGNET_POSTGRES_/, 'a client certificate where PostgreSQL takes one: storeCertificates of the chart'],
  [/REDIS_/, 'nothing yet: Redis wants it beside the certificate of storeCertificates of the chart'],
  [/^SIGNET_VAULT_TOKEN$/, 'an agent of Vault, which signs in by the token of the pod and keeps the file'],
  [/^SIGNET_PKCS11_PIN$/, 'nothing: a token of PKCS #11 knows its user by a PIN'],
  [/^SIGNET_STORAGE_/, 'SIGNET_STORAGE_CREDENTIALS=platform'],
  [/^SIGNET_SMTP_/, 'a mail server that knows the network of Signet'],
  [/^OTEL_/, 'a collector that knows the network of Signet'],
]

/** Says what replaces the static secret of a setting. */
export function replacementOf(setting: string): string {
  return REPLACED_BY.find(([pattern]) => pattern.test(setting))?.[1] ?? 'nothing yet'
}
