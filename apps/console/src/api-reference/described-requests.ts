import type { FrameRequest } from './messages.ts'

/** The description of the API, as far as requests are compared with it. */
export interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Headers that a request of the frame may have. The others are the browser's and the console's. */
const HEADERS = ['accept', 'authorization', 'content-type', 'idempotency-key', 'if-match', 'prefer']

/** A request as the console sends it. */
export interface AdmittedRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: ArrayBuffer | undefined
  /** Whether the person gave a token in the frame; else their own session sends it. */
  readonly hasToken: boolean
  /** Whether the operation only reads, and nothing that holds secrets. */
  readonly isPlainRead: boolean
}

/** Files of a job, such as an export with its secrets. */
const FILE_OF_JOB = /^\/admin\/v1\/jobs\/[^/]+\/./

/**
 * Reads a request of the frame. Undefined: it is for another origin, or no operation of the description has its method and path. The
 * frame reaches nothing else of this origin, such as an endpoint that answers with a code.
 */
export function admittedRequest(
  { method, url: address, headers, body }: FrameRequest,
  { paths }: Described,
  origin: string,
): AdmittedRequest | undefined {
  const url = URL.parse(address)
  if (url === null || url.origin !== origin || url.username !== '' || url.password !== '') return undefined
  const operations = Object.entries(paths).filter(([path]) => fits(url.pathname, path))
  if (!operations.some(([, methods]) => Object.hasOwn(methods, method.toLowerCase()))) return undefined
  const sent = Object.fromEntries(
    headers.flatMap(([name, value]) =>
      HEADERS.includes(name.toLowerCase()) && value !== '' ? [[name.toLowerCase(), value]] : [],
    ),
  )
  const { authorization, ...others } = sent
  const hasToken = authorization !== undefined && /^Bearer \S/i.test(authorization)
  const isPlainRead = method === 'GET' && !FILE_OF_JOB.test(url.pathname)
  return {
    method,
    url,
    headers: hasToken ? { ...others, authorization } : others,
    body,
    hasToken,
    isPlainRead,
  }
}

/** Whether a path is one of the description, whose parameters are each a segment. */
function fits(pathname: string, described: string): boolean {
  const [given, expected] = [pathname.split('/'), described.split('/')]
  return (
    given.length === expected.length &&
    expected.every((segment, at) => (segment.startsWith('{') ? given[at] !== '' : given[at] === segment))
  )
}
