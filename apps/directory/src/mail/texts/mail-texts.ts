import type { MessageKind } from './mail.schema.ts'

/**
 * The texts of a message. Only the greeting of an invitation, which an administrator sends, holds a name: a person who registers
 * with a foreign address chooses the name.
 */
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
