import { BlockList, isIP } from 'node:net'
import { inspect } from 'node:util'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import { z } from 'zod'
import { readRedisUrl } from './redis-url.ts'
import { readTokenReviews } from './token-review-settings.ts'

const text = z.string('is required')

/** A setting that is never printed and may also come from the file that `<NAME>_FILE` names. */
export function secret<T>(schema: z.ZodType<T, string>): z.ZodType<Secret<T>, string> {
  return schema.transform((value) => new Secret(value)).meta({ secret: true })
}

/** Whether `secret` made the schema, which may have got a default since. */
export function isSecret(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return isSecret(schema.unwrap())
  return z.globalRegistry.get(schema)?.secret === true
}

/** A field that `parse` reads; undefined means that the value breaks `rule`. */
function field<T>(rule: string, parse: (value: string) => T | undefined): z.ZodType<T, string> {
  return text.transform((value, context) => {
    const result = parse(value)
    if (result !== undefined) return result
    // Without the value: it may be a secret that was put under the wrong name.
    context.addIssue({ code: 'custom', message: rule })
    return z.NEVER
  })
}

export const path: z.ZodType<string, string> = text

export const password: z.ZodType<string, string> = text

export const host = field('must be an IP address or localhost', (value) =>
  isIP(value) !== 0 || value === 'localhost' ? value : undefined,
)

export const port = integer(1, 65_535)

export function integer(least: number, most: number): z.ZodType<number, string> {
  return field(`must be a whole number from ${least} to ${most}`, (value) => {
    const number = Number(value)
    return /^\d{1,9}$/.test(value) && number >= least && number <= most ? number : undefined
  })
}

export const flag = field('must be on or off', (value) => ({ on: true, off: false })[value])

/** OpenTelemetry's word for a flag. */
export const truth = field('must be true or false', (value) => ({ true: true, false: false })[value])

export const share = field('must be a number from 0 to 1', (value) =>
  /^(0|1)?(\.\d+)?$/.test(value) && Number(value) <= 1 ? Number(value) : undefined,
)

/** Names with values as OpenTelemetry writes them: `a=1,b=2`, percent-encoded. */
export const keyValues = field('must be name=value,name=value with percent-encoded values', (value) => {
  const pairs = listed(value).map((entry) => /^([^=\s]+)\s*=\s*(.*)$/.exec(entry))
  try {
    return Object.fromEntries(
      pairs.map((pair) => [decodeURIComponent(pair?.[1] ?? '%'), decodeURIComponent(pair?.[2] ?? '%')]),
    )
  } catch {
    return undefined
  }
})

export function oneOf<const V extends string>(values: readonly V[]): z.ZodType<V, string> {
  return field(`must be one of ${values.join(', ')}`, (value) => values.find((known) => known === value))
}

export function url(...protocols: readonly string[]): z.ZodType<string, string> {
  return field(`must be a URL that begins with ${protocols.join('// or ')}//`, (value) =>
    URL.canParse(value) && protocols.includes(new URL(value).protocol) ? value : undefined,
  )
}

/** An SMTP server: `smtp` with STARTTLS or `smtps`, with or without user and password, and nothing behind the port. */
export const smtpUrl = field(
  'must be smtp://host:port or smtps://host:port, with user:password@ before the host where the server asks for them, percent-encoded',
  (value) => {
    if (!URL.canParse(value)) return undefined
    const { protocol, hostname, pathname, search, hash, username, password } = new URL(value)
    const isServer = ['smtp:', 'smtps:'].includes(protocol) && hostname !== ''
    const isBare = ['', '/'].includes(pathname) && search === '' && hash === ''
    const isWhole = (username === '') === (password === '')
    return isServer && isBare && isWhole ? value : undefined
  },
)

