import { size } from '@signet/testing/sizes'
import fc from 'fast-check'
import { text } from './generated-organizations.ts'

const SEED = 7

const name = fc
  .string({ unit: fc.constantFrom(...'abcdeXYZ09'), minLength: 1, maxLength: 8 })
  .map((rest) => `m${rest}`)
/** JSON of any depth without null members, which protojson takes for absent. */
export const { anything } = fc.letrec<{ anything: unknown; object: object }>((tie) => ({
  anything: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('anything'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(name, tie('anything'), { maxKeys: 4 }),
}))
export const members = fc.dictionary(name, anything, { maxKeys: 4 })

const TEXTS = [
  'loginTexts',
  'initMessages',
  'passwordResetMessages',
  'verifyEmailMessages',
  'verifyPhoneMessages',
  'domainClaimedMessages',
  'passwordlessRegistrationMessages',
  'verifySmsOtpMessages',
  'verifyEmailOtpMessages',
  'inviteUserMessages',
] as const

const texts = fc
  .tuple(fc.subarray(['de', 'en', 'ja', 'pt-BR']), members)
  .map(([languages, rest]) => languages.map((language) => ({ ...rest, language })))
const sections = fc.record({
  texts: fc.tuple(...TEXTS.map(() => texts)),
  actions: fc.array(members, { maxLength: 2 }),
  oidcIdps: fc.array(members, { maxLength: 2 }),
  jwtIdps: fc.array(members, { maxLength: 2 }),
  triggers: fc.subarray(['1', '2', '3']),
  link: members,
  recoveryCodes: fc.array(anything, { minLength: 1, maxLength: 2 }),
})

/** The sections that Signet stores without interpreting them, for the organization `id` with one of its users. */
export function generatedSections(): readonly ((
  id: string,
  userId: string | undefined,
) => Record<string, unknown>)[] {
  const sample = fc.sample(sections, { seed: SEED, numRuns: size('generatedOrganizations') })
  return sample.map((drawn) => (id, userId) => {
    const named = (kind: string, records: readonly object[], member: string) =>
      records.map((record, index) => ({ ...record, [member]: `${id}-${kind}-${index}` }))
    const oidcIdps = named('oidc', drawn.oidcIdps, 'idpId')
    const actions = named('action', drawn.actions, 'actionId')
    return {
      ...Object.fromEntries(TEXTS.map((list, index) => [list, drawn.texts[index]])),
      actions,
      oidcIdps,
      jwtIdps: named('jwt', drawn.jwtIdps, 'idpId'),
      triggerActions: drawn.triggers.map((flowType) => ({
        flowType,
        triggerType: '1',
        actionIds: actions.map(({ actionId }) => actionId),
      })),
      userLinks:
        userId === undefined
          ? []
          : oidcIdps.map(({ idpId }) => ({ ...drawn.link, userId, idpId, providedUserId: id })),
    }
  })
}
