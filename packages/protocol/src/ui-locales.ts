// OIDC Core section 3.1.2.1 (`ui_locales`), OIDC Discovery section 3 (`ui_locales_supported`).

/** The languages that pages are written in (BCP 47). */
export const UI_LOCALES = ['en', 'de'] as const

export type UiLocale = (typeof UI_LOCALES)[number]
