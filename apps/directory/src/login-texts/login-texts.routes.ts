import { UI_LOCALES } from '@signet/protocol/authorization-parameters'
import { LABEL_COLOURS, readColour } from '@signet/protocol/label-colours'
import {
  brokenLoginTexts,
  LOGIN_TEXT_SCREENS,
  loginTextLimit,
  PAGE_TEXTS,
} from '@signet/protocol/login-texts'
import { z } from 'zod'
import type { ManagementCall } from '../api/management-call.ts'
import { operation } from '../api/operation.ts'
import { organizationId } from '../api/parameters.ts'
import { IMAGE_LIMIT_BYTES } from '../organizations/branding-file-rules.ts'
import { managesOrganization, onOrganization, viewsOrganization } from '../permissions/permission.ts'
import { previewSignInPage } from './branding-preview.service.ts'
import {
  type LoginTextStores,
  readLoginTexts,
  resetLoginTexts,
  setLoginTexts,
  updateLoginTexts,
} from './login-texts.service.ts'

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
const loginTexts = z
  .object(screens)
  .catchall(z.unknown())
  .superRefine((texts, context) => {
    for (const { text, rule } of brokenLoginTexts(texts)) {
      context.addIssue({ code: 'custom', path: text.split('.'), message: rule })
    }
  })

/** The same as they are stored; those of an import may be any. */
const shownLoginTexts = z
  .strictObject({
    isDefault: z.boolean().describe('The organization has no texts of its own in this language.'),
    texts: z.record(z.string(), z.unknown()).describe('By screen and name, as in the export format.'),
    notObeyed: z
      .array(z.string())
      .readonly()
      .describe('The texts that the pages do not show: they came with an import.'),
  })
  .meta({ id: 'LoginTexts' })

const PATH = '/management/v1/organizations/{organizationId}/login-texts/{language}'
const target = { kind: 'organization', field: 'organizationId' }
const language = z
  .enum(UI_LOCALES)
  .describe('The language of the texts.')
  .meta({ examples: ['en'] })

/** A colour that is hard to read is no refusal: the page has the defaults in its place, as it would after an import. */
const colours = z.strictObject(
  Object.fromEntries(
    LABEL_COLOURS.map((member) => [
      member,
      z
        .string()
        .refine(
          (value) => value === '' || readColour(value) !== undefined,
          'must be a colour such as #1a2b3c',
        )
        .optional(),
    ]),
  ),
)

const previewedBranding = z.strictObject({
  language: z.enum(UI_LOCALES).default('en').describe('The language of the page.'),
  scheme: z
    .enum(['light', 'dark'])
    .default('light')
    .describe('The scheme of the page, unless themeMode is light or dark.'),
  withProblem: z.boolean().default(false).describe('The page shows the message of a wrong password.'),
  labelPolicy: colours
    .extend({ themeMode: z.string().max(100).optional(), disableWatermark: z.boolean().optional() })
    .default({})
    .describe('The members of the label policy that act on pages; one that is left out has its default.'),
  loginTexts: loginTexts
    .optional()
    .describe('The texts of the language as login_text.set takes them; without it the stored ones.'),
  logo: z
    .base64('must be Base64 (RFC 4648 section 4)')
    .max(4 * Math.ceil(IMAGE_LIMIT_BYTES / 3), `must be at most ${IMAGE_LIMIT_BYTES} bytes`)
    .optional()
    .describe('A logo in Base64; without it the stored one.'),
})

export const loginTextOperations = [
  operation({
    id: 'label_policy.preview',
    summary: 'Shows the sign-in page of an organization with other branding, without storing it',
    description:
      'The HTML of the page as login renders it, with the given colours, texts and logo; without the font of the organization and without scripts. Show it in a frame with the attribute sandbox. Nothing is stored. Needs the right to change the branding.',
    method: 'post',
    path: '/management/v1/organizations/{organizationId}/policies/label/preview',
    parameters: { organizationId },
    request: previewedBranding,
    example: { labelPolicy: { primaryColor: '#0b6e4f' }, language: 'de' },
    response: z.strictObject({ html: z.string() }).meta({ id: 'SignInPagePreview' }),
    permission: onOrganization(managesOrganization),
    target,
    handle: previewSignInPage,
  }),
  operation({
    id: 'login_text.read',
    summary: 'Shows the texts of the sign-in pages of an organization',
    method: 'get',
    path: PATH,
    parameters: { organizationId, language },
    response: shownLoginTexts,
    permission: onOrganization(viewsOrganization),
    target,
    handle: readLoginTexts,
  }),
  operation({
    id: 'login_text.set',
    summary: 'Sets the texts of the sign-in pages of an organization',
    description:
      'As a whole: a text that is left out or empty has its default. Texts are plain text. A text that no page shows is refused. Effective within a second. An export holds them, and an import sets them.',
    method: 'put',
    path: PATH,
    parameters: { organizationId, language },
    request: loginTexts,
    example: { loginText: { title: 'Welcome to ACME', description: 'Use the account of your badge.' } },
    response: shownLoginTexts,
    permission: onOrganization(managesOrganization),
    target,
    handle: (call: ManagementCall<LoginTextStores>, { organizationId: id, language: of, ...texts }) =>
      setLoginTexts(call, { organizationId: id, language: of, texts }),
  }),
  operation({
    id: 'login_text.update',
    summary: 'Changes texts of the sign-in pages of an organization',
    description:
      'A text that is left out stays as it is; an empty one gets its default. Texts are plain text. A text that no page shows is refused. Effective within a second.',
    method: 'patch',
    path: PATH,
    parameters: { organizationId, language },
    request: loginTexts.refine(
      (texts) => Object.keys(texts).length > 0,
      'the body must name a text to change',
    ),
    example: { loginText: { title: 'Welcome to ACME' } },
    response: shownLoginTexts,
    permission: onOrganization(managesOrganization),
    target,
    handle: (call: ManagementCall<LoginTextStores>, { organizationId: id, language: of, ...texts }) =>
      updateLoginTexts(call, { organizationId: id, language: of, texts }),
  }),
  operation({
    id: 'login_text.reset',
    summary: 'Lets the default texts of the sign-in pages hold in an organization',
    method: 'delete',
    path: PATH,
    parameters: { organizationId, language },
    permission: onOrganization(managesOrganization),
    target,
    handle: resetLoginTexts,
  }),
]
