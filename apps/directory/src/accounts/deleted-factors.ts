/** The number of second factors of each kind that were deleted. */
export interface DeletedFactors {
  readonly authenticators: number
  readonly passkeys: number
  readonly recoveryCodes: number
  readonly trustedBrowsers: number
}

export const hasDeleted = (deleted: DeletedFactors): boolean =>
  Object.values(deleted).some((count) => count > 0)
