// `pnpm --filter @signet/deployment generate:deploy`: writes what deploy/ has from the code.
import { writeFileSync } from 'node:fs'
import { generatedFiles } from '../src/generated-files.ts'

const root = new URL('../../../', import.meta.url)
for (const [path, content] of Object.entries(generatedFiles(root)))
  writeFileSync(new URL(path, root), content)
