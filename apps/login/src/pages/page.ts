import { type Html, html } from '@signet/http-server/html'
import type { Texts } from './texts/texts.ts'

/** What every page needs besides its own content. */
export interface PageFrame {
  readonly texts: Texts
  /** URL path of the stylesheet, its content hash included. */
  readonly stylesheet: string
}

// In the document itself, so that no browser asks for /favicon.ico.
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='5.5' fill='none' stroke='%231d4ed8' stroke-width='4'/%3E%3C/svg%3E"

/** A whole document: one card in the middle of the page. */
export function layout(
  { texts, stylesheet }: PageFrame,
  { title, content }: { title: string; content: Html },
): Html {
  return html`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title} · ${texts.product}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${stylesheet}">
</head>
<body>
<main>
<p class="brand">${texts.product}</p>
${content}
</main>
</body>
</html>
`
}
