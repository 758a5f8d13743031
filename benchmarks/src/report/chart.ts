import type { LoadResult } from './results.ts'

const BAR = { height: 14, gap: 3, left: 220, width: 520 }
const ROW_GAP = 14
const COLORS = { signet: '#2563eb', peer: '#9ca3af', limit: '#d1d5db' }
const NAMES = { signet: 'Signet', peer: 'node-oidc-provider', limit: 'limit' }

/** Operations a second as bars, each row to its own scale: only what stands in one row can be compared. */
export function chartOf(results: readonly LoadResult[]): string {
  const parts: string[] = []
  let y = 34
  for (const { name, contenders } of results) {
    const most = Math.max(...contenders.map(({ perSecond }) => perSecond.median))
    parts.push(text(BAR.left - 10, y + 11, name, 'end'))
    for (const contender of contenders) {
      const width = Math.max(1, Math.round((contender.perSecond.median / most) * BAR.width))
      const rate = Math.round(contender.perSecond.median).toLocaleString('en-US')
      parts.push(
        `<rect x="${BAR.left}" y="${y}" width="${width}" height="${BAR.height}" fill="${COLORS[contender.name]}"/>`,
        text(BAR.left + width + 6, y + 11, rate, 'start'),
      )
      y += BAR.height + BAR.gap
    }
    y += ROW_GAP
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 ${y}" font-family="sans-serif" font-size="11">`,
    `<title>Operations a second of each row</title>`,
    `<rect width="820" height="${y}" fill="#ffffff"/>`,
    ...legend(),
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

function legend(): readonly string[] {
  return (['signet', 'peer', 'limit'] as const).flatMap((name, index) => {
    const x = BAR.left + index * 170
    return [
      `<rect x="${x}" y="8" width="10" height="10" fill="${COLORS[name]}"/>`,
      text(x + 16, 17, NAMES[name], 'start'),
    ]
  })
}

function text(x: number, y: number, content: string, anchor: 'start' | 'end'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#111827">${content}</text>`
}
