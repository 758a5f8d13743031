import type { Command } from '@commander-js/extra-typings'
import { CLI_CLIENT_ID } from '../access/browser-login.ts'
import { UsageError } from '../exit-codes.ts'
import { nearest } from '../suggestions.ts'
import type { Body } from './request-body.ts'

// `signet application create web --project shop --redirect-uri https://shop.example/callback` creates an application with the
// settings that its kind needs. The suite sets grant types and authentication by the type.

interface Kind {
  readonly type: string
  readonly description: string
  readonly needsRedirectUri: boolean
}

const KINDS: Readonly<Record<string, Kind>> = {
  web: {
    type: 'web',
    description: 'runs on a server and keeps a secret: client_secret_basic, code and refresh tokens',
    needsRedirectUri: true,
  },
  spa: {
    type: 'userAgent',
    description:
      'runs in the browser: PKCE without a secret; the origins of its redirect URIs may call Signet (CORS)',
    needsRedirectUri: true,
  },
  native: {
    type: 'native',
    description: 'runs on a device: PKCE without a secret; http://127.0.0.1/PATH stands for every port',
    needsRedirectUri: true,
  },
  api: {
    type: 'api',
    description: 'introspects tokens: client_secret_basic, no sign-in and no redirect URI',
    needsRedirectUri: false,
  },
  cli: {
    type: 'native',
    description: 'lets people use "signet login" in the browser, as client signet-cli; needs IAM_OWNER',
    needsRedirectUri: false,
  },
  console: {
    type: 'userAgent',
    description: 'lets people use the console at /console, as client signet-console; needs IAM_OWNER',
    needsRedirectUri: true,
  },
}
const NAMES = Object.keys(KINDS)

/** A redirect URI for a kind that has its own. */
const EXAMPLES: Readonly<Record<string, string>> = {
  native: 'http://127.0.0.1/callback',
  console: 'https://id.example.com/console/callback',
}

/** A native application may use any port of this address (RFC 8252 section 7.3). */
const CLI_REDIRECT_URI = 'http://127.0.0.1/callback'

/**
 * The application of `signet login`, which an IAM_OWNER registers. Not first-party, so people are asked for consent
 * (RFC 8252 section 8.6).
 */
const CLI_APPLICATION = {
  clientId: CLI_CLIENT_ID,
  name: 'Signet command line',
  redirectUris: [CLI_REDIRECT_URI],
  mayCallApi: true,
}

/** The application of the console, which is part of the instance: people are asked for no consent. */
const consoleApplication = (redirectUris: readonly string[]) => ({
  clientId: 'signet-console',
  name: 'Signet console',
  postLogoutRedirectUris: originsOf(redirectUris).map((origin) => `${origin}/console/`),
  mayCallApi: true,
  firstParty: true,
  dpopBoundAccessTokens: true,
})

const collect = (value: string, before: string[] = []) => [...before, value]

/** Adds the kind and its options to `application create`. */
export function addApplicationKinds(command: Command): void {
  command
    .argument('[kind]', `${NAMES.join(', ')}: sets the fields that this kind of application needs`)
    .option('--project <id>', 'the project of the application, as --set projectId=ID')
    .option('--name <name>', 'its name, as --set name=NAME; by default the kind')
    .option('--redirect-uri <uri>', 'receives the response after the sign-in; may be repeated', collect)
    .option('--post-logout-redirect-uri <uri>', 'target of the redirect after the sign-out', collect)
}

export function kindHelp(): string {
  const lines = Object.entries(KINDS).map(([name, { description }]) => `  ${name.padEnd(7)} ${description}`)
  return `Kinds:\n${lines.join('\n')}`
}

/** Returns the fields that the kind and its options set. Throws UsageError for an unknown kind or a missing option. */
export function applicationOfKind(command: Command): Body {
  const [kind] = command.args
  const given = command.opts() as {
    readonly project?: string
    readonly name?: string
    readonly redirectUri?: readonly string[]
    readonly postLogoutRedirectUri?: readonly string[]
    readonly set?: readonly string[]
  }
  const fields = {
    ...(given.project !== undefined && { projectId: given.project }),
    ...(given.name !== undefined && { name: given.name }),
    ...(given.redirectUri && { redirectUris: given.redirectUri }),
    ...(given.postLogoutRedirectUri && { postLogoutRedirectUris: given.postLogoutRedirectUri }),
  }
  return kind === undefined ? fields : { ...defaultsOf(kind, fields, given.set ?? []), ...fields }
}

/** Returns the fields that a kind sets besides these. Throws UsageError for an unknown kind or a missing redirect URI. */
export function defaultsOf(kind: string, fields: Body, set: readonly string[] = []): Body {
  const known = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined
  if (known === undefined) {
    const close = nearest(kind, NAMES)
    const advice = close === undefined ? '' : `; did you mean ${close}?`
    throw new UsageError(`"${kind}" is not a kind of application; there are ${NAMES.join(', ')}${advice}`)
  }
  const redirectUris = (fields.redirectUris ?? []) as readonly string[]
  const isMissing = redirectUris.length === 0 && !set.some((text) => text.startsWith('redirectUris'))
  if (known.needsRedirectUri && isMissing) {
    const example = EXAMPLES[kind] ?? 'https://app.example.com/callback'
    throw new UsageError(`give --redirect-uri, such as ${example}`)
  }
  if (kind === 'api' && redirectUris.length > 0) {
    throw new UsageError('--redirect-uri: an api application has no sign-in; choose web, spa or native')
  }
  return {
    type: known.type,
    name: kind,
    ...(kind === 'spa' && { allowedOrigins: originsOf(redirectUris) }),
    ...(kind === 'cli' && CLI_APPLICATION),
    ...(kind === 'console' && consoleApplication(redirectUris)),
  }
}

/** Skips a URI without an origin, which the suite refuses with field and rule. */
function originsOf(uris: readonly string[]): readonly string[] {
  return [...new Set(uris.flatMap((uri) => originOf(uri) ?? []))]
}

function originOf(uri: string): string | undefined {
  try {
    const { origin } = new URL(uri)
    return origin === 'null' ? undefined : origin
  } catch {
    return undefined
  }
}
