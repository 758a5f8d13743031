import { UserManager } from 'oidc-client-ts'

export const users = new UserManager({
  authority: import.meta.env.VITE_SIGNET_ISSUER ?? 'http://localhost:8080',
  client_id: import.meta.env.VITE_CLIENT_ID,
  redirect_uri: `${location.origin}/`,
  post_logout_redirect_uri: `${location.origin}/`,
  // With `offline_access` tokens are renewed by a refresh token, without a hidden frame.
  scope: 'openid profile email offline_access',
  loadUserInfo: true,
})

/** The signed-in user, if there is one. The page is also the redirect URI. */
export async function currentUser() {
  const { searchParams } = new URL(location.href)
  if (searchParams.has('state') && (searchParams.has('code') || searchParams.has('error'))) {
    try {
      await users.signinCallback()
    } finally {
      // The code in the address has been used; a reload must not present it again.
      history.replaceState(null, '', '/')
    }
  }
  return users.getUser()
}
