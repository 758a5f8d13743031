// The HTML document, language and headers of every page.
import type { IncomingMessage } from 'node:http'
import type { Branding } from '@signet/directory-reader/branding'
import { Html, html } from '@signet/http/html'
import { textDirection } from '@signet/protocol/authorization-parameters'
import type { PageTheme } from '@signet/protocol/label-colours'
import type { Response } from 'express'
import { brandLine, brandName, iconLinks, productLine } from './brand.ts'
import { brandingStylesheetPath } from './branding-stylesheet.ts'
import { footer } from './footer.ts'
import { bannerOf, type ShownImpersonation } from './impersonation-banner.ts'
import { languageSwitch } from './language-switch.ts'
import type { Texts } from './texts/message.ts'

/** The parts of a page that do not depend on its content. */
export interface PageFrame {
  readonly texts: Texts
  /** URL path of the stylesheet, with its content hash. */
  readonly stylesheet: string
  /** Branding of an organization; undefined for that of Signet. */
  readonly branding: Branding | undefined
  /** The address of the page, for the choice of a language; undefined where none leads back. */
  readonly here?: string | undefined
  /** The impersonation of the browser, which every page shows. */
  readonly impersonation?: ShownImpersonation | undefined
  /** Whether this service has passkeys, and the page about them. */
  readonly hasPasskeys: boolean
  /** URL path of the script of WebAuthn ceremonies. */
  readonly passkeyScript: string
  /** URL path of the script that shows a password. */
  readonly passwordScript: string
  /** URL path of the script that copies and prints recovery codes. */
  readonly codesScript: string
  /** Nonce of the scripts of this page, for the response that carries it. */
  readonly scriptNonce: string
}

const SCHEMES: Readonly<Record<PageTheme, string>> = { auto: 'light dark', light: 'light', dark: 'dark' }

/** A whole document. */
export class Page extends Html {
  /** Loads the font of an organization. */
  readonly hasFont: boolean
  /** Nonce of the scripts of the page; undefined without scripts. */
  readonly scriptNonce: string | undefined

  constructor({ markup }: Html, loads: Pick<Page, 'hasFont' | 'scriptNonce'>) {
    super(markup)
    this.hasFont = loads.hasFont
    this.scriptNonce = loads.scriptNonce
  }
}

/** A document with one card in the middle of the page. */
export function layout(frame: PageFrame, { title, content }: { title: string; content: Html }): Page {
  const { texts, stylesheet, branding, scriptNonce } = frame
  const ownStylesheet = branding && brandingStylesheetPath(branding)
  const document = html`<!doctype html>
<html lang="${texts.language}" dir="${textDirection(texts.language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="${SCHEMES[branding?.theme ?? 'auto']}">
<title>${title} · ${brandName(texts.product, branding)}</title>
${iconLinks(branding)}
<link rel="stylesheet" href="${stylesheet}">
${
  ownStylesheet !== undefined &&
  html`<link rel="stylesheet" href="${ownStylesheet}">
`
}</head>
<body>
${bannerOf(texts, frame.impersonation)}<main>
${brandLine(texts.product, branding)}
${content}
${productLine(texts.product, branding)}${footer(frame, content)}${languageSwitch(frame)}</main>
</body>
</html>
`
  // Random, so nothing but a script of the page contains it.
  const hasScript = content.markup.includes(`nonce="${scriptNonce}"`)
  return new Page(document, {
    hasFont: branding?.files.font !== undefined,
    scriptNonce: hasScript ? scriptNonce : undefined,
  })
}

/**
 * Creates the frame of a page for a request; `uiLocales` are the languages that the client prefers, `branding` is that of
 * an organization.
 */
export type PageFrames = (req: IncomingMessage, uiLocales?: string, branding?: Branding) => PageFrame

/** A paragraph that only organizations have: `#description`. */
export function ownDescription(text: string): Html | undefined {
  return text === '' ? undefined : html`<p id="description">${text}</p>\n`
}

const SOURCES = "style-src 'self'; img-src 'self' https: data:; base-uri 'none'; frame-ancestors 'none'"

/**
 * No `form-action`: Chromium applies it to the whole redirect chain after a form, which ends at the application. A page
 * with its own script names the nonce of the script.
 */
function contentSecurityPolicy(
  { hasFont, scriptNonce }: Page,
  { connectsToSelf = false }: PageOptions,
): string {
  const scripts = scriptNonce === undefined ? '' : `script-src 'nonce-${scriptNonce}'; `
  const connections = connectsToSelf ? "connect-src 'self'; " : ''
  const fonts = hasFont ? "font-src 'self'; " : ''
  return `default-src 'none'; ${scripts}${connections}${fonts}${SOURCES}`
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

/** Seconds after which a form that could not be processed may be sent again: by then half of a full queue is hashed. */
const UNAVAILABLE_SECONDS = 1

/** Sends a page that is not cached, not framed, and sends no Referer header. A page with 503 says when to try again. */
export function sendPage(res: Response, page: Page, options: PageOptions = {}): void {
  const { status = 200, isolated = false } = options
  res.setHeader('Content-Security-Policy', contentSecurityPolicy(page, options))
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Permissions-Policy', PERMISSIONS_POLICY)
  if (isolated) res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  res.setHeader('Cache-Control', 'no-store')
  if (status === 503 && !res.hasHeader('Retry-After')) res.setHeader('Retry-After', UNAVAILABLE_SECONDS)
  res.status(status).type('html').send(page.markup)
}

interface PageOptions {
  readonly status?: number
  /** Whether the script of the page may send requests to this service. */
  readonly connectsToSelf?: boolean
  /**
   * Separates the page from the window that opened it. Not for the pages of a sign-in or sign-out: an application may
   * open these in a pop-up window and could not receive the response.
   */
  readonly isolated?: boolean
}
