import { textIn } from './assertion.ts'
import { APPLE_CLIENT_SECRET } from './client-authentication.ts'
import type { Provider } from './provider.ts'

export interface ClaimedNames {
  readonly claimedGivenName: string
  readonly claimedFamilyName: string
}

const NONE: ClaimedNames = { claimedGivenName: '', claimedFamilyName: '' }
const MOST_CHARACTERS = 2_000

/**
 * The names that a browser brings from Apple once, beside the first code. No signature covers them, so the person may write anything there:
 * they fill the profile of an account that is made, and an address beside them is not read. Malformed ones count as none.
 */
export function claimedNames(
  { clientAuthentication }: Pick<Provider, 'clientAuthentication'>,
  parameters: URLSearchParams,
): ClaimedNames {
  const text = parameters.get('user')
  if (clientAuthentication !== APPLE_CLIENT_SECRET || text === null || text.length > MOST_CHARACTERS)
    return NONE
  try {
    const name: unknown = JSON.parse(text)?.name
    if (typeof name !== 'object' || name === null) return NONE
    const names = { ...name } as Readonly<Record<string, unknown>>
    return { claimedGivenName: textIn(names, 'firstName'), claimedFamilyName: textIn(names, 'lastName') }
  } catch {
    return NONE
  }
}
