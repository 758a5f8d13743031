/** A fixture user in the form of the bootstrap file, with every standard claim of the scopes profile, email, phone and address. */
export const ALICE = {
  id: 'alice',
  userName: 'alice',
  profile: {
    givenName: 'Alice',
    familyName: 'Example',
    displayName: 'Alice Example',
    middleName: 'B',
    nickName: 'Al',
    profileUrl: 'https://acme.localhost/alice',
    picture: 'https://acme.localhost/a.png',
    website: 'https://alice.localhost',
    gender: 'female',
    birthdate: '1990-01-31',
    zoneinfo: 'Europe/Zurich',
    preferredLanguage: 'en',
  },
  email: { address: 'alice@acme.localhost', verified: true },
  phone: { number: '+41791234567', verified: true },
  address: { streetAddress: 'Main 1', locality: 'Zurich', region: 'ZH', postalCode: '8000', country: 'CH' },
} as const

/** The claims for each scope in the organization `acme.localhost`, except `updated_at`: OIDC Core section 5.4. */
export const ALICE_CLAIMS = {
  profile: {
    name: 'Alice Example',
    given_name: 'Alice',
    family_name: 'Example',
    middle_name: 'B',
    nickname: 'Al',
    preferred_username: 'alice@acme.localhost',
    profile: 'https://acme.localhost/alice',
    picture: 'https://acme.localhost/a.png',
    website: 'https://alice.localhost',
    gender: 'female',
    birthdate: '1990-01-31',
    zoneinfo: 'Europe/Zurich',
    locale: 'en',
  },
  email: { email: 'alice@acme.localhost', email_verified: true },
  phone: { phone_number: '+41791234567', phone_number_verified: true },
  address: {
    address: {
      street_address: 'Main 1',
      locality: 'Zurich',
      region: 'ZH',
      postal_code: '8000',
      country: 'CH',
    },
  },
}
