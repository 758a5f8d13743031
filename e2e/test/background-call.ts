/** Calls the API of imports and exports at `/admin/v1`, which answers before a job is done (RFC 7240 section 4.1). */
export type BackgroundCall = (method: string, path: string, body?: BodyInit) => Promise<Response>

/** Creates the calls with a token to the system that `issuer` returns when a call is made. */
export const createBackgroundCall =
  (issuer: () => string, token: string): BackgroundCall =>
  (method, path, body) =>
    fetch(`${issuer()}/admin/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Prefer: 'respond-async',
      },
      ...(body !== undefined && { body }),
    })
