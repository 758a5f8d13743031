export interface Domain {
  readonly domainName: string
  /** Only a verified domain counts at sign-in, and it belongs to one organization. */
  readonly isVerified: boolean
  readonly isPrimary: boolean
}
