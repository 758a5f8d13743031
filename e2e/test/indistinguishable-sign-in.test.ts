import type { HttpBrowser, Page } from '@signet/testing/http-browser'
import { size } from '@signet/testing/sizes'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD, REDIRECT_URI } from '@signet/testing/system/test-directory'
import type { TestSystem } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ALLOWED = 0.1
/** Number of standard deviations within which 99.9 % of a normal distribution lie. */
const DEVIATIONS = 3.29
const WRONG = 'No-such-password-1'
/** Names of one length, so that only the reason of the refusal differs. `dora` is there twice to show the noise. */
const ATTEMPTS = {
  'wrong password': { login_name: 'dora', password: WRONG },
  'wrong password again': { login_name: 'dora', password: WRONG },
  'unknown user': { login_name: 'nobo', password: PASSWORD },
  'locked user': { login_name: 'lena', password: PASSWORD },
} as const
type Attempt = keyof typeof ATTEMPTS
const NAMES = Object.keys(ATTEMPTS) as readonly Attempt[]

let system: TestSystem
beforeAll(async () => {
  system = await startSystem({ mode: 'standalone', env: { SIGNET_TRUSTED_PROXIES: '127.0.0.1,::1' } })
}, 60_000)
afterAll(() => system?.stop())

/** A sign-in page that can be filled in again and again. */
async function openSignIn(): Promise<{ readonly browser: HttpBrowser; readonly page: Page }> {
  const browser = system.newBrowser()
  const query = new URLSearchParams({
    client_id: 'web',
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'openid',
  })
  return { browser, page: await browser.open(`/oauth/v2/authorize?${query}`) }
}

/**
 * A page without the parts that differ for each user: the CSRF tokens, the request it belongs to, the challenge of a passkey,
 * the nonce of the script, and the name typed.
 */
function comparable(page: Page, loginName: string): string {
  return page.body
    .replace(
      /(name="(csrf|request)"( type="hidden")? value="|(?:\?|%3F)request(?:=|%3D)|data-options="|nonce=")[^"]+/g,
      '$1',
    )
    .replaceAll(`value="${loginName}"`, 'value="the-name-typed"')
}

/** Header names and values without the time, the id of the request and the nonce of the script. */
function comparableHeaders(page: Page): Readonly<Record<string, string>> {
  const { date: _, 'x-request-id': __, ...rest } = Object.fromEntries(page.headers)
  const policy = rest['content-security-policy']?.replace(/'nonce-[\w-]+'/, '')
  return { ...rest, ...(policy !== undefined && { 'content-security-policy': policy }) }
}

/**
 * The median, and between which values the median of the population lies with a probability of 99.9 %: a binomial count of
 * the values below it, by its normal approximation. It assumes nothing about how the times are distributed.
 */
function medianRange(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (position: number) => sorted[Math.min(Math.max(0, position), sorted.length - 1)] ?? 0
  const margin = (DEVIATIONS * Math.sqrt(sorted.length)) / 2
  const [below, above] = [Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2)]
  return {
    median: (at(below) + at(above)) / 2,
    from: at(Math.floor(sorted.length / 2 - margin)),
    to: at(Math.ceil(sorted.length / 2 + margin)),
  }
}

describe('a refused sign-in does not show the reason [F-32]', () => {
  it('one message, one status, one body, the same headers', async () => {
    const answers = new Map<Attempt, Page>()
    for (const name of NAMES) {
      const { browser, page } = await openSignIn()
      answers.set(name, await browser.submit(page, ATTEMPTS[name]))
    }
    const shown = NAMES.map((name) => comparable(answers.get(name) as Page, ATTEMPTS[name].login_name))
    expect(shown[0]).toContain('id="login-problem"')
    expect(new Set(shown).size).toBe(1)
    expect(new Set([...answers.values()].map(({ status }) => status))).toEqual(new Set([400]))
    const headers = [...answers.values()].map(comparableHeaders)
    for (const other of headers) expect(other).toEqual(headers[0])
  })

  it('takes the same time for every reason: no median surely differs by more than 10 %', async () => {
    const { browser, page } = await openSignIn()
    const shares = new Map<Attempt, number[]>(NAMES.map((name) => [name, []]))
    for (let round = 0; round < size('signInTries'); round += 1) {
      const taken: [Attempt, number][] = []
      // Each round begins with another attempt, so that its neighbours do not count.
      for (let position = 0; position < NAMES.length; position += 1) {
        const name = NAMES[(round + position) % NAMES.length] as Attempt
        // One address may not fail that often.
        browser.forwardedFor = `192.0.2.${round % 256}`
        const startedAt = performance.now()
        await browser.submit(page, ATTEMPTS[name])
        taken.push([name, performance.now() - startedAt])
      }
      // As a share of the round, so that a phase in which the machine is busy counts for every reason alike.
      const typical = medianRange(taken.map(([, ms]) => ms)).median
      for (const [name, ms] of taken) shares.get(name)?.push(ms / typical)
    }
    const ranges = NAMES.map((name) => medianRange(shares.get(name) ?? []))
    const shown = NAMES.map((name, n) => {
      const { median, from, to } = ranges[n] as ReturnType<typeof medianRange>
      return `${name} ${median.toFixed(3)} (${from.toFixed(3)} to ${to.toFixed(3)})`
    }).join(', ')
    process.stdout.write(`shares: ${shown}\n`)
    const slowest = Math.max(...ranges.map(({ from }) => from))
    const fastest = Math.min(...ranges.map(({ to }) => to))
    expect(slowest / fastest - 1, shown).toBeLessThanOrEqual(ALLOWED)
  }, 600_000)
})
