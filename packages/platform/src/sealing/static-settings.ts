import { SETTINGS } from '../config/known-settings.ts'
import { type Environment, type SettingName, textOfSetting } from '../config/settings.ts'
import { isSecret } from '../config/settings-fields.ts'
import { isWrappedKey } from './wrapped-keys.ts'

/** The names of the settings that hold a static secret: one that counts until an operator replaces it. Their values are not shown. */
export function staticSecretSettings(env: Environment): readonly SettingName[] {
  return (Object.keys(SETTINGS) as SettingName[]).filter((name) => {
    const text = isSecret(SETTINGS[name]) ? textOfSetting(env, name) : undefined
    return text !== undefined && isStatic(name, text)
  })
}

function isStatic(name: SettingName, text: string): boolean {
  // Wrapped keys are of no use without the key management service.
  if (name.endsWith('_MASTER_KEY')) return text.split(',').some((entry) => !isWrappedKey(entry.trim()))
  if (text.includes('sentinelPassword=')) return true
  // `user:@` is a user whose password stands elsewhere.
  return !name.endsWith('_URL') || /^[^/]*\/\/[^/@]*:[^/@]+@/.test(text)
}
