import type { BrandingFile } from '@signet/protocol/branding-files'

type Document = Readonly<Record<string, unknown>>

/** A sign-in page with branding that is not stored. */
interface PreviewedPage {
  readonly organizationId: string
  readonly language: string
  readonly scheme: 'light' | 'dark'
  readonly withProblem: boolean
  readonly labelPolicy: Document
  /** Undefined: the stored ones. */
  readonly loginTexts: Document | undefined
  readonly logo: BrandingFile | undefined
}

/** Returns the HTML; undefined when login does not know the organization yet. Rejects with ApiError UNAVAILABLE. */
export type PreviewSignInPage = (page: PreviewedPage) => Promise<string | undefined>
