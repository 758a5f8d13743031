/**
 * When it resolves, failed sign-ins no longer delay the next one to the account. Rejects with ApiError UNAVAILABLE when that cannot
 * be done right now.
 */
export type ForgetFailures = (userId: string) => Promise<void>
