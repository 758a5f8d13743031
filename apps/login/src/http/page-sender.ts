import type { Html } from '@signet/http-server/html'
import type { Response } from 'express'

const SOURCES = "style-src 'self'; img-src 'self' https: data:; base-uri 'none'; frame-ancestors 'none'"

/**
 * No `form-action`: Chromium applies it to the whole redirect chain after a form, which ends at the application.
 * A page with a script of its own names that script's nonce.
 */
function contentSecurityPolicy(scriptNonce?: string): string {
  const scripts = scriptNonce === undefined ? '' : `script-src 'nonce-${scriptNonce}'; `
  return `default-src 'none'; ${scripts}${SOURCES}`
}

// What no page of ours uses. Credentials (WebAuthn) are not in the list: they are allowed to this origin by default.
const PERMISSIONS_POLICY = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'screen-wake-lock',
  'usb',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=()`)
  .join(', ')

/** Sends a page. It is stored nowhere, framed nowhere, and leaves no trace in a Referer header. */
export function sendPage(
  res: Response,
  page: Html,
  { status = 200, scriptNonce, isolated = false }: PageOptions = {},
): void {
  res.setHeader('Content-Security-Policy', contentSecurityPolicy(scriptNonce))
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Permissions-Policy', PERMISSIONS_POLICY)
  if (isolated) res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  res.setHeader('Cache-Control', 'no-store')
  res.status(status).type('html').send(page.markup)
}

export interface PageOptions {
  readonly status?: number
  readonly scriptNonce?: string
  /**
   * Cuts the page off from the window that opened it. Not for the pages of a sign-in or sign-out: an application may
   * open these in a pop-up window, whose answer it could not receive any more.
   */
  readonly isolated?: boolean
}
