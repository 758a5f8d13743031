// RFC 6749 section 3.3: scope = scope-token *( SP scope-token ), scope-token = 1*( %x21 / %x23-5B / %x5D-7E ).
import { InvalidScopeError } from './errors.ts'

const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/

/**
 * The distinct scopes of a `scope` parameter in the order they were asked for; none when it is absent.
 * Throws `InvalidScopeError` for a character that no scope may hold. Surplus spaces are forgiven: clients join lists.
 */
export function parseScopeString(value: string | undefined): string[] {
  const scopes = new Set((value ?? '').split(' ').filter((scope) => scope !== ''))
  for (const scope of scopes) {
    if (!SCOPE_TOKEN.test(scope)) {
      throw new InvalidScopeError(
        'scope is a list of words separated by spaces, without quotes or backslashes',
        { reason: 'scope_malformed' },
      )
    }
  }
  return [...scopes]
}

export function formatScopeString(scopes: Iterable<string>): string {
  return [...scopes].join(' ')
}