/** The sender of messages: an address, or a name and an address (RFC 5322 section 3.4). */
export const mailSender = field(
  'must be an e-mail address such as id@example.com, or a name with one: Example <id@example.com>',
  (value) =>
    /^(?:[^<>@"\p{Cc}]*<[^\s<>@,;"\p{Cc}]+@[^\s<>@,;"\p{Cc}]+>|[^\s<>@,;"\p{Cc}]+@[^\s<>@,;"\p{Cc}]+)$/u.test(
      value,
    )
      ? value
      : undefined,
)

/** A URL that `readRedisUrl` understands: one server, Sentinel or Cluster. */
export const redisUrl = field(
  'must be redis://host:port, redis+sentinel://host:port,host:port/primary or redis+cluster://host:port,host:port (rediss for TLS, with ?ca=file.pem for a private authority, and &cert=file.pem&key=file.pem for a certificate of the client; :password@ before the hosts)',
  (value) => (readRedisUrl(value) === undefined ? undefined : value),
)

/** RFC 9116 section 2.5.3: where to report a vulnerability, most preferred first. */
export const contacts = field(
  'must be mailto:, https: or tel: URIs, separated by commas',
  (value): readonly string[] | undefined => {
    const uris = listed(value)
    const valid = uris.length > 0 && uris.every((uri) => /^(mailto:|https:\/\/|tel:)[\x21-\x7e]+$/.test(uri))
    return valid && uris.every((uri) => URL.canParse(uri)) ? uris : undefined
  },
)

/** OIDC Core section 16.17: https, but for loopback. Cookies and paths are rooted at the host, so it has no path. */
export const issuer = field(
  'must be an origin such as https://id.example.com, without a path or a slash at the end; http only for localhost',
  secureOrigin,
)

/** Stands for the name of a service in the origin of certificates: each service then has a host of its own. */
export const SERVICE_PLACEHOLDER = '{service}'

/** The origin at which clients present certificates, which only https has. */
export const certificateOrigin = field(
  `must be an https origin such as https://mtls.id.example.com, or https://${SERVICE_PLACEHOLDER}.mtls.id.example.com, without a path or a slash at the end`,
  (value) => {
    const origin = value.replace(SERVICE_PLACEHOLDER, 'token')
    // A brace is allowed in the host of a URL.
    const isOrigin = origin.startsWith('https://') && !origin.includes('{') && secureOrigin(origin)
    return isOrigin ? value : undefined
  },
)

/** The name of a header that a proxy sets; those with a meaning of their own are none. */
export const certificateHeader = field(
  'must be the name of a header in lower case with a hyphen, such as client-cert',
  (value) => (/^[a-z0-9]+(-[a-z0-9]+)+$/.test(value) && /cert/.test(value) ? value : undefined),
)

/** A SPIFFE URI that names of services follow: a trust domain and, if wanted, a path without dot segments. */
export const trustPrefix = field(
  'must be a URI such as spiffe://example.org/ns/signet, without a slash at the end',
  (value) =>
    /^spiffe:\/\/[a-z0-9._-]{1,255}(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._-]+)*$/.test(value) ? value : undefined,
)

/** Addresses and networks (`10.0.0.0/8, ::1`) that `check` can be asked about. */
export const networks = field(
  'must be IP addresses or networks such as 10.0.0.0/8, separated by commas',
  (value) => {
    const list = new BlockList()
    for (const entry of listed(value)) {
      const [address = '', prefix, ...rest] = entry.split('/')
      const version = isIP(address)
      const bits = version === 4 ? 32 : 128
      const length = prefix === undefined ? bits : Number(prefix)
      if (version === 0 || rest.length > 0 || !/^\d{1,3}$/.test(prefix ?? '0') || length > bits)
        return undefined
      list.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6')
    }
    return list
  },
)

