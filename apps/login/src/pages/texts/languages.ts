import type { UiLocale } from '@signet/protocol/authorization-parameters'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import { type Catalogue, compileTexts, type Texts } from './message.ts'

/** The texts of the pages by language. `docs/guides/languages.md` lists the steps for a new one. */
export const CATALOGUES: Readonly<Record<UiLocale, Catalogue>> = { en, de, fr, ar, ja }

export const TEXTS = Object.fromEntries(
  Object.entries(CATALOGUES).map(([language, catalogue]) => [language, compileTexts(catalogue)]),
) as Readonly<Record<UiLocale, Texts>>
