import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type MarkdownOptions } from 'vitepress'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const VUE = dirname(createRequire(import.meta.resolve('vitepress')).resolve('vue/package.json'))

/** The page of a Markdown file: `docs/` is the top of the site, and README.md is the page of its folder. */
function pageOf(file: string): string {
  if (file === 'README.md') return 'about.md'
  return file.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md')
}

/**
 * Links are relative to the file, as Git hosts resolve them. Those to Markdown lead to its page; sources are not on the
 * site, so the text of a link to one stays without the link. A file that does not exist ends the build.
 */
function targetOf(file: string, href: string): { readonly page?: string } {
  const [path = '', hash] = href.split('#')
  const target = resolve(dirname(file), decodeURI(path))
  if (!existsSync(target)) throw new Error(`${relative(ROOT, file)}: there is no ${href}`)
  const markdown = [target, join(target, 'README.md')].find(
    (name) => name.endsWith('.md') && existsSync(name),
  )
  if (markdown === undefined) return {}
  return { page: `/${pageOf(relative(ROOT, markdown))}${hash === undefined ? '' : `#${hash}`}` }
}

const markdown: MarkdownOptions = {
  // Git hosts name headings like this; VitePress alone would write `_4-` for a heading that begins with 4.
  anchor: {
    slugify: (heading) =>
      heading
        .trim()
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
        .replaceAll(' ', '-'),
  },
  config: (md) => {
    // Vue would evaluate `{{…}}` in inline code.
    md.core.ruler.push('inline-code-is-text', ({ tokens }) => {
      for (const token of tokens.flatMap(({ children }) => children ?? []))
        if (token.type === 'code_inline') token.attrSet('v-pre', '')
    })
    md.core.ruler.push('links-of-the-repository', ({ tokens, env }) => {
      let isSource = false
      for (const token of tokens.flatMap(({ children }) => children ?? [])) {
        const href = token.attrGet('href')
        if (token.type === 'link_open' && href !== null && !/^([a-z]+:|[#/])/.test(href)) {
          const { page } = targetOf(env.realPath ?? env.path, href)
          isSource = page === undefined
          if (page === undefined) token.attrs = [['title', href]]
          else token.attrSet('href', page)
        }
        if (isSource && token.type.startsWith('link_')) token.tag = 'span'
        if (token.type === 'link_close') isSource = false
      }
    })
  },
}

/** An entry for each page of a folder, in the order of the file names, with its first heading. */
function pagesIn(folder: string) {
  return readdirSync(join(ROOT, 'docs', folder))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort()
    .map((name) => {
      const [heading = ''] = readFileSync(join(ROOT, 'docs', folder, name), 'utf8').split('\n')
      return { text: heading.replace(/^# /, '').replaceAll('`', ''), link: `/${folder}/${name}` }
    })
}

const page = (text: string, link: string) => ({ text, link })

export default defineConfig({
  title: 'Signet',
  description: 'An OpenID Connect and OAuth 2.0 identity provider as a suite of small services',
  srcDir: ROOT,
  outDir: join(ROOT, 'docs', 'dist'),
  cacheDir: join(ROOT, 'docs', '.vitepress', 'cache'),
  srcExclude: ['.tools/**', '.data/**', '**/test-results/**'],
  // Pages lie outside of this folder, where Vite finds no Vue.
  vite: { resolve: { alias: { vue: VUE } } },
  rewrites: pageOf,
  markdown,
  ignoreDeadLinks: 'localhostLinks',
  themeConfig: {
    search: { provider: 'local' },
    outline: 'deep',
    sidebar: [
      {
        text: 'Start',
        items: [
          page('Overview', '/'),
          page('What Signet is', '/about'),
          page('Coming from elsewhere', '/coming-from-elsewhere'),
          page('Leaving Signet', '/leaving'),
        ],
      },
      { text: 'Quick starts', items: [page('All', '/quickstarts/'), ...pagesIn('quickstarts')] },
      { text: 'Concepts', link: '/concepts' },
      {
        text: 'Reference',
        collapsed: true,
        items: [
          page('Scopes and claims', '/reference/scopes-and-claims'),
          page('Errors', '/reference/errors'),
          page('Rate limits', '/reference/rate-limits'),
          page('What ends with what', '/reference/endings'),
          page('Keys in Redis', '/reference/redis-keys'),
          page('Work that waits', '/reference/work-that-waits'),
          page('WebAuthn', '/reference/webauthn'),
          page('Password hashes', '/reference/password-hashes'),
          page('Export format', '/reference/export-format'),
          page('Members of the export format', '/reference/export-members'),
          page('Roles and groups', '/roles-and-groups'),
          page('Command line', '/apps/cli/'),
          page('Gates of a sign-in', '/sign-in-gates'),
          page('Specification', '/spec/'),
          page('Glossary', '/glossary'),
          page('Examples', '/examples/'),
        ],
      },
      { text: 'Guides', items: [page('All', '/guides/'), ...pagesIn('guides')] },
      {
        text: 'Operate',
        collapsed: true,
        items: [
          page('Helm chart', '/deploy/helm/signet/'),
          page('Upgrades', '/upgrades'),
          page('Releasing', '/releasing'),
          page('Scaling', '/scaling'),
          page('Benchmarks', '/benchmarks'),
          page('Threat model', '/threat-model'),
          ...pagesIn('runbooks'),
        ],
      },
      { text: 'Decisions', collapsed: true, items: [page('All', '/decisions/'), ...pagesIn('decisions')] },
    ],
  },
})
