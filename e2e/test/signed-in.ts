import type { HttpBrowser } from '@signet/testing/http-browser'
import type { TestSystem, Tokens } from '@signet/testing/system/test-system'

/** A signed-in user, with the tokens of an application and the browser. */
export interface SignedIn {
  readonly loginName: string
  readonly browser: HttpBrowser
  readonly tokens: Tokens
}

export async function signIn(system: TestSystem, loginName: string): Promise<SignedIn> {
  const browser = system.newBrowser()
  return { loginName, browser, tokens: await system.tokens({ loginName, browser }) }
}

/** The parts of a sign-in that still work: any of `access`, `refresh` and `session`. */
export async function alive(system: TestSystem, { browser, tokens }: SignedIn): Promise<readonly string[]> {
  const silent = await system.signIn({ browser, parameters: { prompt: 'none' } })
  const works = {
    access: await system.isActive(tokens.access_token),
    refresh: (await system.refresh('web', tokens.refresh_token)).status === 200,
    session: silent.has('code'),
  }
  return Object.entries(works).flatMap(([name, isAlive]) => (isAlive ? [name] : []))
}
