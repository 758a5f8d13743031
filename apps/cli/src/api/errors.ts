/** A member of `details`; `id` is a snake_case label. */
export interface ManagementApiDetail {
  readonly id: string
  readonly field?: string
  readonly rule?: string
  readonly roles?: readonly string[]
  readonly jobId?: string
}

interface ManagementApiErrorOptions {
  /** The HTTP status. */
  readonly status: number
  /** The gRPC code; undefined when a proxy responded. */
  readonly code: number | undefined
  readonly details: readonly ManagementApiDetail[]
  /** Names the request in the logs of the suite. */
  readonly requestId: string | undefined
  /** The authentication that the call requires (RFC 9470 section 3). */
  readonly acrValues: string | undefined
}

/** The suite refused a call. The message names the field and the rule, or the role that is missing. */
export class ManagementApiError extends Error {
  override readonly name = 'ManagementApiError'
  readonly status: number
  readonly code: number | undefined
  readonly details: readonly ManagementApiDetail[]
  readonly requestId: string | undefined
  readonly acrValues: string | undefined

  constructor(message: string, { status, code, details, requestId, acrValues }: ManagementApiErrorOptions) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.requestId = requestId
    this.acrValues = acrValues
  }
}

/** The suite sent no response; it may have made the change. */
export class SuiteUnreachable extends Error {
  override readonly name = 'SuiteUnreachable'
}

/** The error of a response other than 2xx. Reads its body. */
export async function errorOf(response: Response): Promise<ManagementApiError> {
  const text = await response.text()
  const { code, message, details } = bodyOf(text)
  return new ManagementApiError(
    typeof message === 'string'
      ? message
      : `the response is not one of the suite: ${text.trim().slice(0, 200)}`,
    {
      status: response.status,
      code: typeof code === 'number' ? code : undefined,
      details: Array.isArray(details) ? (details as ManagementApiDetail[]) : [],
      requestId: response.headers.get('x-request-id') ?? undefined,
      acrValues: /\bacr_values="([^"]*)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1],
    },
  )
}

function bodyOf(text: string): { code?: unknown; message?: unknown; details?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}
