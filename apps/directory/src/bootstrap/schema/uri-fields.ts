import { z } from 'zod'

/** Schemes whose "redirect" would run or show what the URI holds. */
const DANGEROUS_SCHEMES = ['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:']

export const httpUrl = z.string().max(2000).refine(isHttpUrl, 'must be an http or https URL')

/** RFC 6749 section 3.1.2: absolute, without a fragment. Which schemes suit the application is checked with its type. */
export const redirectUri = z
  .string()
  .max(2000)
  .superRefine((uri, context) => {
    const problem = redirectUriProblem(uri)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })

export const backChannelLogoutUri = z
  .string()
  .max(2000)
  .refine((uri) => isHttpUrl(uri) && !uri.includes('#'), 'must be an http or https URL without a fragment')

export const origin = z
  .string()
  .refine(
    (value) => isHttpUrl(value) && new URL(value).origin === value,
    'must be an origin such as https://app.example, without a path or a slash at the end',
  )

function redirectUriProblem(uri: string): string | undefined {
  if (!URL.canParse(uri) || /[\s\\]/.test(uri)) return 'must be an absolute URI'
  if (uri.includes('#')) return 'must not have a fragment'
  if (uri.includes('*')) return 'must not have a wildcard; URIs are compared byte for byte'
  const { protocol, username, password } = new URL(uri)
  if (DANGEROUS_SCHEMES.includes(protocol)) return `must not use the scheme ${protocol}`
  if (username !== '' || password !== '') return 'must not hold a user name or password'
  return undefined
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol)
}
