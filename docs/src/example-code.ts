// `pnpm --filter @signet/docs generate:code`: writes the code of `examples/` into the pages that show it.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A comment names the file, relative to the page; the fenced block after it has the content of the file. */
const BLOCK = /^<!-- code of (\S+) -->\n\n(?:```\w*\n[\s\S]*?^```\n)?/gm

/** Words after the fence by extension, where the two differ. */
const LANGUAGES: Readonly<Record<string, string>> = { mjs: 'js', yml: 'yaml', py: 'python', cs: 'csharp' }

/** Path from the root of the repository → content, for each page that shows the code of an example. */
export function pagesWithCode(): Readonly<Record<string, string>> {
  const pages = globSync('docs/**/*.md', { cwd: ROOT, exclude: (name) => name.includes('node_modules') })
  const written = pages.map((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8')
    return [page, text.replaceAll(BLOCK, (_, file: string) => block(page, file)), text] as const
  })
  const shows = written.filter(([, , text]) => text.search(BLOCK) !== -1)
  return Object.fromEntries(shows.map(([page, content]) => [page, content]))
}

function block(page: string, file: string): string {
  const code = readFileSync(join(ROOT, dirname(page), file), 'utf8')
  const extension = extname(file).slice(1)
  const language = LANGUAGES[extension] ?? extension
  return `<!-- code of ${file} -->\n\n\`\`\`${language}\n${code.trimEnd()}\n\`\`\`\n`
}

if (import.meta.main) {
  for (const [page, content] of Object.entries(pagesWithCode())) writeFileSync(join(ROOT, page), content)
}
