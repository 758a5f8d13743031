import { IntlMessageFormat } from 'intl-messageformat'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

/** The name of a text of the catalogue. */
export type TextKey = keyof typeof en

const CATALOGUES = { en, de } satisfies Readonly<Record<string, Readonly<Record<TextKey, string>>>>
export type Language = keyof typeof CATALOGUES
export const LANGUAGES = Object.keys(CATALOGUES) as readonly Language[]

const LANGUAGE_KEY = 'signet-console.language'

const isLanguage = (value: string | null | undefined): value is Language => !!value && value in CATALOGUES

/** The language that the person chose in this browser, or the first of the browser's that the console has. */
export const language: Language = (() => {
  const chosen = window.localStorage.getItem(LANGUAGE_KEY)
  if (isLanguage(chosen)) return chosen
  return navigator.languages.map((tag) => tag.split('-')[0]).find(isLanguage) ?? 'en'
})()

/** Shows the console in another language from now on. */
export function chooseLanguage(chosen: Language): void {
  window.localStorage.setItem(LANGUAGE_KEY, chosen)
  window.location.reload()
}

const formats = new Map<TextKey, IntlMessageFormat>()

/** The text in the language of the page, with its parameters (ICU MessageFormat). */
export function text(key: TextKey, values?: Readonly<Record<string, string | number>>): string {
  if (values === undefined) return CATALOGUES[language][key]
  let format = formats.get(key)
  if (format === undefined) {
    format = new IntlMessageFormat(CATALOGUES[language][key], language)
    formats.set(key, format)
  }
  return String(format.format(values))
}

/** A moment as date and time of the person's clock. */
export const moment = (at: string | undefined): string =>
  at === undefined ? '' : new Date(at).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' })
