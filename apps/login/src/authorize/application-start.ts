interface StartPages {
  readonly homePage: string | null
  readonly initiateLoginUri: string | null
}

/**
 * The URL at which a person begins to use an application: a sign-in that this issuer initiates (OIDC Core section 4), which
 * ends at the home page where the application has one, or the home page itself.
 */
export function applicationStart(
  { homePage, initiateLoginUri }: StartPages,
  issuer: string,
): string | undefined {
  if (initiateLoginUri === null) return homePage ?? undefined
  const url = new URL(initiateLoginUri)
  url.searchParams.set('iss', issuer)
  if (homePage !== null) url.searchParams.set('target_link_uri', homePage)
  return url.href
}
