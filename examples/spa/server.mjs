// A single-page application on http://localhost:5173 that signs people in through Signet with oidc-client-ts.
// This server only hands out files; everything happens in public/app.js.
//
//   SIGNET_ISSUER=http://localhost:8080 npm run example:spa

import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'

const issuer = new URL(process.env.SIGNET_ISSUER ?? 'http://localhost:8080').origin
const port = Number(process.env.PORT ?? 5173)

const own = (name) => readFile(new URL(`public/${name}`, import.meta.url))
// The build that a script element loads; it defines the global `oidc`.
const library = new URL('../browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts'))

const html = { type: 'text/html; charset=utf-8', content: await own('index.html') }
const files = {
  '/': html,
  '/callback': html,
  '/app.js': { type: 'text/javascript', content: await own('app.js') },
  '/oidc-client-ts.js': { type: 'text/javascript', content: await readFile(library) },
  '/settings.json': { type: 'application/json', content: JSON.stringify({ issuer }) },
}

// The page holds tokens: it runs only its own scripts, and connects only to Signet.
const policy = `default-src 'none'; script-src 'self'; connect-src 'self' ${issuer}; base-uri 'none'; frame-ancestors 'none'`

createServer((req, res) => {
  const { pathname } = new URL(req.url ?? '/', 'http://localhost')
  const file = files[pathname]
  if (file === undefined) return void res.writeHead(404).end()
  res.writeHead(200, { 'Content-Type': file.type, 'Content-Security-Policy': policy }).end(file.content)
}).listen(port, 'localhost', () => console.log(`open http://localhost:${port}`))
