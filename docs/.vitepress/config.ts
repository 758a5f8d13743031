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
  if (file === 'docs/README.md') return 'contents.md'
  if (file === 'docs/home.md') return 'index.md'
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
  languageAlias: { mjs: 'js', promql: 'sql' },
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

/** An entry with the first heading of a page; `file` is its path below `docs/`, or from the root with a slash. */
function entry(file: string) {
  const path = file.startsWith('/') ? file.slice(1) : `docs/${file}`
  const [, heading = file] = /^# (.*)$/m.exec(readFileSync(join(ROOT, path), 'utf8')) ?? []
  return { text: heading.replaceAll('`', ''), link: `/${pageOf(path)}` }
}

/** An entry for each page of a folder of `docs/` beside its README.md, in the order of the headings. */
function entriesIn(folder: string) {
  return readdirSync(join(ROOT, 'docs', folder))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => entry(`${folder}/${name}`))
    .sort((a, b) => a.text.localeCompare(b.text, 'en'))
}

const inFolder = (folder: string, names: readonly string[]) =>
  names.map((name) => entry(`${folder}/${name}.md`))

/** Pages for people who change Signet, which the search leaves out. */
const OF_DEVELOPERS =
  /^(docs\/(decisions\/|spec-coverage\.md|fapi-coverage\.md)|packages\/|apps\/(?!cli\/README\.md)|e2e\/|benchmarks\/|deploy\/docker\/|(ARCHITECTURE|CONTRIBUTING|STYLE_GUIDE|CHANGELOG)\.md)/

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
/** Address of the published repository, such as https://git.example.com/signet; the site has no links to it when unset. */
const { SIGNET_DOCS_REPOSITORY: repository } = process.env

export default defineConfig({
  title: 'Signet',
  description: 'The sign-in of your applications: an OpenID provider that you run yourself',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/logo.svg' }]],
  srcDir: ROOT,
  outDir: join(ROOT, 'docs', 'dist'),
  cacheDir: join(ROOT, 'docs', '.vitepress', 'cache'),
  srcExclude: ['.tools/**', '.data/**', '**/test-results/**'],
  // Pages lie outside of this folder, where Vite finds no Vue.
  vite: { resolve: { alias: { vue: VUE } }, publicDir: join(ROOT, 'docs', 'public') },
  rewrites: pageOf,
  markdown,
  ignoreDeadLinks: 'localhostLinks',
  themeConfig: {
    logo: '/logo.svg',
    search: {
      provider: 'local',
      options: {
        _render(source, env, md) {
          const html = md.render(source, env)
          return OF_DEVELOPERS.test(env.relativePath) ? '' : html
        },
      },
    },
    outline: 'deep',
    nav: [
      { text: 'Quick starts', link: '/quickstarts/' },
      { text: 'Guides', link: '/guides/' },
      { text: 'Install', link: '/install-on-kubernetes' },
      { text: `Version ${version}`, link: '/CHANGELOG' },
    ],
    ...(repository && {
      socialLinks: [{ icon: 'git', link: repository }],
      editLink: { pattern: `${repository}/edit/main/:path`, text: 'Edit this page' },
    }),
    sidebar: [
      {
        text: 'Get started',
        items: [
          entry('/README.md'),
          entry('first-start.md'),
          entry('concepts.md'),
          entry('use-cases.md'),
          entry('what-signet-does-not-do.md'),
          entry('comparison.md'),
        ],
      },
      {
        text: 'Sign people in',
        items: [
          entry('my-sign-in-fails.md'),
          {
            text: 'Quick starts',
            collapsed: false,
            items: [entry('quickstarts/README.md'), ...entriesIn('quickstarts')],
          },
          entry('roles-and-groups.md'),
          ...inFolder('guides', [
            'why',
            'sign-out',
            'consent',
            'device',
            'pushed-requests',
            'signed-requests',
            'fapi',
          ]),
          ...inFolder('reference', ['tokens', 'scopes-and-claims', 'errors']),
          entry('/examples/README.md'),
        ],
      },
      {
        text: 'Manage',
        items: [
          entry('guides/README.md'),
          ...inFolder('guides', [
            'console',
            'console-tour',
            'applications',
            'people',
            'roles',
            'service-users',
            'secrets',
            'own-account',
          ]),
          entry('/apps/cli/README.md'),
          entry('reference/audit-log.md'),
        ],
      },
      {
        text: 'Customise',
        items: inFolder('guides', [
          ...['branding', 'page-texts', 'languages', 'email'],
          ...['passwords', 'passkeys', 'second-factors', 'identity-providers'],
        ]),
      },
      {
        text: 'Move in, move out',
        items: [
          entry('coming-from-elsewhere.md'),
          ...inFolder('runbooks', ['cut-over', 'run-a-migration']),
          entry('guides/move-an-organization.md'),
          entry('leaving.md'),
        ],
      },
      {
        text: 'Operate',
        items: [
          entry('install-on-kubernetes.md'),
          entry('/deploy/helm/signet/README.md'),
          entry('upgrades.md'),
          entry('scaling.md'),
          entry('runbooks/back-up-and-restore.md'),
          { text: 'Runbooks', collapsed: true, items: entriesIn('runbooks') },
          entry('benchmarks.md'),
          entry('beyond-one-primary.md'),
          entry('threat-model.md'),
        ],
      },
      {
        text: 'Reference',
        collapsed: true,
        items: [
          ...entriesIn('reference'),
          entry('glossary.md'),
          entry('sign-in-gates.md'),
          entry('spec/README.md'),
        ],
      },
      {
        text: 'Develop Signet',
        collapsed: true,
        items: [
          entry('/ARCHITECTURE.md'),
          entry('/CONTRIBUTING.md'),
          entry('releasing.md'),
          entry('spec-coverage.md'),
          entry('fapi-coverage.md'),
          {
            text: 'Decisions',
            collapsed: true,
            items: [entry('decisions/README.md'), ...entriesIn('decisions')],
          },
        ],
      },
    ],
  },
})
