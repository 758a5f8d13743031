import type { PolicyName } from './policy-members.ts'

/** The settings of the instance that the policies of an organization can be stricter than, and not more lenient. */
export interface PolicyFloors {
  readonly passwordMinLength: number
  /** Of attempts 0 means any number. */
  readonly maxPasswordAttempts: number
  readonly maxOtpAttempts: number
}

interface Floor {
  readonly setting: keyof PolicyFloors
  /** Why the value is more lenient than the setting; undefined when it is not. */
  readonly broken: (value: number, floor: number) => string | undefined
}

const tooShort: Floor['broken'] = (value, floor) =>
  value < floor ? `must be ${floor} or more: the instance asks for at least ${floor}` : undefined

const tooManyAttempts: Floor['broken'] = (value, floor) => {
  if (floor === 0 || (value !== 0 && value <= floor)) return undefined
  const meaning = value === 0 ? ', and 0 means any number' : ''
  return `must be between 1 and ${floor}: the instance lets at most ${floor} attempts fail before a wait${meaning}`
}

const FLOORS: { readonly [P in PolicyName]?: Readonly<Record<string, Floor>> } = {
  passwordComplexityPolicy: { minLength: { setting: 'passwordMinLength', broken: tooShort } },
  lockoutPolicy: {
    maxPasswordAttempts: { setting: 'maxPasswordAttempts', broken: tooManyAttempts },
    maxOtpAttempts: { setting: 'maxOtpAttempts', broken: tooManyAttempts },
  },
}

/** The members of a policy that are more lenient than the instance, with the rule that each breaks. */
export function brokenFloors(
  policy: PolicyName,
  document: Readonly<Record<string, unknown>>,
  floors: { readonly [F in keyof PolicyFloors]?: PolicyFloors[F] | undefined },
): readonly { readonly member: string; readonly rule: string }[] {
  return Object.entries(FLOORS[policy] ?? {}).flatMap(([member, { setting, broken }]) => {
    const [value, floor] = [document[member], floors[setting]]
    if (value === undefined || value === null || floor === undefined) return []
    const rule = broken(Number(value), floor)
    return rule === undefined ? [] : [{ member, rule: `${rule}; change settings.${setting} first` }]
  })
}
