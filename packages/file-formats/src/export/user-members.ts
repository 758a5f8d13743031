import { ADDRESS_FIELDS, PROFILE_FIELDS } from '@signet/protocol/fields/person'
import { SERVICE_USER_FIELDS } from '@signet/protocol/fields/service-user'
import {
  at,
  carried,
  changed,
  every,
  fieldTreatments,
  inside,
  type Json,
  kept,
  keptBut,
  keptWith,
  leftOut,
  secrets,
  type Treatment,
  type Treatments,
  time,
  toMilliseconds,
  trimmed,
  unread,
  values,
} from './member-treatment.ts'

const userState = values({
  USER_STATE_UNSPECIFIED: 'USER_STATE_ACTIVE',
  USER_STATE_INITIAL: 'USER_STATE_ACTIVE',
  USER_STATE_DELETED: 'USER_STATE_INACTIVE',
  USER_STATE_SUSPEND: 'USER_STATE_INACTIVE',
})

const totpSecret: Treatment = {
  ...changed('in upper case, without spaces and padding', (value) =>
    String(value).toUpperCase().replace(/[\s=]/g, ''),
  ),
  option: 'with_otp',
}

const passkeyTime: Treatment = {
  ...changed('in UTC, to the millisecond', toMilliseconds),
  option: 'with_passkeys',
}

const passkeys: Treatments = {
  handle: keptWith('with_passkeys', 'left out and reported for a user who existed before'),
  ...inside('credentials[]', {
    passkeyId: keptWith('with_passkeys'),
    rpId: keptWith(
      'with_passkeys',
      'a passkey of another RP ID than that of the instance is left out and reported',
    ),
    ...every(
      ['credentialId', 'publicKey', 'counter', 'transports', 'aaguid', 'name'],
      keptWith('with_passkeys'),
    ),
    ...every(['backupEligible', 'backedUp'], keptWith('with_passkeys')),
    ...every(['creationDate', 'lastUseDate', 'clonedDate'], passkeyTime),
  }),
}

const hasPassword = (record: Json) => at(record, 'user.hashedPassword') ?? at(record, 'user.password')

function madeDisplayName(user: Json): unknown {
  const names = ['firstName', 'lastName'].flatMap((name) => at(user, `profile.${name}`) || [])
  return (names.join(' ') || String(user.userName ?? at(user, 'email.email')).trim()).slice(0, 200)
}

/** The treatments of the members of a person. */
export const humanUser: Treatments = {
  userId: kept,
  ...inside('user', {
    userName: trimmed,
    ...inside('profile', {
      ...fieldTreatments(PROFILE_FIELDS),
      displayName: changed(
        'without spaces at its ends; an empty one is made of the first and last name, or of the user name',
        (value, { user }) => String(value).trim() || madeDisplayName(user as Json),
      ),
      genderText: trimmed,
    }),
    'email.email': changed('without spaces at its ends, in NFC', (value) =>
      String(value).trim().normalize('NFC'),
    ),
    'email.isEmailVerified': keptBut('a note counts the verified addresses of each domain'),
    'phone.phone': kept,
    'phone.isPhoneVerified': changed('left out when the number is empty', (value, record) =>
      at(record, 'user.phone.phone') === '' ? undefined : value,
    ),
    ...inside('address', fieldTreatments(ADDRESS_FIELDS)),
    password: leftOut('it is hashed; an export has `hashedPassword`'),
    'hashedPassword.value': keptWith(
      'with_passwords',
      'until the next sign-in, which hashes the password again',
    ),
    'hashedPassword.algorithm': unread,
    passwordChangeRequired: changed('left out for a user without a password', (value, record) =>
      hasPassword(record) === undefined ? undefined : value,
    ),
    requestPasswordlessRegistration: carried,
    otpCode: totpSecret,
    ...inside('totpDevices[]', {
      secret: totpSecret,
      name: {
        ...trimmed,
        text: 'without spaces at its ends; one without a name that has the usual parameters becomes `otpCode`',
        option: 'with_otp',
      },
      ...every(['algorithm', 'digits', 'period'], keptWith('with_otp')),
    }),
    ...inside('passkeys', passkeys),
    idps: carried,
    recoveryCodes: keptWith('with_otp', 'stored, not used'),
  }),
  state: userState,
  ...every(['creationDate', 'changeDate'], time),
}

const { accessTokenType, ...settings } = fieldTreatments(SERVICE_USER_FIELDS)

/** The treatments of the members of a service user. */
export const machineUser: Treatments = {
  userId: kept,
  'user.userId': unread,
  'user.userName': trimmed,
  'user.name': trimmed,
  'user.description': carried,
  ...settings,
  'user.accessTokenType': accessTokenType,
  clientId: keptBut('one is made of the user name when it is left out'),
  ...secrets,
  state: userState,
  ...every(['creationDate', 'changeDate'], time),
}
