import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

// The highest one takes seven seconds of a first `npm start`, this one a third of a second for files of 8 % more.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

/** Writes each file in the two encodings that browsers ask for, so that the server compresses nothing. */
export const compress: Plugin = {
  name: 'compress',
  apply: 'build',
  writeBundle({ dir = 'dist' }) {
    for (const file of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(?:html|js|css)$/.test(file)) continue
      const content = readFileSync(join(dir, file))
      writeFileSync(join(dir, `${file}.gz`), gzipSync(content, { level: 9 }))
      writeFileSync(join(dir, `${file}.br`), brotliCompressSync(content, BROTLI))
    }
  },
}

// `pnpm --filter @signet/console dev` shows changes at once, against the instance that this variable names.
const { SIGNET_ISSUER: issuer = 'http://localhost:8080' } = process.env

export default defineConfig({
  base: '/console/',
  plugins: [react(), compress],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    // The polyfill is an inline script, which the page's policy refuses.
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: Object.fromEntries(
      [
        '/oauth',
        '/oidc',
        '/ui',
        '/.well-known',
        '/management',
        '/admin',
        '/v2',
        '/console/api-reference/',
      ].map((path) => [path, { target: issuer, changeOrigin: false }]),
    ),
  },
})
