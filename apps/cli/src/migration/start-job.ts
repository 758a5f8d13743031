import type { SuiteCaller } from '../api/suite-caller.ts'

/**
 * Starts a job and answers its id as soon as it is accepted (RFC 7240 section 4.1). Never repeated by itself: whether a
 * call that got no answer made a job is shown by `signet jobs list`.
 */
export async function startJob(
  call: SuiteCaller,
  path: string,
  body: string | ReadableStream,
): Promise<string> {
  const headers = { prefer: 'respond-async' }
  const response = await call({ method: 'POST', path, headers, body, repeatable: false })
  const { id } = (await response.json()) as { readonly id: string }
  return id
}
