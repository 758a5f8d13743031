const MOST_ORGANIZATIONS = 100

/** An organization of an archive. */
interface ShownOrganization {
  readonly id: string
  readonly name: string
  readonly people: number
  readonly serviceUsers: number
}

/** Counts what an archive holds, without any value of a credential. */
export function createArchiveSummary() {
  const organizations: ShownOrganization[] = []
  const credentials = new Map<string, number>()
  let hidden = 0
  let people = 0
  let serviceUsers = 0

  const count = (kind: string, isThere: boolean) => {
    if (isThere) credentials.set(kind, (credentials.get(kind) ?? 0) + 1)
  }

  return {
    organization(members: Readonly<Record<string, unknown>>): void {
      const shown = { id: textOf(members.orgId), name: textOf(memberOf(members.org, 'name')) }
      if (organizations.length < MOST_ORGANIZATIONS) organizations.push({ ...shown, people, serviceUsers })
      else hidden += 1
      people = 0
      serviceUsers = 0
    },
    record(list: string, record: unknown): void {
      if (list === 'humanUsers') people += 1
      if (list === 'machineUsers') serviceUsers += 1
      const user = memberOf(record, 'user')
      const hash = memberOf(memberOf(user, 'hashedPassword'), 'value')
      count(`password hash ${kindOf(hash)}`, hash !== undefined)
      count('password in clear text', memberOf(user, 'password') !== undefined)
      const hasTotp = ['otpCode', 'totpDevices'].some((name) => memberOf(user, name) !== undefined)
      count('TOTP secrets of a person', hasTotp)
      const secret = [record, memberOf(record, 'app')].some(
        (part) => memberOf(part, 'clientSecretHash') !== undefined,
      )
      count('client secret hash', secret)
      count('secret of an identity provider', memberOf(memberOf(record, 'idp'), 'clientSecret') !== undefined)
    },
    /** The first organizations; `hidden` is the number of the others. */
    organizations: () => ({ shown: organizations, hidden }),
    credentials: (): ReadonlyMap<string, number> => credentials,
  }
}

/** The name of the algorithm, which is the part of an encoded hash that is no secret. */
function kindOf(hash: unknown): string {
  return /^\$([a-z0-9-]{1,16})\$/i.exec(textOf(hash))?.[1] ?? 'of another form'
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
