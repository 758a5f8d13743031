import type { Assertion } from './assertion.ts'
import type { Provider } from './provider.ts'
import type { RequestSecrets } from './sealed-request.ts'

/** Input of a sign-in that begins; see BeginRequest of proto/federation/v1. */
export interface Beginning {
  readonly providerId: string
  readonly organizationId: string
  readonly state: string
  readonly browser: string
  readonly loginHint: string
  readonly fresh: boolean
  readonly maxAge: number | undefined
  readonly acrValues: readonly string[]
  readonly uiLocales: readonly string[]
  /** An administrator tests the provider. */
  readonly isTest: boolean
}

/** The response to a request under way that was taken. */
export interface Answer {
  readonly provider: Provider
  readonly secrets: RequestSecrets
  readonly state: string
  readonly parameters: URLSearchParams
  /** The person has to have authenticated since then; undefined: at any time. */
  readonly authenticatedSince: Date | undefined
}

/** The verified claims of a document of a provider. */
export interface ReceivedDocument {
  readonly name: string
  readonly claims: Readonly<Record<string, unknown>>
}

/** An assertion with the documents that it was made of. */
export interface Asserted {
  readonly assertion: Assertion
  readonly documents: readonly ReceivedDocument[]
}

/** The conversation with providers of one type. Both methods throw Refused. */
export interface Way {
  begin(
    provider: Provider,
    beginning: Beginning,
    maxAge: number | undefined,
  ): Promise<{ readonly secrets: RequestSecrets; readonly location: URL }>
  complete(answer: Answer): Promise<Asserted>
}
