import type { IncomingMessage } from 'node:http'
import type { UiLocale } from '@signet/oauth-protocol/ui-locales'
import { chooseLanguage } from '../pages/choose-language.ts'
import type { PageFrame } from '../pages/page.ts'
import { de } from '../pages/texts/de.ts'
import { en } from '../pages/texts/en.ts'
import type { Texts } from '../pages/texts/texts.ts'

const CATALOGUES: Readonly<Record<UiLocale, Texts>> = { en, de }

/** What a page is built in for whoever asks: `uiLocales` is what the client wishes, if it does. */
export type PageFrames = (req: IncomingMessage, uiLocales?: string) => PageFrame

export function pageFrames(stylesheet: string): PageFrames {
  return (req, uiLocales) => {
    const language = chooseLanguage({ uiLocales, acceptLanguage: req.headers['accept-language'] })
    return { texts: CATALOGUES[language], stylesheet }
  }
}
