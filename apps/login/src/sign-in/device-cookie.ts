import { createMasterKeyMac } from '@signet/tokens/master-key-mac'
import type { RandomBytes } from '../sessions/browser.ts'

/**
 * The accounts that a browser signed in to before. Failed passwords from other browsers do not lock such a browser out.
 * The cookie contains no names.
 */
export interface DeviceCookies {
  /** Returns the device id of this browser for the account; undefined when it did not sign in to the account. */
  find(cookie: string | undefined, deviceKey: string): string | undefined
  /** Returns the cookie after a sign-in to the account, with the entries of other accounts. */
  issue(cookie: string | undefined, deviceKey: string): string
}

interface DeviceCookieOptions {
  readonly masterKeys: readonly Buffer[]
  readonly now: () => Date
  readonly random: RandomBytes
}

export const DEVICE_COOKIE_SECONDS = 90 * 24 * 60 * 60

/** Far below the limit of 4 KiB for a cookie. */
const MAX_ACCOUNTS = 10
// random.until.mac, joined by `~`.
const ENTRY = /^([A-Za-z0-9_-]{22})\.([0-9]{10})\.([A-Za-z0-9_-]{43})$/

/** `deviceKey` is the key of the directory for the account; it changes when the password is reset. */
export function createDeviceCookies({ masterKeys, now, random }: DeviceCookieOptions): DeviceCookies {
  const mac = createMasterKeyMac(masterKeys, 'signet device cookie')
  const textOf = (deviceKey: string, device: string, until: string) => `${deviceKey}.${device}.${until}`
  const nowSeconds = () => Math.floor(now().getTime() / 1000)

  function entriesOf(cookie: string | undefined): readonly (readonly [string, string, string, string])[] {
    return (cookie ?? '').split('~', MAX_ACCOUNTS).flatMap((entry) => {
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
      return [`${device}.${until}.${tag}`, ...others.map(([entry]) => entry)].slice(0, MAX_ACCOUNTS).join('~')
    },
  }
}
