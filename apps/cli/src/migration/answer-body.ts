import { SuiteUnreachable } from '../api/management-api-error.ts'

/** The body of an answer in pieces. Throws SuiteUnreachable when the connection is lost. */
export async function* answerBody(response: Response): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response.body ?? []) yield chunk
  } catch (cause) {
    throw new SuiteUnreachable('the connection was lost', { cause })
  }
}
