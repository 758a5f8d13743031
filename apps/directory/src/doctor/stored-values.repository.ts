import { columnsOf, type Fields, type Kind } from '@signet/protocol/fields/field'
import { ADDRESS_FIELDS, PROFILE_FIELDS } from '@signet/protocol/fields/person'

// The statements of the doctor about stored values that the rules of today refuse. SQL cannot apply every rule as
// @signet/protocol/member-values has it, so they find what is certain.

/** Control characters, those that change the direction, and invisible ones that are no part of a letter or an emoji. */
const invisible = (lineBreaks: string) =>
  `'[\\u0001-\\u0008${lineBreaks}\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\u2800\\ufeff]'`
const NOT_SHOWN = invisible('\\u0009\\u000a\\u000d')
const NOT_SHOWN_IN_LINES = invisible('\\u0009')

const names = (columns: readonly string[]) =>
  columns.map((column) => `('${column}', u.${column} ~ ${NOT_SHOWN})`).join(', ')
const links = (columns: readonly string[]) =>
  columns
    .map((column) => `('${column}', u.${column} !~* '^https?://[^/?#]' OR u.${column} ~ ${NOT_SHOWN})`)
    .join(', ')

const PERSON_FIELDS: Fields = { ...PROFILE_FIELDS, ...ADDRESS_FIELDS }
const ofKind = (...kinds: readonly Kind[]) =>
  Object.values(PERSON_FIELDS).flatMap(({ kind, column }) => (kinds.includes(kind) ? [column] : []))
const PERSON_NAMES = ofKind('name', 'gender')
const PERSON_LINKS = ofKind('webUrl')

/** The last day of the month of a birthdate as text; of the year 0000, too, which has a 29 February. */
const LAST_DAY = `CASE WHEN substr(u.birthdate, 6, 2) IN ('04', '06', '09', '11') THEN '30'
       WHEN substr(u.birthdate, 6, 2) <> '02' THEN '31'
       WHEN substr(u.birthdate, 1, 4)::int % 4 = 0
            AND (substr(u.birthdate, 1, 4)::int % 100 <> 0 OR substr(u.birthdate, 1, 4)::int % 400 = 0) THEN '29'
       ELSE '28' END`
const NO_BIRTHDATE = `CASE WHEN u.birthdate !~ '^[0-9]{4}(-[0-9]{2}-[0-9]{2})?$' THEN true
       WHEN length(u.birthdate) = 4 THEN false
       ELSE substr(u.birthdate, 6, 2) NOT BETWEEN '01' AND '12' OR substr(u.birthdate, 9, 2) NOT BETWEEN '01' AND ${LAST_DAY} END`

/** PostgreSQL has the zones of the same database; offsets are no names in it. */
const NO_TIME_ZONE = `lower(u.zoneinfo) NOT IN (SELECT lower(name) FROM pg_timezone_names)
       AND u.zoneinfo !~ '^[+-][0-9]{2}(:?[0-9]{2})?$'`

const LANGUAGE_FORM = `'^([A-Za-z]{2,3}|[A-Za-z]{5,8})(-[A-Za-z0-9]{1,8})*$'`

const POLICY_LINKS = ['tosLink', 'privacyLink', 'helpLink', 'docsLink', 'customLink', 'defaultRedirectUri']

/** Members of people and objects whose value neither the API, a file nor an import would take. */
export const REFUSED_VALUE = `
    SELECT 'user' AS kind, u.user_id AS id, u.organization_id, 'member ' || m.name AS detail
      FROM directory.account u, LATERAL (VALUES ${names(PERSON_NAMES)},
           ${links(PERSON_LINKS)},
           ('street_address', u.street_address ~ ${NOT_SHOWN_IN_LINES}),
           ('birthdate', ${NO_BIRTHDATE}),
           ('zoneinfo', ${NO_TIME_ZONE}),
           ('preferred_language', u.preferred_language !~ ${LANGUAGE_FORM})
           ) AS m (name, is_refused)
     WHERE m.is_refused
       -- 3 us instead of 14 for a person with names and a language alone.
       AND (concat_ws(' ', ${PERSON_NAMES.map((column) => `u.${column}`).join(', ')}) ~ ${NOT_SHOWN}
            OR u.preferred_language !~ ${LANGUAGE_FORM} OR num_nonnulls(${PERSON_LINKS.map((column) => `u.${column}`).join(', ')},
                 u.street_address, u.birthdate, u.zoneinfo) > 0)
     UNION ALL
    SELECT 'organization', organization_id, organization_id, 'member name'
      FROM directory.organization WHERE name ~ ${NOT_SHOWN}
     UNION ALL
    SELECT 'organization', p.organization_id, p.organization_id, 'member ' || m.key || ' of its ' || p.kind || ' policy'
      FROM directory.organization_policy p, jsonb_each_text(p.document) AS m
     WHERE m.key IN (${POLICY_LINKS.map((member) => `'${member}'`).join(', ')})
       AND m.value <> '' AND m.value !~* '^https?://[^/?#]'
     UNION ALL
    SELECT 'project', project_id, organization_id, 'member name' FROM directory.project WHERE name ~ ${NOT_SHOWN}
     UNION ALL
    SELECT 'project', p.project_id, p.organization_id, 'a name of a role'
      FROM directory.project_role r JOIN directory.project p USING (project_id)
     WHERE r.role_key ~ ${NOT_SHOWN} OR r.display_name ~ ${NOT_SHOWN} OR r.role_group ~ ${NOT_SHOWN}
     UNION ALL
    SELECT 'application', a.application_id, p.organization_id, 'member name'
      FROM directory.application a JOIN directory.project p USING (project_id) WHERE a.name ~ ${NOT_SHOWN}`

