import { expect, it } from 'vitest'
import { chooseLanguage } from './choose-language.ts'

it.each([
  ['de', undefined, 'de'],
  ['de-CH', undefined, 'de'],
  ['it DE en', undefined, 'de'],
  ['ja-JP en', undefined, 'ja'],
  ['en de', 'de', 'en'],
  ['se', 'de-AT,de;q=0.9', 'de'],
  ['', 'it, en;q=0.3, de;q=0.8', 'de'],
  ['', 'ar-EG, fr;q=0.9', 'ar'],
  ['', 'fr-CA, en;q=0.8', 'fr'],
  [undefined, 'de;q=0, en;q=0.1', 'en'],
  [undefined, 'de; q=x', 'en'],
  [undefined, '*', 'en'],
  [undefined, undefined, 'en'],
  ['constructor', '__proto__', 'en'],
])(
  'ui_locales %j with Accept-Language %j is %s (OIDC Core section 3.1.2.1)',
  (uiLocales, acceptLanguage, language) => {
    expect(chooseLanguage({ uiLocales, acceptLanguage })).toBe(language)
  },
)
