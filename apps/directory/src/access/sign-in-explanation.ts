/** The answer of a gate of login (docs/sign-in-gates.md); empty texts: it lets the sign-in pass. */
export interface GateAnswer {
  readonly gate: string
  readonly refusedReason: string
  readonly asked: string
  readonly projectId: string
}

export interface SignInExplanation {
  readonly findings: readonly GateAnswer[]
  /** Seconds until the next password is compared. */
  readonly waitSeconds: number
  readonly droppedScopes: readonly string[]
}

/** Undefined without such an active application. Rejects with ApiError UNAVAILABLE. */
export type ExplainSignIn = (question: {
  readonly userId: string
  readonly organizationId: string
  readonly clientId: string
  readonly scope: string
  readonly attemptKey: string
  readonly maxPasswordAttempts: number
}) => Promise<SignInExplanation | undefined>

/** A rule of a sign-in, evaluated now. */
export interface AccessRule {
  readonly rule: string
  /** `asked`: the person would be asked for something; `changed`: the request would be answered otherwise than it asks. */
  readonly outcome: 'passed' | 'failed' | 'asked' | 'changed'
  readonly text: string
  readonly value?: unknown
  /** The object that has the value. */
  readonly source?: 'user' | 'organization' | 'instance' | 'application' | 'project' | 'request' | undefined
  /** The label of docs/reference/errors.md. */
  readonly reason?: string | undefined
  readonly cure?: string | undefined
}
