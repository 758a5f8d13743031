// Signs people in to a Next.js application on http://localhost:4000 through Signet with Auth.js (next-auth).

const { SIGNET_ISSUER = 'http://localhost:8080', CLIENT_ID, CLIENT_SECRET } = process.env

export const authOptions = {
  providers: [
    {
      id: 'signet',
      name: 'Signet',
      type: 'oauth',
      wellKnown: `${SIGNET_ISSUER}/.well-known/openid-configuration`,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      authorization: { params: { scope: 'openid profile email' } },
      checks: ['pkce', 'state', 'nonce'],
      idToken: true,
      // Name and address come from userinfo; the ID token says who it is.
      userinfo: { request: ({ client, tokens }) => client.userinfo(tokens) },
      profile: ({ sub, name, email }) => ({ id: sub, name, email }),
    },
  ],
}
