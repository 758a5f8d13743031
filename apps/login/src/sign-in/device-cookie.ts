import { createMasterKeyMac } from '@signet/tokens/master-key-mac'
import type { RandomBytes } from '../sessions/browser.ts'

/**
 * What a browser keeps of the accounts that it signed in: strangers who guess passwords of an account cannot keep such a
 * browser out of it. The cookie names nobody.
 */
export interface DeviceCookies {
  /** What this browser is known by to the account; undefined when it did not sign the account in. */
  find(cookie: string | undefined, deviceKey: string): string | undefined
  /** The cookie of a browser that has just signed the account in, with what it says of others. */
  issue(cookie: string | undefined, deviceKey: string): string
}

interface DeviceCookieOptions {
  readonly masterKeys: readonly Buffer[]
  readonly now: () => Date
  readonly random: RandomBytes
}

export const DEVICE_COOKIE_SECONDS = 90 * 24 * 60 * 60

/** Far below the 4 KiB that browsers keep of a cookie. */
const MOST_ACCOUNTS = 10
// random.until.mac, joined by `~`.
const ENTRY = /^([A-Za-z0-9_-]{22})\.([0-9]{10})\.([A-Za-z0-9_-]{43})$/

/** `deviceKey` is the directory's name for the account; it changes when the password is reset. */
export function createDeviceCookies({ masterKeys, now, random }: DeviceCookieOptions): DeviceCookies {
  const mac = createMasterKeyMac(masterKeys, 'signet device cookie')
  const textOf = (deviceKey: string, device: string, until: string) => `${deviceKey}.${device}.${until}`
  const nowSeconds = () => Math.floor(now().getTime() / 1000)

  function entriesOf(cookie: string | undefined): readonly (readonly [string, string, string, string])[] {
    return (cookie ?? '').split('~', MOST_ACCOUNTS).flatMap((entry) => {
      const [, device = '', until = '', tag = ''] = ENTRY.exec(entry) ?? []
      return Number(until) > nowSeconds() ? [[entry, device, until, tag] as const] : []
    })
  }

  const isOf = (deviceKey: string, [, device, until, tag]: readonly [string, string, string, string]) =>
    mac.matches(textOf(deviceKey, device, until), Buffer.from(tag, 'base64url'))

  return {
    find: (cookie, deviceKey) =>
      deviceKey === '' ? undefined : entriesOf(cookie).find((entry) => isOf(deviceKey, entry))?.[1],
    issue(cookie, deviceKey) {
      const device = random(16).toString('base64url')
      const until = `${nowSeconds() + DEVICE_COOKIE_SECONDS}`
      const tag = mac.of(textOf(deviceKey, device, until)).toString('base64url')
      const others = entriesOf(cookie).filter((entry) => !isOf(deviceKey, entry))
      return [`${device}.${until}.${tag}`, ...others.map(([entry]) => entry)]
        .slice(0, MOST_ACCOUNTS)
        .join('~')
    },
  }
}