/** Address of a service: `name:port`, whose addresses are used in turn, or several `ip:port` separated by commas. */
export const addresses = field(
  'must be name:port, or IP addresses with ports separated by commas',
  (value) => {
    const entries = listed(value)
    const parts = entries.map((entry) => /^(\[[\da-fA-F:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(entry))
    const valid = parts.every((part) => part !== null && Number(part[2]) >= 1 && Number(part[2]) <= 65_535)
    const versions = new Set(parts.map((part) => isIP((part?.[1] ?? '').replace(/[[\]]/g, ''))))
    if (!valid || entries.length === 0) return undefined
    return entries.length === 1 || (versions.size === 1 && !versions.has(0)) ? entries.join(',') : undefined
  },
)

/** Keys that wrap what is stored, newest first: the first one seals, all of them open. */
export const masterKeys = field(
  'must be keys of 32 bytes in base64url (43 characters), separated by commas, the newest first',
  (value): readonly Buffer[] | undefined => {
    const keys = listed(value)
    const valid = keys.length > 0 && keys.every((key) => /^[A-Za-z0-9_-]{43}=?$/.test(key))
    return valid ? keys.map((key) => Buffer.from(key, 'base64url')) : undefined
  },
)

/** Origin of Vault or OpenBao; a token is sent in clear text to an agent on the same machine only. */
export const vaultUrl = field(
  'must be an origin such as https://vault.example.com:8200, without a path or a slash at the end; http only for localhost',
  secureOrigin,
)

/** API servers of Kubernetes that are asked about tokens of their issuers. */
export const tokenReviews = field(
  'must be a JSON list of {"issuer", "url", "tokenFile", "caFile"}, the last of which may be left out: one for each issuer, url an origin with https',
  (value) => readTokenReviews(value, (url) => secureOrigin(url) !== undefined),
)

/** A host name as WebAuthn compares it: lower-case ASCII without a port. */
export const domain = field(
  'must be a host name in lower case such as example.com, without a port',
  (value) => (/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(value) && isIP(value) === 0 ? value : undefined),
)

/** Hosts such as `example.com`, `*.example.de` and, refused, `!evil.example`. */
export const clientHosts = field(
  'must be host names in lower case, separated by commas, with *. for the hosts below and ! for the refused ones',
  (value): readonly string[] | undefined => {
    const hosts = listed(value)
    const valid = hosts.every((host) => /^!?(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(host))
    return valid && hosts.length > 0 ? hosts : undefined
  },
)

/** The id of an object of the directory. */
export const identifier = field(
  'must be an id: 1 to 200 characters out of A-Z a-z 0-9 . _ ~ @ + -',
  (value) => (/^[A-Za-z0-9._~@+-]{1,200}$/.test(value) ? value : undefined),
)

/** The id of a user or service user, which may be a URI (USER_IDENTIFIER of @signet/tokens). */
export const userIdentifier = field(
  'must be the id of a user: 1 to 200 characters out of A-Z a-z 0-9 . _ ~ @ + - |, or a URI out of A-Z a-z 0-9 . _ ~ @ + - :',
  (value) =>
    /^(?:[\w.~@+|-]{1,200}|[A-Za-z][A-Za-z0-9+.-]{0,40}:[\w.~@+:-]{1,158})$/.test(value) ? value : undefined,
)

/** Origins such as `https://example.com, https://example.de`. */
export const origins = field(
  'must be https origins such as https://example.com, separated by commas, without paths',
  (value): readonly string[] | undefined => {
    const entries = listed(value)
    const areOrigins = entries.every(
      (entry) => entry.startsWith('https://') && URL.canParse(entry) && new URL(entry).origin === entry,
    )
    return areOrigins && entries.length > 0 ? entries : undefined
  },
)

function listed(value: string): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** A value that prints as `[secret]` wherever it is printed. `reveal()` is the one way out, and easy to search for. */
export class Secret<T = string> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  reveal(): T {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}

/** The origin if it is https, or http of a loopback host. */
function secureOrigin(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined
  const { origin, protocol, hostname } = new URL(value)
  const usable = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
  return usable && origin === value ? value : undefined
}
