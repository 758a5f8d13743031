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

/** Sends a page. It is stored nowhere, framed nowhere, and leaves no trace in a Referer header. */
export function sendPage(res: Response, page: Html, { status = 200, scriptNonce }: PageOptions = {}): void {
  res.setHeader('Content-Security-Policy', contentSecurityPolicy(scriptNonce))
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Cache-Control', 'no-store')
  res.status(status).type('html').send(page.markup)
}

export interface PageOptions {
  readonly status?: number
  readonly scriptNonce?: string
}
