import { isPlaceholder, PLACEHOLDER_RULE } from '@signet/protocol/placeholder'
import { isEmpty, languageTag, type SourceMembers } from './conversion.ts'

/** Attributes with a member of their own here; all others become metadata. */
const PROFILE: Readonly<Record<string, string>> = {
  locale: 'preferredLanguage',
  picture: 'picture',
  website: 'website',
  birthdate: 'birthdate',
  zoneinfo: 'zoneinfo',
  middleName: 'middleName',
  nickname: 'nickName',
}
/** Claims of OpenID Connect Core 5.1 that have another name than the attribute. */
const CLAIMS: Readonly<Record<string, string>> = {
  middleName: 'middle_name',
  phoneNumber: 'phone_number',
  phoneNumberVerified: 'phone_number_verified',
}

/** Whether an attribute becomes a part of the profile, which tokens have under this claim. */
export function isProfileAttribute(attribute: string, claim?: string): boolean {
  const isPart = Object.hasOwn(PROFILE, attribute) || /^phoneNumber(Verified)?$/.test(attribute)
  return isPart && (claim === undefined || claim === (CLAIMS[attribute] ?? attribute))
}

const ADDRESS: Readonly<Record<string, string>> = {
  street: 'streetAddress',
  locality: 'locality',
  region: 'region',
  postal_code: 'postalCode',
  country: 'country',
}

/** The parts of a person that stand among the attributes, and the other attributes as metadata. */
export function attributesOf(members: SourceMembers) {
  const profile: Record<string, string> = {}
  const address: Record<string, string> = {}
  const phone: Record<string, unknown> = {}
  const metadata: (readonly [string, unknown])[] = []
  for (const [name, values] of Object.entries(members.object('attributes') ?? {})) {
    const list = Array.isArray(values) ? values : [values]
    const [only] = list
    const text = list.length === 1 && typeof only === 'string' ? only : undefined
    if (isEmpty(values) || text === '') continue
    if (list.some(isPlaceholder)) {
      members.leaveOut(`attributes ${name}: ${PLACEHOLDER_RULE}`)
      continue
    }
    const inProfile = Object.hasOwn(PROFILE, name) ? PROFILE[name] : undefined
    const inAddress = Object.hasOwn(ADDRESS, name) ? ADDRESS[name] : undefined
    if (text !== undefined && inProfile !== undefined)
      profile[inProfile] = name === 'locale' ? languageTag(text) : text
    else if (text !== undefined && inAddress !== undefined) address[inAddress] = text
    else if (text?.startsWith('+') && name === 'phoneNumber') phone.phone = text
    else if ((text === 'true' || text === 'false') && name === 'phoneNumberVerified')
      phone.isPhoneVerified = text === 'true'
    else metadata.push([name, text ?? list])
  }
  if (phone.phone === undefined && phone.isPhoneVerified !== undefined)
    members.leaveOut('attributes phoneNumberVerified without phoneNumber')
  return { profile, address, phone: phone.phone === undefined ? undefined : phone, metadata }
}
