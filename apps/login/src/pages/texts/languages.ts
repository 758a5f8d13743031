import type { UiLocale } from '@signet/protocol/authorization-parameters'
import ar from './ar.json' with { type: 'json' }
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import ja from './ja.json' with { type: 'json' }
import { type Catalogue, compileTexts, type Texts } from './message.ts'

/** The texts of the pages by language. `docs/guides/languages.md` lists the steps for a new one. */
export const CATALOGUES: Readonly<Record<UiLocale, Catalogue>> = { en, de, fr, ar, ja }

export const TEXTS = Object.fromEntries(
  Object.entries(CATALOGUES).map(([language, catalogue]) => [language, compileTexts(catalogue)]),
) as Readonly<Record<UiLocale, Texts>>
