// A single-page application on http://localhost:5173 that signs people in through Signet with react-oidc-context.

import { createRoot } from 'react-dom/client'
import { AuthProvider, useAuth } from 'react-oidc-context'

const settings = {
  authority: import.meta.env.VITE_SIGNET_ISSUER ?? 'http://localhost:8080',
  client_id: import.meta.env.VITE_CLIENT_ID,
  redirect_uri: `${location.origin}/`,
  post_logout_redirect_uri: `${location.origin}/`,
  // With `offline_access` tokens are renewed by a refresh token, without a hidden frame.
  scope: 'openid profile email offline_access',
  loadUserInfo: true,
  // The code in the address has been used; a reload must not present it again.
  onSigninCallback: () => history.replaceState(null, '', '/'),
}

function App() {
  const auth = useAuth()
  if (auth.isLoading) return <p>One moment…</p>
  if (auth.error) return <p role="alert">{auth.error.message}</p>
  if (!auth.isAuthenticated)
    return (
      <button type="button" onClick={() => auth.signinRedirect()}>
        Sign in
      </button>
    )
  return (
    <>
      <pre>{JSON.stringify(auth.user.profile, null, 2)}</pre>
      <button type="button" onClick={() => auth.signoutRedirect()}>
        Sign out
      </button>
    </>
  )
}

createRoot(document.getElementById('root')).render(
  <AuthProvider {...settings}>
    <App />
  </AuthProvider>,
)
