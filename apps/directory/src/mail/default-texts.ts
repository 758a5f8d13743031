import type { UiLocale } from '@signet/protocol/authorization-parameters'
import type { MessageKind } from './mail.schema.ts'
import { ar } from './texts/ar.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'
import { fr } from './texts/fr.ts'
import { ja } from './texts/ja.ts'

/** The texts of a message. The greeting holds no name: a person who registers with a foreign address chooses the name. */
interface DefaultTexts {
  readonly subject: string
  readonly title: string
  readonly greeting: string
  readonly text: string
  readonly buttonText: string
  /** Stands above the code. */
  readonly codeText: string
  readonly footerText: string
}

/** The texts of all messages in one language; a language that lacks one does not compile. */
export type MailTexts = Readonly<Record<MessageKind, DefaultTexts>>

/** Every default text of every message. */
export const DEFAULT_TEXTS: Readonly<Record<UiLocale, MailTexts>> = { en, de, fr, ar, ja }
