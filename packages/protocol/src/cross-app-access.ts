// Identity Assertion JWT Authorization Grant (draft-ietf-oauth-identity-assertion-authz-grant): one authorization server asserts to
// another one who a person is and what an application may do there for that person.

import { isLoopbackHost } from './redirect-uri.ts'

/** The `typ` of an identity assertion. No other token has it, and an assertion is no other token. */
export const ID_JAG_TYP = 'oauth-id-jag+jwt'

export const ID_JAG_GRANT_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag'

/** The registration of an application at another authorization server, and the scopes that it may get there at most. */
export interface CrossAppTarget {
  readonly clientId: string
  readonly scopes: readonly string[]
}

/** The authorization servers that an application may reach for people, by their issuers. */
export type CrossAppAccess = Readonly<Record<string, CrossAppTarget>>

export const MOST_TARGETS = 20
const MOST_SCOPES = 50
const LONGEST_TEXT = 500
const PRINTABLE = /^[\x20-\x7e]+$/
/** RFC 6749 section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** A rule that a target breaks; `issuer` is absent where the rule is about all of them. */
interface TargetProblem {
  readonly issuer?: string
  readonly rule: string
}

/** The rules of the targets of an application that the type does not show. */
export function crossAppAccessProblems(access: CrossAppAccess): readonly TargetProblem[] {
  const targets = Object.entries(access)
  if (targets.length > MOST_TARGETS) return [{ rule: `may have at most ${MOST_TARGETS} issuers` }]
  return targets.flatMap(([issuer, { clientId, scopes }]) => {
    if (!isIssuer(issuer))
      return [
        { rule: 'names must be issuers: https URLs without query and fragment; http is for loopback hosts' },
      ]
    if (clientId.length > LONGEST_TEXT || !PRINTABLE.test(clientId))
      return [{ issuer, rule: `clientId must have 1 to ${LONGEST_TEXT} printable characters` }]
    if (
      scopes.length > MOST_SCOPES ||
      !scopes.every((scope) => scope.length <= LONGEST_TEXT && SCOPE.test(scope))
    )
      return [{ issuer, rule: `scopes must be ${MOST_SCOPES} scopes at most (RFC 6749 section 3.3)` }]
    return []
  })
}

function isIssuer(text: string): boolean {
  if (text.length > LONGEST_TEXT || !/^[\x21-\x7e]+$/.test(text) || /[?#]/.test(text) || !URL.canParse(text))
    return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}
