import { type CsvMapping, readCsvMapping, type Target } from './csv-mapping.ts'

const column = (to: Target | `metadata.${string}`, ...steps: readonly string[]) => ({
  to,
  optional: true,
  ...(steps.length > 0 && { steps }),
})

const ADDRESS = {
  streetAddress: column('streetAddress'),
  city: column('locality'),
  state: column('region'),
  postalCode: column('postalCode'),
  country: column('country'),
}

/** The columns that products write into a CSV file of users, by the name of the product. All but one may be missing. */
const COLUMNS: Readonly<Record<string, object>> = {
  // The header of the file for an import job of a user pool.
  cognito: {
    'cognito:username': column('userName'),
    sub: column('userId'),
    given_name: column('firstName'),
    family_name: column('lastName'),
    middle_name: column('middleName'),
    name: column('displayName'),
    nickname: column('nickName'),
    picture: column('picture'),
    website: column('website'),
    birthdate: column('birthdate'),
    zoneinfo: column('zoneinfo'),
    locale: column('preferredLanguage'),
    email: column('email'),
    email_verified: column('isEmailVerified'),
    phone_number: column('phone'),
    phone_number_verified: column('isPhoneVerified'),
    address: column('streetAddress'),
    gender: column('metadata.gender'),
  },
  // "Download users" of the admin center.
  entra: {
    userPrincipalName: column('userName'),
    id: column('userId'),
    objectId: column('userId'),
    displayName: column('displayName'),
    givenName: column('firstName'),
    surname: column('lastName'),
    mail: column('email'),
    accountEnabled: column('isActive'),
    department: column('metadata.department'),
    jobTitle: column('metadata.jobTitle'),
    ...ADDRESS,
  },
  // "Download users" of the admin console.
  'google-workspace': {
    'First Name [Required]': column('firstName'),
    'Last Name [Required]': column('lastName'),
    'Email Address [Required]': column('email', 'lower'),
    'Status [READ ONLY]': column('isActive'),
    Department: column('metadata.department'),
    'Employee ID': column('metadata.employeeId'),
  },
  // Columns have the names of the attributes of its profile.
  okta: {
    login: column('userName'),
    id: column('userId'),
    status: column('isActive'),
    firstName: column('firstName'),
    lastName: column('lastName'),
    middleName: column('middleName'),
    nickName: column('nickName'),
    displayName: column('displayName'),
    email: column('email'),
    mobilePhone: column('phone'),
    locale: column('preferredLanguage'),
    timezone: column('zoneinfo'),
    department: column('metadata.department'),
    streetAddress: column('streetAddress'),
    city: column('locality'),
    state: column('region'),
    zipCode: column('postalCode'),
    countryCode: column('country'),
  },
  // "Export users" of the dashboard.
  clerk: {
    id: column('userId'),
    username: column('userName'),
    first_name: column('firstName'),
    last_name: column('lastName'),
    primary_email_address: column('email'),
    primary_phone_number: column('phone'),
    password_digest: column('passwordHash'),
    totp_secret: column('otpCode'),
  },
}

/** The names of the products with a mapping of their own. */
export const CSV_PRESETS = Object.keys(COLUMNS)

/** The mapping for the CSV files of a product; undefined for a product without one. */
export function csvPreset(name: string): CsvMapping | undefined {
  return Object.hasOwn(COLUMNS, name) ? readCsvMapping({ columns: COLUMNS[name] }) : undefined
}

/** Names of columns for each member, without spaces and signs, in lower case. */
const SPELLINGS: Readonly<Partial<Record<Target, readonly string[]>>> = {
  userId: ['id', 'userid', 'uid', 'guid', 'uuid', 'objectid', 'sub'],
  userName: ['username', 'login', 'loginname', 'user', 'account', 'userprincipalname', 'benutzername'],
  email: ['email', 'mail', 'emailaddress', 'emailadresse', 'primaryemail'],
  isEmailVerified: ['emailverified', 'isemailverified', 'mailok', 'verified'],
  firstName: ['firstname', 'givenname', 'forename', 'first', 'vorname', 'prenom'],
  lastName: ['lastname', 'familyname', 'surname', 'last', 'sn', 'nachname', 'nom'],
  displayName: ['displayname', 'fullname', 'name', 'cn', 'anzeigename'],
  nickName: ['nickname'],
  phone: ['phone', 'phonenumber', 'mobile', 'mobilephone', 'telephone', 'telefon'],
  preferredLanguage: ['language', 'locale', 'preferredlanguage', 'lang', 'sprache'],
  birthdate: ['birthdate', 'birthday', 'dateofbirth', 'dob', 'geburtsdatum'],
  zoneinfo: ['timezone', 'zoneinfo', 'tz'],
  passwordHash: ['passwordhash', 'passworddigest', 'hash', 'encryptedpassword'],
  password: ['password', 'passwort', 'pwd'],
  otpCode: ['totpsecret', 'otpsecret', 'totp'],
  isActive: ['active', 'isactive', 'enabled', 'accountenabled'],
  creationDate: ['createdat', 'created', 'creationdate'],
  roles: ['roles', 'role', 'groups', 'group'],
  streetAddress: ['street', 'streetaddress', 'address'],
  locality: ['city', 'locality', 'town'],
  region: ['state', 'region', 'province'],
  postalCode: ['zip', 'zipcode', 'postalcode', 'postcode'],
  country: ['country', 'countrycode'],
}

/** A mapping as a text in YAML for a file with these columns, to be read and corrected by a person. */
export function suggestedMapping(columns: readonly string[]): string {
  const taken = new Set<string>()
  const lines = columns.map((name) => {
    const spelling = name.toLowerCase().replace(/[^\p{L}\d]/gu, '')
    const target = Object.entries(SPELLINGS).find(
      ([member, names]) => !taken.has(member) && names.includes(spelling),
    )?.[0]
    if (target !== undefined) taken.add(target)
    return target === undefined
      ? { name, line: `# ${JSON.stringify(name)}: metadata.${spelling || 'key'}` }
      : { name, line: `${JSON.stringify(name)}: ${target}` }
  })
  const ignored = lines.filter(({ line }) => line.startsWith('#')).map(({ name }) => JSON.stringify(name))
  return [
    'columns:',
    ...lines.map(({ line }) => `  ${line}`),
    ...(ignored.length > 0 ? [`ignore: [${ignored.join(', ')}]`] : []),
    '',
  ].join('\n')
}
