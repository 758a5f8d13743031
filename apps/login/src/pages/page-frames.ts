// The frames of pages: the language of a request, the texts and the stylesheet of its organization.
import type { Branding } from '@signet/directory-reader/branding'
import type { UiLocale } from '@signet/protocol/authorization-parameters'
import type { PageTheme } from '@signet/protocol/label-colours'
import type { RandomBytes } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import { chooseLanguage } from './choose-language.ts'
import { shownImpersonation } from './impersonation-banner.ts'
import { pageOf } from './language-switch.ts'
import type { PageFrame, PageFrames } from './page.ts'
import { withOwnTexts } from './texts/custom-texts.ts'
import { TEXTS } from './texts/languages.ts'

interface FixedParts
  extends Pick<PageFrame, 'passkeyScript' | 'passwordScript' | 'codesScript' | 'hasPasskeys'> {
  /** Path of the stylesheet for each colour scheme of pages. */
  readonly stylesheets: Readonly<Record<PageTheme, string>>
}

/** Creates the frame of a page in a language; `here` is the address of the page. */
export type FrameInLanguage = (
  language: UiLocale,
  of: { readonly branding: Branding | undefined; readonly here: string | undefined },
) => PageFrame

export function createFrameInLanguage(
  { stylesheets, ...fixed }: FixedParts,
  random: RandomBytes,
): FrameInLanguage {
  return (language, { branding, here }) => {
    const stylesheet = stylesheets[branding?.theme ?? 'auto']
    const texts = withOwnTexts(TEXTS[language], branding?.texts[language])
    const scriptNonce = random(16).toString('base64url')
    return { texts, stylesheet, branding, scriptNonce, here, ...fixed }
  }
}

/** Creates the frames of this process. */
export function createPageFrames(
  frameIn: FrameInLanguage,
  cookies: Pick<BrowserCookies, 'language'>,
): PageFrames {
  return (req, uiLocales, branding) => {
    const acceptLanguage = req.headers['accept-language']
    const language = chooseLanguage({ chosen: cookies.language(req), uiLocales, acceptLanguage })
    const impersonation = shownImpersonation(req)
    return { ...frameIn(language, { branding, here: pageOf(req) }), ...(impersonation && { impersonation }) }
  }
}
