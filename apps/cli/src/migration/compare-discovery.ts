import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { type CommandContext, createReadFailure, textOf } from '../context.ts'
import { CommandError, UsageError } from '../exit-codes.ts'
import { outputOption, tableOf } from '../output.ts'
import {
  compareProviders,
  type Difference,
  type DiscoveryDocument,
  type Provider,
} from './discovery-comparison.ts'

const TIMEOUT_MS = 30_000
const MOST_BYTES = 1_048_576

type ReadContext = Pick<CommandContext, 'fetch' | 'standardInput' | 'note'>

/** `import compare-discovery` lists the differences that clients notice after a move to another provider. */
export function addCompareDiscoveryCommand(imports: CommandUnknownOpts, context: CommandContext): void {
  imports
    .command('compare-discovery')
    .description('compares the discovery documents of two providers, and lists the changes that clients need')
    .argument('[old]', 'issuer https://…, or FILE: the provider that clients use now')
    .argument('[new]', 'issuer https://…, or FILE: the provider that they move to')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
For an issuer the key set is compared, too; a FILE is a discovery document without keys. A list that a document leaves out has
the default of its specification. With differences the exit code is 0; it is 8 when an issuer cannot be read.`,
    )
    .action(async (old: string | undefined, next: string | undefined, { output }) => {
      if (!old || !next) throw new UsageError('give two arguments: the old and the new issuer, or files')
      const [before, after] = await Promise.all([providerAt(old, context), providerAt(next, context)])
      const items = compareProviders(before, after)
      context.say(output === tableOf ? items.flatMap(linesOf).join('\n') : output({ items }))
    })
}

/**
 * `only old   response_types_supported: token`, and the advice in the next line. A table would be as wide as the longest
 * list.
 */
function linesOf({ item, status, old, new: next, advice }: Difference): readonly string[] {
  const values = status === 'different' ? `${old} -> ${next}` : status === 'only new' ? next : old
  const line = `${status.padEnd(INDENT)}${item}: ${values}`
  return advice === '' ? [line] : [line, `${' '.repeat(INDENT)}${advice}`]
}

/** Width of the longest status plus one. */
const INDENT = 11

async function providerAt(place: string, context: ReadContext): Promise<Provider> {
  if (!/^https?:\/\//.test(place)) {
    const text = await textOf(place, context).catch(createReadFailure(place))
    return { document: documentOf(text, place, (message) => new CommandError('refused', message)) }
  }
  const issuer = place.replace(/\/$/, '').replace(/\/\.well-known\/openid-configuration$/, '')
  const url = `${issuer}/.well-known/openid-configuration`
  const document = documentOf(
    await fetchText(url, context),
    url,
    (message) => new CommandError('unavailable', message),
  )
  // Discovery 1.0 section 4.3.
  if (document.issuer !== issuer && document.issuer !== `${issuer}/`) {
    context.note(`${url} names another issuer than ${issuer}: clients refuse it`)
  }
  const { jwks_uri } = document
  if (typeof jwks_uri !== 'string' || !/^https?:\/\//.test(jwks_uri)) return { document }
  const { keys } = objectOf(await fetchText(jwks_uri, context)) ?? {}
  if (!Array.isArray(keys)) throw new CommandError('unavailable', `${jwks_uri} is not a JSON Web Key Set`)
  return { document, keys: keys.map((key) => Object(key)) }
}

function documentOf(text: string, place: string, failure: (message: string) => Error): DiscoveryDocument {
  const document = objectOf(text)
  if (typeof document?.issuer !== 'string')
    throw failure(`${place} is not a discovery document with an issuer`)
  return document
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

async function fetchText(url: string, { fetch }: ReadContext): Promise<string> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (!response.ok) throw new CommandError('unavailable', `${url} returned ${response.status}`)
    let bytes = 0
    const chunks: Uint8Array[] = []
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      if (bytes > MOST_BYTES) throw new CommandError('unavailable', `${url} returned more than 1 MiB`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  } catch (cause) {
    if (cause instanceof CommandError) throw cause
    throw new CommandError('unavailable', `${url} cannot be reached`, { cause })
  }
}