/** Regular expression equal to `isPlaceholder`. */
const PLACEHOLDER = String.raw`'\$\{|\$\(|##\w+##|@@\w+@@|\{\{.*\}\}'`
const VARIABLE = String.raw`'\{\{\s*\.\w+\s*\}\}'`

interface Rows {
  readonly kind: string
  readonly table: string
  readonly id: string
  readonly join?: string
  readonly organization: string
  /** The text of the row, or of the columns that can hold one. */
  readonly text?: string
}

const inRows = ({ kind, table, id, join = '', organization, text = 't::text' }: Rows) => `
    SELECT '${kind}' AS kind, t.${id} AS id, ${organization} AS organization_id, 'member ' || m.key AS detail
      FROM directory.${table} t ${join}, jsonb_each_text(to_jsonb(t)) AS m
     WHERE ${text} ~ ${PLACEHOLDER} AND m.value ~ ${PLACEHOLDER}`

const OF_PROJECT = 'JOIN directory.project p USING (project_id)'

const ACCOUNT_TEXTS = [
  ...['user_id', 'user_name', 'email', 'phone_number'],
  ...Object.values(columnsOf(PERSON_FIELDS)),
]

/** Members with a text that a deployment should have filled in. */
export const PLACEHOLDER_VALUE = [
  inRows({
    ...{ kind: 'user', table: 'account', id: 'user_id', organization: 't.organization_id' },
    text: `concat_ws(' ', ${ACCOUNT_TEXTS.map((column) => `t.${column}`).join(', ')})`,
  }),
  inRows({
    kind: 'organization',
    table: 'organization',
    id: 'organization_id',
    organization: 't.organization_id',
  }),
  inRows({ kind: 'project', table: 'project', id: 'project_id', organization: 't.organization_id' }),
  inRows({
    kind: 'project',
    table: 'project_role',
    id: 'project_id',
    join: OF_PROJECT,
    organization: 'p.organization_id',
  }),
  inRows({
    kind: 'application',
    table: 'application',
    id: 'application_id',
    join: OF_PROJECT,
    organization: 'p.organization_id',
  }),
  `
    SELECT 'organization', p.organization_id, p.organization_id, 'member ' || m.key || ' of its ' || p.kind || ' policy'
      FROM directory.organization_policy p, jsonb_each_text(p.document) AS m
     WHERE regexp_replace(m.value, ${VARIABLE}, '', 'g') ~ ${PLACEHOLDER}`,
  `
    SELECT 'user', m.user_id, u.organization_id, 'metadata ' || m.key
      FROM directory.user_metadata m JOIN directory.account u USING (user_id)
     WHERE encode(m.value, 'escape') ~ ${PLACEHOLDER} OR m.key ~ ${PLACEHOLDER}`,
  `
    SELECT 'organization', organization_id, organization_id, 'metadata ' || key
      FROM directory.organization_metadata WHERE encode(value, 'escape') ~ ${PLACEHOLDER} OR key ~ ${PLACEHOLDER}`,
].join(`
     UNION ALL`)

/** Secrets are stored as hashes, so only texts that can be made again are found. */
const GUESSED = `SELECT b || variable || e FROM (VALUES ('\${', '}'), ('\${env.', '}'), ('$(env:', ')'), ('$(', ')'), ('##', '##'),
                    ('@@', '@@'), ('{{', '}}'), ('{{ ', ' }}')) AS form (b, e),
                  unnest(ARRAY[n.name || '_CLIENT_SECRET', n.name || '_SECRET', 'CLIENT_SECRET_' || n.name, 'SECRET_' || n.name,
                               'CLIENT_SECRET', 'OIDC_CLIENT_SECRET', 'KEYCLOAK_CLIENT_SECRET']) AS variable
            UNION ALL
           SELECT rtrim(repeat(sample || separator, times), separator)
             FROM unnest(ARRAY['changeme', 'change-me', 'change_me', 'changeit', 'replaceme', 'replace-me', 'secret',
                               'password', 'example', 'your-client-secret']) AS sample,
                  unnest(ARRAY['', '-', '_']) AS separator, generate_series(1, 5) AS times`

const guessable = (kind: string, table: string, owners: string, id: string) => `
    SELECT DISTINCT '${kind}' AS kind, s.${id} AS id, o.organization_id, 'client_id ' || c.client_id AS detail
      FROM directory.${table} s ${owners},
           LATERAL (SELECT upper(regexp_replace(c.client_id, '[^A-Za-z0-9]+', '_', 'g')) AS name) AS n (name),
           LATERAL (${GUESSED}) AS g (secret)
     WHERE s.hash = 'sha256$' || rtrim(translate(encode(sha256(convert_to(g.secret, 'UTF8')), 'base64'), '+/', '-_'), '=')`

/** Client secrets that are a placeholder named after the client, or a sample. */
export const GUESSABLE_SECRET = [
  guessable(
    'application',
    'application_secret',
    'JOIN directory.application c USING (application_id) JOIN directory.project o USING (project_id)',
    'application_id',
  ),
  guessable(
    'user',
    'service_user_secret',
    'JOIN directory.service_user c USING (user_id) JOIN directory.account o USING (user_id)',
    'user_id',
  ),
].join(`
     UNION ALL`)
