import { UI_LOCALES, type UiLocale } from '@signet/protocol/authorization-parameters'

interface Preferences {
  /** Language that the person chose on a page of this browser. */
  readonly chosen?: UiLocale | undefined
  /** `ui_locales` of the request: tags by preference (OIDC Core section 3.1.2.1). */
  readonly uiLocales: string | undefined
  /** The Accept-Language header (RFC 9110 section 12.5.4). */
  readonly acceptLanguage: string | undefined
}

/** The choice of the person, or the first supported language of the request, then of the browser, then English. */
export function chooseLanguage({ chosen, uiLocales, acceptLanguage }: Preferences): UiLocale {
  return (
    chosen ??
    firstKnown((uiLocales ?? '').split(' ')) ??
    firstKnown(languagesByWeight(acceptLanguage ?? '')) ??
    UI_LOCALES[0]
  )
}

/** RFC 4647 section 3.4: `de` matches `de-CH`. */
function firstKnown(tags: readonly string[]): UiLocale | undefined {
  for (const tag of tags) {
    const primary = tag.split('-', 1)[0]?.toLowerCase()
    const known = UI_LOCALES.find((locale) => locale === primary)
    if (known !== undefined) return known
  }
  return undefined
}

function languagesByWeight(header: string): readonly string[] {
  return header
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { tag, weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag)
}
