// WHATWG URL section 5.1 with the rules of RFC 6749 section 3.1 for parameters.
import { InvalidRequestError } from '@signet/protocol/errors'

/** The parameters of a query string or a form body, decoded. */
export type Parameters = Readonly<Record<string, string>>

/**
 * Reads `application/x-www-form-urlencoded` text. A repeated parameter, malformed percent-encoding, broken UTF-8 and
 * U+0000 throw `InvalidRequestError`; a parameter without a value is as good as omitted (RFC 6749 section 3.1). The
 * values of the one parameter that may be repeated are joined by spaces.
 */
export function parseParameters(text: string, mayRepeat?: string): Parameters {
  // Without a prototype, `__proto__` and `constructor` are names like any other.
  const parameters: Record<string, string> = Object.create(null)
  const empty: string[] = []
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1))
    const earlier = parameters[name]
    if (earlier !== undefined && name !== mayRepeat) throw repeated(name)
    parameters[name] = earlier === undefined ? value : `${earlier} ${value}`.trim()
    if (parameters[name] === '') empty.push(name)
  }
  for (const name of empty) if (parameters[name] === '') delete parameters[name]
  return parameters
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  const decoded = spaced.includes('%') ? decodePercents(spaced) : spaced
  // PostgreSQL cannot store U+0000, and no parameter has a use for it.
  if (decoded.includes('\0'))
    throw malformed('a parameter holds a zero character', 'parameter_zero_character')
  return decoded
}

function decodePercents(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw malformed('a parameter is not percent-encoded UTF-8', 'parameter_encoding')
  }
}

function repeated(name: string): InvalidRequestError {
  // Only a name that looks like one is repeated; other text could be confidential.
  const named = /^\w{1,40}$/.test(name) ? `the parameter ${name}` : 'a parameter'
  return malformed(`${named} is given more than once`, 'parameter_repeated')
}

function malformed(description: string, reason: string): InvalidRequestError {
  return new InvalidRequestError(description, { reason })
}
