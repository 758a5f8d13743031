// Names that say nothing about what is inside.
const DRAWERS = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'manager'])
const WHOLE_NAMES = new Set(['lib', 'handler', 'handlers', 'core', 'base'])

/**
 * @param {readonly string[]} paths
 * @returns {string[]} one line per violation
 */
export function checkPaths(paths) {
  return paths.flatMap((path) => {
    const names = path.split('/').map((segment) => segment.split('.')[0] ?? '')
    const word =
      names.find((name) => WHOLE_NAMES.has(name)) ??
      names.flatMap((name) => name.split('-')).find((part) => DRAWERS.has(part))
    return word === undefined ? [] : [`${path}: "${word}" says nothing; name it for what it does`]
  })
}
