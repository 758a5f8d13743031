// The HTML document, language and headers of every page.
import type { IncomingMessage } from 'node:http'
import { type Html, html } from '@signet/http/html'
import { textDirection } from '@signet/protocol/authorization-parameters'
import type { LabelColours } from '@signet/protocol/label-colours'
import type { Response } from 'express'
import type { RandomBytes } from '../sessions/browser.ts'
import { chooseLanguage } from './choose-language.ts'
import { coloursPath } from './label-colours.ts'
import { TEXTS } from './texts/languages.ts'
import type { Texts } from './texts/message.ts'

/** The parts of a page that do not depend on its content. */
export interface PageFrame {
  readonly texts: Texts
  /** URL path of the stylesheet, with its content hash. */
  readonly stylesheet: string
  /** URL path of the stylesheet with the colours of an organization. */
  readonly colours: string | undefined
  /** URL path of the script of WebAuthn ceremonies. */
  readonly passkeyScript: string
  /** URL path of the script that shows a password. */
  readonly passwordScript: string
  /** Of the scripts of this page, for the response that carries it. */
  readonly scriptNonce: string
}

// In the document itself, so that no browser requests /favicon.ico.
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='5.5' fill='none' stroke='%231d4ed8' stroke-width='4'/%3E%3C/svg%3E"

/** A whole document with one card in the middle of the page. */
export function layout(
  { texts, stylesheet, colours }: PageFrame,
  { title, content }: { title: string; content: Html },
): Html {
  return html`<!doctype html>
<html lang="${texts.language}" dir="${textDirection(texts.language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title} · ${texts.product}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${stylesheet}">
${
  colours !== undefined &&
  html`<link rel="stylesheet" href="${colours}">
`
}</head>
<body>
<main>
<p class="brand">${texts.product}</p>
${content}
</main>
</body>
</html>
`
}

/**
 * Creates the frame of a page for a request; `uiLocales` are the languages that the client prefers, `colours` those of an
 * organization.
 */
export type PageFrames = (req: IncomingMessage, uiLocales?: string, colours?: LabelColours) => PageFrame

export function pageFrames(
  paths: Omit<PageFrame, 'texts' | 'colours' | 'scriptNonce'>,
  random: RandomBytes,
): PageFrames {
  return (req, uiLocales, colours = {}) => {
    const language = chooseLanguage({ uiLocales, acceptLanguage: req.headers['accept-language'] })
    const scriptNonce = random(16).toString('base64url')
    return { texts: TEXTS[language], colours: coloursPath(colours), scriptNonce, ...paths }
  }
}

const SOURCES = "style-src 'self'; img-src 'self' https: data:; base-uri 'none'; frame-ancestors 'none'"

/**
 * No `form-action`: Chromium applies it to the whole redirect chain after a form, which ends at the application. A page
 * with its own script names the nonce of the script.
 */
function contentSecurityPolicy({ scriptNonce, connectsToSelf = false }: PageOptions): string {
  const scripts = scriptNonce === undefined ? '' : `script-src 'nonce-${scriptNonce}'; `
  const connections = connectsToSelf ? "connect-src 'self'; " : ''
  return `default-src 'none'; ${scripts}${connections}${SOURCES}`
}

// Features that no page uses. WebAuthn is not listed: browsers allow it to this origin by default.
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

/** Sends a page that is not cached, not framed, and sends no Referer header. */
export function sendPage(res: Response, page: Html, options: PageOptions = {}): void {
  const { status = 200, isolated = false } = options
  res.setHeader('Content-Security-Policy', contentSecurityPolicy(options))
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Permissions-Policy', PERMISSIONS_POLICY)
  if (isolated) res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  res.setHeader('Cache-Control', 'no-store')
  res.status(status).type('html').send(page.markup)
}

interface PageOptions {
  readonly status?: number
  readonly scriptNonce?: string
  /** Whether the script of the page may send requests to this service. */
  readonly connectsToSelf?: boolean
  /**
   * Separates the page from the window that opened it. Not for the pages of a sign-in or sign-out: an application may
   * open these in a pop-up window and could not receive the response.
   */
  readonly isolated?: boolean
}
