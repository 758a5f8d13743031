// A public client: no secret, PKCE, and the token endpoint and userinfo called from this page, which works because its
// origin is registered with the client. The tokens live in the session storage of the tab.

const element = (id) => document.getElementById(id)
const { issuer } = await (await fetch('/settings.json')).json()

// While the page is open, the library renews the tokens by itself shortly before they expire.
const users = new oidc.UserManager({
  authority: issuer,
  client_id: 'spa',
  redirect_uri: `${location.origin}/callback`,
  post_logout_redirect_uri: `${location.origin}/`,
  scope: 'openid profile email offline_access',
  loadUserInfo: true,
})

function show(user) {
  element('status').textContent = user
    ? `You are signed in, with tokens until ${new Date(user.expires_at * 1000).toLocaleTimeString()}.`
    : 'You are not signed in.'
  element('user').textContent = JSON.stringify(user?.profile, null, 2)
  element('signed-in').hidden = !user
  element('signed-out').hidden = Boolean(user)
}

const shown = (action) => () =>
  action().catch((error) => {
    element('status').textContent = error.message
  })

users.events.addUserLoaded(show)
users.events.addUserUnloaded(() => show(null))
element('sign-in').onclick = shown(() => users.signinRedirect())
element('refresh').onclick = shown(() => users.signinSilent())
element('sign-out').onclick = shown(() => users.signoutRedirect())

await shown(async () => {
  if (location.pathname === '/callback') {
    await users.signinCallback()
    // The code in the address has been used; a reload must not present it again.
    history.replaceState(null, '', '/')
  }
  show(await users.getUser())
})()
