import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { SETTINGS } from './known-settings.ts'
import { isSecret } from './settings-fields.ts'

export type SettingName = keyof typeof SETTINGS
type SettingValue<N extends SettingName> = z.output<(typeof SETTINGS)[N]>

/** The settings named in K, and those in O, which may be undefined although other services require them. */
export type Settings<K extends SettingName, O extends SettingName = never> = {
  readonly [N in K]: SettingValue<N>
} & { readonly [N in O]: SettingValue<N> | undefined }

export type Environment = Readonly<Record<string, string | undefined>>

/** Settings that cannot be used; `problems` has one line for each, all of them. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/**
 * Reads the settings that one process asks for. An empty value means unset; a secret may come from the file that
 * `<NAME>_FILE` names. Every problem is reported at once in a `ConfigurationError`: a missing or invalid value, and
 * any `SIGNET_` name that no service knows.
 */
export function readSettings<K extends SettingName, O extends SettingName = never>(
  env: Environment,
  names: readonly K[],
  optionalNames: readonly O[] = [],
): Settings<K, O> {
  const problems = unknownNames(env).map((name) => `${name}: is not a setting; ${adviceFor(name)}`)
  const values: Partial<Record<SettingName, unknown>> = {}
  const optional: ReadonlySet<SettingName> = new Set(optionalNames)
  for (const name of new Set<SettingName>([...names, ...optionalNames])) {
    try {
      const schema: z.ZodType = optional.has(name) ? SETTINGS[name].optional() : SETTINGS[name]
      const { data, error } = schema.safeParse(rawValue(env, name))
      if (error) problems.push(`${name}: ${error.issues.map(({ message }) => message).join('; ')}`)
      values[name] = data
    } catch (error) {
      if (!(error instanceof SettingProblem)) throw error
      problems.push(`${name}: ${error.message}`)
    }
  }
  if (problems.length > 0) throw new ConfigurationError(problems)
  return values as Settings<K, O>
}

/** A warning for each setting in use that another has replaced. */
export function retiredSettings(env: Environment): readonly string[] {
  return Object.entries(RETIRED)
    .filter(([name]) => env[name])
    .map(([name, successor]) => `${name}: is retired; use ${successor}`)
}

const RETIRED: Partial<Record<SettingName, SettingName>> = {
  SIGNET_REVOCATION_MIRROR: 'SIGNET_REVOCATION_LOG',
}

/** The text of a setting, from its file too; undefined also for what `readSettings` refuses to read. */
export function textOfSetting(env: Environment, name: SettingName): string | undefined {
  try {
    return rawValue(env, name)
  } catch (error) {
    if (!(error instanceof SettingProblem)) throw error
    return undefined
  }
}

class SettingProblem extends Error {}

function rawValue(env: Environment, name: SettingName): string | undefined {
  const value = isKubernetesLink(name, env[name] ?? '') ? undefined : env[name] || undefined
  const file = isSecret(SETTINGS[name]) ? env[`${name}_FILE`] || undefined : undefined
  if (file === undefined) return value
  if (value !== undefined) throw new SettingProblem(`is given twice, also as ${name}_FILE; keep one`)
  try {
    // Editors and `echo` end a file with a line break that is no part of the secret.
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '') || undefined
  } catch (error) {
    throw new SettingProblem(
      `cannot read the file that ${name}_FILE names (${(error as NodeJS.ErrnoException).code})`,
    )
  }
}

function unknownNames(env: Environment): string[] {
  return Object.keys(env).filter(
    (name) =>
      name.startsWith('SIGNET_') &&
      !name.startsWith('SIGNET_TEST_') &&
      !isSettingName(name) &&
      !isKubernetesLink(name, env[name] ?? ''),
  )
}

function adviceFor(name: string): string {
  const close = Object.keys(SETTINGS).find((known) => isCloseTo(known, name))
  return close === undefined ? 'remove it' : `did you mean ${close}?`
}

function isSettingName(name: string): boolean {
  if (Object.hasOwn(SETTINGS, name)) return true
  const named = Object.entries(SETTINGS).find(([known]) => name === `${known}_FILE`)
  return named !== undefined && isSecret(named[1])
}

/** Kubernetes gives every pod the addresses of the services in its namespace, under the services' names. */
function isKubernetesLink(name: string, value: string): boolean {
  return (
    /^SIGNET_(\w+_)?SERVICE_(HOST|PORT(_\w+)?)$/.test(name) ||
    /^SIGNET_(\w+_)?PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
    (/^SIGNET_(\w+_)?PORT$/.test(name) && /^(tcp|udp|sctp):\/\//.test(value))
  )
}

/** Whether at most two letters were left out, added or changed: near enough to be a slip of the fingers. */
export function isCloseTo(intended: string, written: string): boolean {
  let previous = Array.from({ length: written.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...intended].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...written].entries()) {
      const changed = (previous[column] ?? 0) + (letter === other ? 0 : 1)
      current.push(Math.min(changed, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return (previous.at(-1) ?? 0) <= 2
}
