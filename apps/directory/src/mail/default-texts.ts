import type { UiLocale } from '@signet/protocol/authorization-parameters'
import { ar } from './texts/ar.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'
import { fr } from './texts/fr.ts'
import { ja } from './texts/ja.ts'
import type { MailTexts } from './texts/mail-texts.ts'

/** Every default text of every message. */
export const DEFAULT_TEXTS: Readonly<Record<UiLocale, MailTexts>> = { en, de, fr, ar, ja }
