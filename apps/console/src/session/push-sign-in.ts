import type { INavigator } from 'oidc-client-ts'

const AUTHORIZE = '/oauth/v2/authorize'
const PUSH = '/oauth/v2/par'

/** Leads the browser to an address; the parameters of a sign-in are pushed before (RFC 9126). */
export const pushingNavigator: INavigator = {
  prepare: async () => ({
    async navigate({ url }) {
      window.location.assign(await pushed(new URL(url)))
      // The page ends here.
      return new Promise(() => {})
    },
    close() {},
  }),
  callback: async () => {},
}

/** Returns the address of the pushed request, and the same address where it is no sign-in or cannot be pushed. */
async function pushed(url: URL): Promise<URL> {
  if (url.pathname !== AUTHORIZE) return url
  const response = await fetch(PUSH, { method: 'POST', body: url.searchParams }).catch(() => undefined)
  if (response?.status !== 201) return url
  const { request_uri: requestUri }: { request_uri: string } = await response.json()
  const query = { client_id: url.searchParams.get('client_id') ?? '', request_uri: requestUri }
  return new URL(`?${new URLSearchParams(query)}`, url)
}
