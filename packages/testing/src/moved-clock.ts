// Loaded with `node --import` by tests only: moves Date and performance.now on by the milliseconds that stand in the
// file of the query parameter `file`, read again every 20 ms, and Date alone by those of the file with `.<pid>` behind its name,
// where there is one. Timers and the clocks of other programs stay as they are.
import { existsSync, readFileSync } from 'node:fs'

const READ_AGAIN_MS = 20
const file = new URL(import.meta.url).searchParams.get('file')
if (file !== null) moveClocks(file)

function moveClocks(path: string): void {
  const RealDate = Date
  const realElapsed = performance.now.bind(performance)
  const ownPath = `${path}.${process.pid}`
  let offsetMs = 0
  let ownMs = 0
  let readAt = Number.NEGATIVE_INFINITY
  const offset = () => {
    const at = realElapsed()
    if (at - readAt > READ_AGAIN_MS) {
      readAt = at
      offsetMs = Number(readFileSync(path, 'utf8'))
      ownMs = existsSync(ownPath) ? Number(readFileSync(ownPath, 'utf8')) : 0
    }
    return offsetMs
  }
  const movedNow = () => RealDate.now() + offset() + ownMs
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, caller) =>
      Reflect.construct(target, args.length === 0 ? [movedNow()] : args, caller),
    apply: () => new RealDate(movedNow()).toString(),
    get: (target, name) => (name === 'now' ? movedNow : Reflect.get(target, name)),
  })
  performance.now = () => realElapsed() + offset()
}
