import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('a service that moves no object loads no SDK', () => {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    await import('../../src/storage/open-object.ts')
    const sdk = /@aws-sdk|@google-cloud|google-auth-library|gaxios/
    console.log(JSON.stringify([loaded.length > 3, loaded.filter((url) => sdk.test(url))]))`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: new URL('.', import.meta.url),
    encoding: 'utf8',
  })
  expect(JSON.parse(output)).toEqual([true, []])
})
