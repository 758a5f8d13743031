// Renders the sign-in page of an organization with branding that is not stored (decision 119). The page is for a frame without rights:
// its form and its links act nowhere.
import type { Branding } from '@signet/directory-reader/branding'
import type { UiLocale } from '@signet/protocol/authorization-parameters'
import { BRANDING_MEDIA_TYPES, type BrandingFile } from '@signet/protocol/branding-files'
import { obeyedColours, type PageTheme, readTheme } from '@signet/protocol/label-colours'
import { obeyedLoginTexts } from '@signet/protocol/login-texts'
import type { FindBranding } from '../branding/find-branding.ts'
import { withoutFont } from '../pages/brand.ts'
import type { FrameInLanguage } from '../pages/page-frames.ts'
import { PATHS } from '../pages/paths.ts'
import { newRandomValue, type RandomBytes } from '../sessions/browser.ts'
import { loginPage } from './password.page.ts'

type Document = Readonly<Record<string, unknown>>

interface PreviewedPage {
  readonly organizationId: string
  readonly language: UiLocale
  /** The scheme of the page where the policy leaves the choice to the browser. */
  readonly scheme: Exclude<PageTheme, 'auto'>
  readonly withProblem: boolean
  readonly labelPolicy: Document
  /** Texts by screen and name; undefined: those of the organization. */
  readonly loginTexts: Document | undefined
  /** Undefined: that of the organization. */
  readonly logo: { readonly mediaType: string; readonly sha256: string } | undefined
}

/** Returns the HTML; undefined without such an organization. */
export type PreviewSignInPage = (page: PreviewedPage) => Promise<string | undefined>

/** The id of no request; with random bits of no browser, form tokens of the page count nowhere. */
const NO_REQUEST = 'preview'

export function createSignInPagePreview({
  branding,
  frameInLanguage,
  random,
}: {
  readonly branding: Pick<FindBranding, 'ofOrganization'>
  readonly frameInLanguage: FrameInLanguage
  readonly random: RandomBytes
}): PreviewSignInPage {
  return async (page) => {
    const stored = await branding.ofOrganization(page.organizationId)
    if (stored === undefined) return undefined
    // A frame without an origin cannot load a font.
    const frame = frameInLanguage(page.language, {
      branding: withoutFont(previewed(stored, page)),
      here: PATHS.login,
    })
    const { markup } = loginPage(frame, {
      requestId: NO_REQUEST,
      fields: 'both',
      browser: { id: newRandomValue(random) },
      application: stored.name,
      loginName: '',
      providers: [],
      upstreamProblem: undefined,
      forgotPath: PATHS.forgot,
      registerPath: PATHS.login,
      ...(page.withProblem && { problem: 'refused' }),
    })
    // No key and no pointer reaches a part of the page.
    return withoutScripts(markup).replace('<body>', '<body inert>').replaceAll(' autofocus', '')
  }
}

/** The frame runs none; without them the policy of the page around it reports none. */
const withoutScripts = (markup: string) => markup.replaceAll(/<script\b[^>]*><\/script>\n?/g, '')

function previewed(stored: Branding, page: PreviewedPage): Branding {
  const { labelPolicy, loginTexts, language, scheme } = page
  const theme = readTheme(labelPolicy.themeMode)
  const logo = fileOf(page.logo)
  return {
    ...stored,
    colours: obeyedColours(labelPolicy),
    theme: theme === 'auto' ? scheme : theme,
    hidesProduct: labelPolicy.disableWatermark === true,
    files: { ...stored.files, ...(logo && { logo, 'logo-dark': logo }) },
    texts: {
      ...stored.texts,
      ...(loginTexts !== undefined && { [language]: obeyedLoginTexts(loginTexts) }),
    },
  }
}

function fileOf(logo: PreviewedPage['logo']): BrandingFile | undefined {
  const mediaType = Object.values(BRANDING_MEDIA_TYPES).find((known) => known === logo?.mediaType)
  if (logo === undefined || mediaType === undefined || !/^[0-9a-f]{64}$/.test(logo.sha256)) return undefined
  return { mediaType, sha256: logo.sha256 }
}
