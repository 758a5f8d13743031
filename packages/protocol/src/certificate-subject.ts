import { canonicalName, readDistinguishedName } from './distinguished-name.ts'

// The names by which a client is known in certificates of an authority (RFC 8705 section 2.1.2).

/** The kinds of names that a certificate has: that of its subject, and those of its extension subjectAltName. */
export type CertificateNameKind = 'subjectDn' | 'dns' | 'uri' | 'ip' | 'email'

interface NameRule {
  readonly kind: CertificateNameKind
  readonly rule: string
  /** The form in which equal names are equal texts; undefined for a text that breaks the rule. */
  readonly canonical: (value: string) => string | undefined
}

/** The rules of each kind of name; the settings of an application have the names of the metadata of RFC 8705 in camel case. */
export const CERTIFICATE_NAMES = {
  tlsClientAuthSubjectDn: {
    kind: 'subjectDn',
    rule: 'must be a distinguished name as RFC 4514 writes it, such as CN=client,O=Example,C=DE',
    canonical(value) {
      const name = readDistinguishedName(value)
      return name === undefined ? undefined : canonicalName(name)
    },
  },
  tlsClientAuthSanDns: {
    kind: 'dns',
    rule: 'must be a host name such as client.example.com',
    canonical: (value) =>
      /^[A-Za-z0-9*_-]+(\.[A-Za-z0-9_-]+)*$/.test(value) ? value.toLowerCase() : undefined,
  },
  tlsClientAuthSanUri: {
    kind: 'uri',
    rule: 'must be a URI such as spiffe://example.com/client',
    canonical: (value) => (/^[\x21-\x7e]+$/.test(value) && URL.canParse(value) ? value : undefined),
  },
  tlsClientAuthSanIp: {
    kind: 'ip',
    rule: 'must be an IP address',
    canonical(value) {
      if (/^\d{1,3}(\.\d{1,3}){3}$/.test(value)) {
        const octets = value.split('.').map(Number)
        return octets.every((octet) => octet <= 255) ? octets.join('.') : undefined
      }
      // RFC 5952 section 8: compared as numbers, of which a URL has one text each.
      const url = `http://[${value}]`
      return /^[0-9A-Fa-f:.]+$/.test(value) && URL.canParse(url) ? new URL(url).hostname : undefined
    },
  },
  tlsClientAuthSanEmail: {
    kind: 'email',
    rule: 'must be an e-mail address',
    canonical(value) {
      const [, local, host] = /^([\x21-\x7e]+)@([A-Za-z0-9.-]+)$/.exec(value) ?? []
      return host === undefined ? undefined : `${local}@${host.toLowerCase()}`
    },
  },
} as const satisfies Readonly<Record<string, NameRule>>

export type CertificateNameSetting = keyof typeof CERTIFICATE_NAMES

export const CERTIFICATE_NAME_SETTINGS = Object.keys(CERTIFICATE_NAMES) as readonly CertificateNameSetting[]

/** Gives every name the value that `valueFor` returns. */
export function forCertificateNames<Value>(
  valueFor: (name: CertificateNameSetting) => Value,
): Readonly<Record<CertificateNameSetting, Value>> {
  const entries = CERTIFICATE_NAME_SETTINGS.map((name) => [name, valueFor(name)])
  return Object.fromEntries(entries) as Readonly<Record<CertificateNameSetting, Value>>
}

type Settings = { readonly [Name in CertificateNameSetting]?: string | null | undefined } & {
  readonly authMethod?: string | undefined
}

/** The one name that a client has registered, in its canonical form; undefined where it has none, several or a malformed one. */
export function registeredCertificateName(
  settings: Omit<Settings, 'authMethod'>,
): { readonly kind: CertificateNameKind; readonly value: string } | undefined {
  const given = CERTIFICATE_NAME_SETTINGS.filter((name) => settings[name] != null)
  const [name] = given
  if (name === undefined || given.length > 1) return undefined
  const { kind, canonical } = CERTIFICATE_NAMES[name]
  const value = canonical(settings[name] ?? '')
  return value === undefined ? undefined : { kind, value }
}

/** Returns the rules that the names of an application break: with tls_client_auth it has exactly one, without it none. */
export function certificateNameProblems(
  settings: Settings,
): readonly { readonly field: keyof Settings; readonly rule: string }[] {
  const given = CERTIFICATE_NAME_SETTINGS.filter((name) => settings[name] != null)
  if (settings.authMethod === 'tls_client_auth') {
    if (given.length === 1) return []
    const rule = `tls_client_auth needs exactly one of ${CERTIFICATE_NAME_SETTINGS.join(', ')}`
    return [{ field: 'authMethod', rule }]
  }
  return given.map((field) => ({ field, rule: 'only applications with authMethod tls_client_auth have it' }))
}
