import {
  type GivenMember,
  PROVIDER_ROWS,
  type ProviderSettings,
} from '@signet/protocol/fields/identity-provider'
import { PROVIDER_TYPES } from '@signet/protocol/identity-provider-types'
import { z } from 'zod'
import type { Carried } from '../carried/carried-key.ts'
import {
  clientSecret,
  preset as presetName,
  providerMembers,
  providerProblems,
} from '../identity-providers/identity-provider.schema.ts'
import type { StoredProvider } from '../identity-providers/identity-provider.ts'
import {
  newProviderSettings,
  secretProblem,
  withoutUndefined,
  withPublicJwk,
  withStoredForm,
} from '../identity-providers/new-provider.ts'
import { isOwnKey, MOST_OWN_KEYS, type OwnKey } from '../identity-providers/own-keys.ts'
import type { PresetName } from '../identity-providers/presets.ts'
import { readProviderLogo } from '../identity-providers/provider-logo.ts'

// Records of oidcIdps as identity providers. One that says too little, or breaks a rule, is stored only.

const moment = z.iso.datetime({ offset: true })

const ownKeys = z.array(z.string().max(4_000)).max(MOST_OWN_KEYS).optional()

/** Members whose name in the format is another one, by that name. */
const RENAMED = PROVIDER_ROWS.flatMap(([member, { exported }]) =>
  exported === undefined ? [] : [[exported, member as GivenMember] as const],
)

const record = z.object({
  idp: z.object({
    ...z.object(providerMembers).partial().shape,
    clientSecret: z.union([z.literal('').transform(() => undefined), clientSecret]).optional(),
    type: z.enum(PROVIDER_TYPES).optional(),
    preset: presetName.optional(),
    logo: z.string().optional(),
    ownCertificates: ownKeys,
    ownPrivateKeys: ownKeys,
    stylingType: z.unknown().optional(),
    ...Object.fromEntries(
      RENAMED.map(([exported, member]) => [exported, providerMembers[member].optional()]),
    ),
  }),
  state: z.enum(['IDP_STATE_ACTIVE', 'IDP_STATE_INACTIVE']).optional(),
  creationDate: moment.optional(),
})

/** The members of a record that a provider has; the others are stored only. */
const RECORD_MEMBERS = new Set(['idpId', 'idp', 'state', 'creationDate', 'isUsed'])
const IDP_MEMBERS = new Set([
  ...Object.keys(providerMembers),
  'type',
  'clientSecret',
  'preset',
  ...RENAMED.map(([exported]) => exported),
  'ownCertificates',
  'ownPrivateKeys',
  'logo',
])

/** A provider as a record describes it, beside what is stored of it. */
export interface DescribedProvider {
  readonly type: StoredProvider['type']
  readonly preset: PresetName | null
  readonly settings: ProviderSettings
  /** Undefined: the stored one stays. */
  readonly clientSecret: string | undefined
  readonly keepsSecret: boolean
  /** Undefined: the stored ones stay. */
  readonly ownKeys: readonly OwnKey[] | undefined
  /** Undefined: the stored one stays. */
  readonly logo: ReturnType<typeof readProviderLogo> | undefined
  readonly state: StoredProvider['state']
  readonly createdAt: string | undefined
}

/** The rule by which a record is no provider. */
export interface NoProvider {
  readonly problem: string
}

/** Reads a record of oidcIdps. Members that it leaves out keep their stored values. */
export function describedProvider(
  carried: Carried,
  stored: StoredProvider | undefined,
): DescribedProvider | NoProvider {
  const parsed = record.safeParse(carried)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return { problem: `${issue?.path.join('.')}: ${issue?.message}` }
  }
  const { idp, state, creationDate } = parsed.data
  const {
    type = stored?.type ?? 'oidc',
    clientSecret: secret,
    preset,
    stylingType,
    ownCertificates = [],
    ownPrivateKeys,
    logo,
    ...members
  } = idp
  if (stored !== undefined && stored.type !== type) {
    return { problem: `idp.type: the provider with this id is of type ${stored.type}` }
  }
  const { scopes, ...others } = members
  const changes = {
    ...others,
    // The source asks for it without naming it.
    ...(scopes !== undefined && {
      scopes: type !== 'oidc' || scopes.includes('openid') ? scopes : ['openid', ...scopes],
    }),
    ...Object.fromEntries(
      RENAMED.flatMap(([exported, member]) =>
        exported in members ? [[member, members[exported as keyof typeof members]]] : [],
      ),
    ),
  }
  const isGoogle = stylingType === 'STYLING_TYPE_GOOGLE' || stylingType === 1
  const label = preset ?? stored?.preset ?? (isGoogle ? 'google' : null)
  const { name = String(carried.idpId), clientId } = members
  if (stored === undefined && clientId === undefined) return { problem: 'idp.clientId: is required' }
  const settings =
    stored === undefined
      ? newProviderSettings(type, label, { ...changes, name, clientId: clientId ?? '' })
      : withStoredForm({ ...stored, ...withoutUndefined(changes) })
  const usesSecret = settings.clientAuthentication !== 'none'
  const given = usesSecret ? secret : undefined
  const [problem] = providerProblems({ ...settings, type, hasSecret: usesSecret, givenSecret: given })
  if (problem !== undefined) return { problem: `idp.${problem.field}: ${problem.rule}` }
  const ownKeys = ownPrivateKeys?.map((privateKey, index) => ({
    privateKey,
    certificate: ownCertificates[index] ?? '',
  }))
  if (type !== 'saml' && ownCertificates.length > 0)
    return { problem: 'idp.ownCertificates: is of type saml' }
  if (ownKeys !== undefined && !(ownKeys.length === ownCertificates.length && ownKeys.every(isOwnKey))) {
    return { problem: 'idp.ownPrivateKeys: must be the RSA keys of ownCertificates, in their order' }
  }
  const keepsSecret =
    usesSecret &&
    secret === undefined &&
    stored !== undefined &&
    secretProblem(stored, settings) === undefined
  const hasSecret = secret !== undefined || (keepsSecret && stored?.sealedSecret != null)
  const wanted =
    state === undefined ? (stored?.state ?? 'active') : state === 'IDP_STATE_INACTIVE' ? 'inactive' : 'active'
  return {
    type,
    preset: label,
    settings: keepsSecret ? settings : withPublicJwk(settings, given ?? null),
    clientSecret: given,
    ...{ keepsSecret, ownKeys },
    logo: logo === undefined ? undefined : readProviderLogo(logo),
    state: usesSecret && !hasSecret ? 'inactive' : wanted,
    createdAt: creationDate,
  }
}

/** The members of a record of a provider that the provider has no place for. */
export function furtherMembers(given: Carried): Carried {
  const { idp } = given
  const inside = Object.entries(typeof idp === 'object' && idp !== null ? idp : {}).filter(
    ([member]) => !IDP_MEMBERS.has(member),
  )
  return {
    ...Object.fromEntries(Object.entries(given).filter(([member]) => !RECORD_MEMBERS.has(member))),
    ...(inside.length > 0 && { idp: Object.fromEntries(inside) }),
    isUsed: true,
  }
}
