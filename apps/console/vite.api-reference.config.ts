import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { compress } from './vite.config.ts'

/** The frame of the API reference: files of their own, which no other page of the console loads (decision 129). */
export default defineConfig({
  root: fileURLToPath(new URL('src/api-reference', import.meta.url)),
  base: '/console/api-reference/',
  plugins: [compress],
  resolve: {
    alias: {
      'scalar-bundle': fileURLToPath(
        new URL('browser/standalone.esm.js', import.meta.resolve('@scalar/api-reference/style.css')),
      ),
    },
  },
  build: {
    outDir: fileURLToPath(new URL('dist/api-reference', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The bundle is one large file, and says in a comment whose it is.
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: { output: { comments: { legal: true } } },
  },
})
