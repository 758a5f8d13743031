import {
  brokenLoginTexts,
  LOGIN_TEXT_SCREENS,
  loginTextLimit,
  PAGE_TEXTS,
} from '@signet/protocol/login-texts'
import { z } from 'zod'

/** The texts of a screen that act. Others are refused below, with the reason. */
function screen(name: string, texts: readonly string[]) {
  const acting = texts.filter((text) => `${name}.${text}` in PAGE_TEXTS)
  const members = acting.map((text) => [
    text,
    z
      .string()
      .optional()
      .describe(`At most ${loginTextLimit(text)} characters.`),
  ])
  return acting.length === 0
    ? []
    : [[name, z.object(Object.fromEntries(members)).catchall(z.unknown()).optional()] as const]
}

const screens = Object.fromEntries(
  Object.entries(LOGIN_TEXT_SCREENS).flatMap(([name, texts]) => screen(name, texts)),
)

/** The texts of the sign-in pages in one language: body of the management API. Texts that do not act are refused. */
export const loginTexts = z
  .object(screens)
  .catchall(z.unknown())
  .superRefine((texts, context) => {
    for (const { text, rule } of brokenLoginTexts(texts)) {
      context.addIssue({ code: 'custom', path: text.split('.'), message: rule })
    }
  })

/** The same as they are stored; those of an import may be any. */
export const shownLoginTexts = z
  .strictObject({
    isDefault: z.boolean().describe('The organization has no texts of its own in this language.'),
    texts: z.record(z.string(), z.unknown()).describe('By screen and name, as in the export format.'),
    notObeyed: z
      .array(z.string())
      .readonly()
      .describe('The texts that the pages do not show: they came with an import.'),
  })
  .meta({ id: 'LoginTexts' })
