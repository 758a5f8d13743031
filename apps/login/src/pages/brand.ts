// The parts of a page that show whose page it is: name, logo and icon.
import type { Branding } from '@signet/directory-reader/branding'
import { type Html, html } from '@signet/http/html'
import { type BrandingFile, brandingFilePath } from '@signet/protocol/branding-files'

/**
 * Removes the font, for pages that ask what an application may do, or whether a person agrees: the glyphs of a font
 * can show other words than those of the text.
 */
export function withoutFont(branding: Branding | undefined): Branding | undefined {
  if (branding === undefined) return undefined
  const { font: _, ...files } = branding.files
  return { ...branding, files }
}

/** The name in the titles of pages. */
export function brandName(product: string, branding: Branding | undefined): string {
  return branding?.hidesProduct ? branding.name : product
}

/** The first line of a page: the logo of the organization, or a name. */
export function brandLine(product: string, branding: Branding | undefined): Html {
  const logo = branding && pick(branding, 'logo')
  if (branding !== undefined && logo !== undefined) {
    const dark =
      logo.dark && html`<source srcset="${brandingFilePath(logo.dark)}" media="(prefers-color-scheme: dark)">`
    const image = html`<img src="${brandingFilePath(logo.file)}" alt="${branding.name}">`
    return html`<p class="logo"><picture>${dark}${image}</picture></p>`
  }
  if (branding?.hidesProduct) return html`<p class="brand own"><bdi>${branding.name}</bdi></p>`
  return html`<p class="brand">${product}</p>`
}

/** The last line of a page: the name of the product where the logo of an organization has its place. */
export function productLine(product: string, branding: Branding | undefined): Html | undefined {
  if (branding === undefined || branding.hidesProduct || pick(branding, 'logo') === undefined)
    return undefined
  return html`<p class="product quiet">${product}</p>`
}

// In the document itself, so that no browser requests /favicon.ico.
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='5.5' fill='none' stroke='%231d4ed8' stroke-width='4'/%3E%3C/svg%3E"

export function iconLinks(branding: Branding | undefined): Html {
  const icon = branding && pick(branding, 'icon')
  if (icon === undefined) return html`<link rel="icon" href="${ICON}">`
  if (icon.dark === undefined) return iconLink(icon.file)
  return html`${iconLink(icon.file, 'light')}
${iconLink(icon.dark, 'dark')}`
}

function iconLink(file: BrandingFile, scheme?: 'light' | 'dark'): Html {
  const media = scheme && html` media="(prefers-color-scheme: ${scheme})"`
  return html`<link rel="icon" type="${file.mediaType}" href="${brandingFilePath(file)}"${media}>`
}

interface Picked {
  readonly file: BrandingFile
  /** The file for browsers that ask for dark pages, where these have another. */
  readonly dark?: BrandingFile | undefined
}

/** The files of the schemes that the pages have; one file serves both schemes when the other is missing. */
function pick({ theme, files }: Branding, kind: 'logo' | 'icon'): Picked | undefined {
  const light = files[kind] ?? files[`${kind}-dark`]
  const dark = files[`${kind}-dark`] ?? files[kind]
  if (light === undefined || dark === undefined) return undefined
  if (theme !== 'auto') return { file: theme === 'dark' ? dark : light }
  return { file: light, ...(dark !== light && { dark }) }
}
