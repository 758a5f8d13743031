import { type Html, html } from './html.ts'
import type { Texts } from './texts/texts.ts'

/** What every page needs besides its own content. */
export interface PageFrame {
  readonly texts: Texts
  /** URL path of the stylesheet, its content hash included. */
  readonly stylesheet: string
}

// In the document itself, so that no browser asks for /favicon.ico.
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%231d4ed8'/%3E%3Cpath d='M10 20.5c1.5 1.4 3.400 2 6 2 3.700 0 6-1.600 6-4.200 0-5.800-9.300-2.900-9.300-6 0-1.300 1.300-2.200 3.500-2.200 1.900 0 3.400.5 4.900 1.600' fill='none' stroke='%23fff' stroke-width='3' stroke-linecap='round'/%3E%3C/svg%3E"

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
