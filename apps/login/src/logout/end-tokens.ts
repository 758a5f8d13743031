/** A session to end, whether or not this browser still knows it. */
export interface EndedSession {
  readonly sid: string
  readonly userId: string
}

/** Who ends the session of somebody else. */
export interface Administrator {
  readonly userId: string
  readonly kind: 'human' | 'service_user'
}

/** Who ends sessions, and from where: people their own when no administrator is named. */
export interface EndedBy {
  readonly clientAddress: string
  readonly administrator?: Administrator
}

/** Ends sessions and all tokens made under them; when it returns, no replica takes them for active. */
export type EndTokens = (sessions: readonly EndedSession[], by: EndedBy) => Promise<void>
