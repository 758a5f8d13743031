import { readFileSync } from 'node:fs'
import {
  LOGIN_TEXT_SCREENS,
  loginTextLimit,
  PAGE_TEXTS,
  whyLoginTextDoesNotAct,
} from '@signet/protocol/login-texts'
import { expect, it } from 'vitest'
import { TEXTS } from '../../apps/login/src/pages/texts/languages.ts'

const page = readFileSync(new URL('../guides/page-texts.md', import.meta.url), 'utf8')

const rowsBelow = (heading: string): readonly string[] => {
  const [, below = ''] = page.split(`\n## ${heading}\n`)
  const [section = ''] = below.split('\n## ')
  return [...section.matchAll(/^\| .*`.* \|$/gm)].map(([row]) => row)
}

const english = (key: string) =>
  key.split('.').reduce<unknown>((node, name) => (node as Readonly<Record<string, unknown>>)[name], TEXTS.en)

it('the guide has the default and the limit of each text that acts', () => {
  const rows = Object.entries(PAGE_TEXTS).map(([text, key]) => {
    const [, name = ''] = text.split('.')
    return `| \`${text}\` | ${english(key) || '(nothing)'} | ${loginTextLimit(name)} |`
  })
  expect(rowsBelow('Texts that act')).toEqual(rows)
})

it('the guide names each text that does not act, with the reason', () => {
  const byReason = new Map<string, string[]>()
  for (const [screen, names] of Object.entries(LOGIN_TEXT_SCREENS)) {
    const reasons = names.map((name) => [name, whyLoginTextDoesNotAct(screen, name)] as const)
    const all = new Set(reasons.map(([, reason]) => reason))
    for (const reason of all) {
      if (reason === undefined) continue
      const those = reasons.filter(([, other]) => other === reason).map(([name]) => `\`${screen}.${name}\``)
      byReason.set(reason, [...(byReason.get(reason) ?? []), ...(all.size === 1 ? [`\`${screen}\``] : those)])
    }
  }
  const rows = [...byReason].map(([reason, texts]) => `| ${reason} | ${texts.join(', ')} |`)
  expect(rowsBelow('Texts that do not act')).toEqual(rows)
})
