import { arrive } from '@signet/platform/load/open-loop'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import { readSecretFile } from '../access/secret-file.ts'
import type { AddCommand, CommandContext } from '../context.ts'
import { CommandError, UsageError } from '../exit-codes.ts'
import { outputOption } from '../output.ts'
import { Bench, type BenchParties, KINDS, type Kind } from './kinds.ts'
import { LoadCount } from './load-count.ts'

/** Each is the most that an option may ask for. */
const MOST = { rate: 10_000, duration: 3_600, requests: 1_000_000, connections: 1_000 }
/** The rate of each kind on this machine when no `--rate` is given. */
const LOCAL_RATE = 5
const RESPONSE_TIMEOUT_MS = 30_000

interface BenchOptions {
  readonly issuer?: string | undefined
  readonly rate: readonly string[]
  readonly duration: string
  readonly requests: string
  readonly connections: string
  readonly progress: string
  readonly clientId?: string | undefined
  readonly clientSecretFile?: string | undefined
  readonly redirectUri?: string | undefined
  readonly scope: string
  readonly loginName?: string | undefined
  readonly passwordFile?: string | undefined
  readonly yes?: true | undefined
}

/** `bench` sends requests at a fixed rate and shows how long their responses took. */
export function addBenchCommand(add: AddCommand, context: CommandContext): void {
  add('bench')
    .description('sends requests at a fixed rate and shows how long their responses took')
    .option('--issuer <url>', 'the public origin of the suite')
    .option('--rate <kind=number>', 'requests a second of this kind; repeatable', collect, [])
    .option('--duration <seconds>', 'for how long requests begin', '10')
    .option('--requests <number>', 'most requests of each kind', '100000')
    .option('--connections <number>', 'most requests of each kind at a time; the others wait', '32')
    .option('--progress <seconds>', 'how often a line about the load is written to standard error', '5')
    .option('--client-id <id>', 'the client of all requests')
    .option('--client-secret-file <file>', 'holds its client secret')
    .option('--redirect-uri <uri>', 'a redirect URI of the client; no request is sent there')
    .option('--scope <scopes>', 'the scopes that a person signs in for', 'openid offline_access')
    .option('--login-name <name>', 'the person who signs in')
    .option('--password-file <file>', "holds that person's password")
    .option('--yes', 'sends the requests to another machine; needs --rate')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Kinds: ${Object.entries(KINDS)
        .map(([kind, { needs }]) => `${kind} (${needs})`)
        .join(', ')}.
All need --client-id and --client-secret-file, those of a person --redirect-uri, --login-name and --password-file too.
Without --rate, which only this machine may be asked without, each kind whose credentials are given is sent ${LOCAL_RATE} times a second.
Requests begin at random times at the mean rate, also while earlier ones wait (open loop), and each is timed from the
moment at which it was to begin. Ctrl-C ends the load and shows the figures so far. The exit code is 8 when requests failed.

The requests are real: they leave sessions, grants, lines of the audit log and, for sign-ins from a new browser, messages
to the person. A sign-in counts against the rate limit of its network.`,
    )
    .action(async ({ output, ...options }) => {
      const plan = planOf(options)
      const bench = new Bench(
        await partiesOf(options, plan.rates, context),
        createBoundedFetch(context.fetch),
      )
      const items = await runLoad(bench, plan, context)
      const columns = ['kind', 'succeeded', 'failed', 'perSecond', 'p50Ms', 'p95Ms', 'p99Ms', 'maxMs']
      context.say(output({ items }, columns))
      const failed = items.filter((each) => each.failed > 0)
      if (failed.length === 0) return
      const lines = failed.map(({ kind, failures }) => {
        const labels = Object.entries(failures).map(([label, count]) => `${count} × ${label}`)
        return `${kind}: ${labels.join(', ')}`
      })
      throw new CommandError('unavailable', `requests failed; ${lines.join('; ')}`)
    })
}

const collect = (value: string, all: readonly string[]): readonly string[] => [...all, value]

interface LoadPlan {
  readonly rates: ReadonlyMap<Kind, number>
  readonly durationMs: number
  readonly most: number
  readonly connections: number
  readonly progressMs: number
}

/** Throws UsageError for a value that is out of bounds, and for another machine without --yes and --rate. */
function planOf(options: BenchOptions): LoadPlan {
  const { issuer = '' } = options
  if (!(URL.canParse(issuer) && /^https?:/.test(issuer))) {
    throw new UsageError('--issuer must be an http or https URL')
  }
  if (!isLoopbackHost(new URL(issuer).hostname) && (options.yes === undefined || options.rate.length === 0)) {
    throw new UsageError(
      `${issuer} is another machine, which the load may bring down for its users: give --yes and --rate KIND=NUMBER if it is yours`,
    )
  }
  if (!isLoopbackHost(new URL(issuer).hostname) && new URL(issuer).protocol !== 'https:') {
    throw new UsageError('--issuer must be https for another machine: secrets and passwords are sent to it')
  }
  const rates = new Map<Kind, number>()
  for (const text of options.rate) {
    const [kind = '', number = ''] = text.split('=')
    if (!isKind(kind))
      throw new UsageError(`--rate ${text}: the kind must be ${Object.keys(KINDS).join(', ')}`)
    rates.set(kind, numberOf(`--rate ${kind}`, number, MOST.rate))
  }
  if (options.rate.length === 0) {
    const hasPerson = options.loginName !== undefined
    for (const kind of Object.keys(KINDS).filter(isKind)) {
      if (KINDS[kind].needs === 'client' || hasPerson) rates.set(kind, LOCAL_RATE)
    }
  }
  return {
    rates,
    durationMs: numberOf('--duration', options.duration, MOST.duration) * 1000,
    most: Math.ceil(numberOf('--requests', options.requests, MOST.requests)),
    connections: Math.ceil(numberOf('--connections', options.connections, MOST.connections)),
    progressMs: numberOf('--progress', options.progress, MOST.duration) * 1000,
  }
}

const isKind = (text: string): text is Kind => Object.hasOwn(KINDS, text)

function numberOf(option: string, text: string, most: number): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0
  if (value > 0 && value <= most) return value
  throw new UsageError(`${option}: must be a number above 0 and at most ${most}`)
}

async function partiesOf(
  options: BenchOptions,
  rates: LoadPlan['rates'],
  context: CommandContext,
): Promise<BenchParties> {
  const { issuer = '', clientId, clientSecretFile, redirectUri, scope, loginName, passwordFile } = options
  if (clientId === undefined || clientSecretFile === undefined) {
    throw new UsageError('give --client-id and --client-secret-file')
  }
  const withPerson = [...rates.keys()].filter((kind) => KINDS[kind].needs === 'person')
  const client = { issuer: new URL(issuer).origin, clientId, redirectUri, scope }
  const clientSecret = await readSecretFile(clientSecretFile, context)
  if (withPerson.length === 0) return { ...client, clientSecret }
  if (redirectUri === undefined || loginName === undefined || passwordFile === undefined) {
    throw new UsageError(`${withPerson.join(', ')}: give --redirect-uri, --login-name and --password-file`)
  }
  if (!URL.canParse(redirectUri)) throw new UsageError('--redirect-uri must be a URI')
  const password = await readSecretFile(passwordFile, context)
  return { ...client, clientSecret, person: { loginName, password } }
}

/** A request without a response in time is a failure, so that the command ends. */
function createBoundedFetch(fetchResponse: typeof fetch): typeof fetch {
  return (input, init) => fetchResponse(input, { ...init, signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) })
}

async function runLoad(bench: Bench, plan: LoadPlan, { note, interruption }: CommandContext) {
  const kinds = await Promise.all(
    [...plan.rates].map(async ([kind, perSecond]) => {
      const lanes = await KINDS[kind].lanes(bench, plan.connections).catch((cause: unknown) => {
        const reason = cause instanceof Error ? cause.message : String(cause)
        throw new CommandError('refused', `${kind} did not begin: ${reason}`, { cause })
      })
      return { kind, perSecond, lanes }
    }),
  )
  const counts = kinds.map(({ kind }) => new LoadCount(kind))
  const signal = interruption()
  const startedAt = performance.now()
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10
    const parts = counts.map((count) => {
      const { kind, succeeded, failed, p99Ms } = count.figures()
      return `${kind} ${succeeded} succeeded, ${failed} failed, p99 ${p99Ms ?? '-'} ms`
    })
    note(`${seconds} s: ${parts.join('; ')}`)
  }, plan.progressMs)
  try {
    const { durationMs, most } = plan
    await Promise.all(
      kinds.map(({ perSecond, lanes }, index) =>
        arrive(lanes, { perSecond, durationMs, most, random: Math.random, signal }, (operation) =>
          counts[index]?.add(operation),
        ),
      ),
    )
  } finally {
    clearInterval(timer)
  }
  return counts.map((count) => count.figures())
}
