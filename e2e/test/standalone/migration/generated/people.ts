import { FOREIGN_PASSWORD_HASHES } from '@signet/testing/foreign-password-hashes'
import fc from 'fast-check'
import { anyOf, each, keys, letters, secret, text, url } from './values.ts'

/** Long and mixed enough for any policy that is generated. */
const password = secret.map((part) => ({ password: `Aa1!${part}` }))
const passwordHash = fc
  .constantFrom(...Object.values(FOREIGN_PASSWORD_HASHES))
  .map((hash) => ({ passwordHash: hash }))
const withChangeRequired = <T extends object>(proof: fc.Arbitrary<T>) =>
  fc.tuple(proof, anyOf({ passwordChangeRequired: fc.boolean() })).map(([one, more]) => ({ ...one, ...more }))

export const user = fc
  .record({
    required: fc.record({
      profile: fc.record({ givenName: text, familyName: text }).chain((names) =>
        anyOf({
          ...each(['displayName', 'nickName', 'gender', 'middleName'], text),
          ...each(['picture', 'profileUrl', 'website'], url),
          preferredLanguage: fc.constantFrom('en', 'de-CH', 'zh-Hant'),
          birthdate: fc.constantFrom('1990-01-31', '0000-02-29', '1970'),
          zoneinfo: fc.constantFrom('Europe/Zurich', 'UTC'),
        }).map((more) => ({ ...names, ...more })),
      ),
    }),
    optional: anyOf({
      email: fc.record({ address: fc.emailAddress(), verified: fc.boolean() }),
      phone: fc.record({ number: fc.constantFrom('+41 79 123 45 67', '+15550100'), verified: fc.boolean() }),
      address: anyOf(each(['streetAddress', 'locality', 'region', 'postalCode', 'country'], text)),
      totpSecret: letters('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 32),
      state: fc.constantFrom('active', 'inactive', 'locked'),
      metadata: fc.dictionary(text, text, { maxKeys: 2 }),
      roles: fc.constantFrom<string[]>(['ORG_OWNER'], ['ORG_OWNER_VIEWER', 'ORG_USER_MANAGER']),
    }),
    proof: fc.oneof(
      { weight: 1, arbitrary: withChangeRequired(password) },
      { weight: 3, arbitrary: withChangeRequired(passwordHash) },
      fc.constant({}),
    ),
    userName: text,
  })
  .map(({ required, optional, proof, userName }) => ({ userName, ...required, ...optional, ...proof }))

export const serviceUser = anyOf({
  name: text,
  accessTokenType: fc.constantFrom('bearer', 'jwt'),
  accessTokenSigningAlg: fc.constantFrom('RS256', 'ES256', 'EdDSA'),
  roles: fc.constant<string[]>(['ORG_OWNER']),
  clientSecret: secret,
  keys,
})
