/**
 * When it resolves, failed sign-ins of the account make nobody wait. Rejects with ApiError UNAVAILABLE when that cannot
 * be done right now.
 */
export type ForgetFailures = (userId: string) => Promise<void>
