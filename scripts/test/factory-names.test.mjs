import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseSync } from 'oxc-parser'
import { expect, it } from 'vitest'

const ROOT = new URL('../../', import.meta.url)
const NOT_PRODUCT = /\.(test|soak|images|interop|upgrade|kubernetes)\.|\/test\/|^packages\/testing\//

const isFunction = (node) => /^(FunctionExpression|ArrowFunctionExpression)$/.test(node?.type)
const withoutTypes = (node) =>
  /^(TSAs|TSSatisfies|Parenthesized)/.test(node?.type) ? withoutTypes(node.expression) : node

/** Whether a function that is not async returns a function, by an expression or by the name of an inner one. */
function returnsFunction({ async: isAsync, body }) {
  if (isAsync) return false
  if (body.type !== 'BlockStatement') return isFunction(withoutTypes(body))
  const inner = body.body.filter(({ type }) => type === 'FunctionDeclaration').map(({ id }) => id.name)
  const returns = (node) => {
    if (node === null || typeof node !== 'object') return false
    if (node.type === 'ReturnStatement') {
      const value = withoutTypes(node.argument)
      return isFunction(value) || (value?.type === 'Identifier' && inner.includes(value.name))
    }
    return !/Function|^Class/.test(node.type ?? '') && Object.values(node).some(returns)
  }
  return returns(body)
}

/** The functions at the top of a file that return a function and whose name does not begin with `create` or `start`. */
function wronglyNamed(path, source) {
  return parseSync(path, source).program.body.flatMap((statement) => {
    const declaration = statement.declaration ?? statement
    const found =
      declaration?.type === 'FunctionDeclaration'
        ? [{ name: declaration.id?.name ?? '', made: declaration }]
        : (declaration?.declarations ?? []).map(({ id, init }) => ({
            name: id.name,
            made: withoutTypes(init),
          }))
    return found
      .filter(({ name, made }) => made?.body && returnsFunction(made) && !/^(create|start)[A-Z]/.test(name))
      .map(({ name }) => `${path}: ${name}`)
  })
}

it('finds functions that return a function, in each form of the language', () => {
  const source = `
    export function finder() { return (id) => id }
    export const checker = () => async () => 1
    function inner() { function work() {} if (true) { return work } }
    export function createFinder() { return () => 1 }
    export async function load() { return () => 1 }
    export function list() { return [1].map((one) => one) }`
  expect(wronglyNamed('a.ts', source)).toEqual(['a.ts: finder', 'a.ts: checker', 'a.ts: inner'])
})

it('finds no function of the product that returns a function without a name that begins with create or start', () => {
  const paths = execFileSync('git', ['ls-files', 'apps/**/*.ts', 'packages/**/*.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter((path) => !NOT_PRODUCT.test(path))
  expect(paths.length).toBeGreaterThan(500)
  expect(paths.flatMap((path) => wronglyNamed(path, readFileSync(new URL(path, ROOT), 'utf8')))).toEqual([])
})
