import { UI_LOCALES } from '@signet/protocol/authorization-parameters'
import { z } from 'zod'
import { operation } from '../management-api/operation.ts'
import { organizationId } from '../management-api/parameters.ts'
import { managesOrganization, onOrganization, viewsOrganization } from '../permissions/permission.ts'
import { loginTexts, shownLoginTexts } from './login-texts.schema.ts'
import { readLoginTexts, resetLoginTexts, setLoginTexts } from './login-texts.service.ts'

const PATH = '/management/v1/organizations/{organizationId}/login-texts/{language}'
const target = { kind: 'organization', field: 'organizationId' }
const language = z
  .enum(UI_LOCALES)
  .describe('The language of the texts.')
  .meta({ examples: ['en'] })

export const loginTextOperations = [
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
    handle: (call, { organizationId: id, language: of, ...texts }) =>
      setLoginTexts(call, { organizationId: id, language: of, texts }),
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
