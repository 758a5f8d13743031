import type { Html } from '@signet/http/html'
import { loadAssets } from './assets.ts'
import { layout } from './page.ts'
import { TEXTS } from './texts/languages.ts'

/**
 * Creates the layout of an English page that another part of the same process serves, beside the pages of this service. It has
 * no script, and the stylesheet of the other pages.
 */
export function createEnglishLayout(): (page: { title: string; content: Html }) => string {
  const { stylesheets } = loadAssets()
  const frame = {
    texts: TEXTS.en,
    stylesheet: stylesheets.auto.path,
    branding: undefined,
    ...{ passkeyScript: '', passwordScript: '', codesScript: '', scriptNonce: 'none', hasPasskeys: false },
  }
  return (page) => layout(frame, page).markup
}
