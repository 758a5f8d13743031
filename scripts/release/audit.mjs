// @ts-check
// Known vulnerabilities of the installed packages, from the registry through `pnpm audit`.
import { readFileSync } from 'node:fs'
import { Problem, run } from '../processes.mjs'

const ALLOWED = new URL('allowed-advisories.json', import.meta.url)
const REFUSED = ['high', 'critical']

/**
 * @typedef {{ github_advisory_id: string, module_name: string, severity: string, title: string }} Advisory
 * @typedef {{ id: string, reason: string, expires: string }} Allowance `expires` is the last day on which it counts.
 */

/**
 * Asks the registry. Throws a Problem for advisories of high severity that allowed-advisories.json does not allow, and for
 * entries of that file without a reason or a day on which they end.
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, today: string, registry?: string }} options `today` as YYYY-MM-DD
 * @returns {Promise<string>} one sentence with the result, also where no registry answered
 */
export async function audit({ cwd, env, today, registry }) {
  const args = ['audit', '--prod', '--json', ...(registry ? ['--registry', registry] : [])]
  const { code, output } = await run('pnpm', args, { cwd, env, output: 'capture' })
  const advisories = advisoriesIn(output)
  if (advisories === undefined) {
    const [problem = `code ${code}`] = /ERR_PNPM_\w+/.exec(output) ?? []
    return `not audited: no registry answered (${problem})`
  }
  const refused = refusedAdvisories(advisories, JSON.parse(readFileSync(ALLOWED, 'utf8')), today)
  if (refused.length > 0) throw new Problem(refused.join('\n'))
  return `audited: ${advisories.length} advisories, none of high severity that is not allowed`
}

/** Undefined when it is no answer of a registry. @param {string} output @returns {Advisory[] | undefined} */
function advisoriesIn(output) {
  try {
    const { advisories } = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1))
    return advisories && Object.values(advisories)
  } catch {
    return undefined
  }
}

/**
 * Returns a line for each advisory of high or critical severity that no allowance of today covers, and for each
 * faulty allowance.
 * @param {readonly Advisory[]} advisories
 * @param {readonly Allowance[]} allowances
 * @param {string} today
 */
export function refusedAdvisories(advisories, allowances, today) {
  const faulty = allowances.filter(
    ({ id, reason, expires }) => !id || !reason?.trim() || !/^\d{4}-\d\d-\d\d$/.test(expires),
  )
  const allowed = allowances.filter((entry) => !faulty.includes(entry) && entry.expires >= today)
  const refused = advisories.filter(
    ({ severity, github_advisory_id: id }) =>
      REFUSED.includes(severity) && !allowed.some((entry) => entry.id === id),
  )
  return [
    ...faulty.map(
      ({ id }) =>
        `allowed-advisories.json: "${id}" needs \`id\`, \`reason\` and \`expires\` (YYYY-MM-DD); correct the entry`,
    ),
    ...refused.map(
      ({ github_advisory_id: id, module_name: name, severity, title }) =>
        `${id} (${severity}) in ${name}: ${title}; update it, or allow it in scripts/release/allowed-advisories.json`,
    ),
  ]
}
