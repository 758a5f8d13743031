import {
  brokenColours,
  DEFAULT_COLOURS,
  LABEL_COLOURS,
  type LabelColour,
  readColour,
} from '@signet/protocol/label-colours'
import { loginTextLimit } from '@signet/protocol/login-texts'
import { useId } from 'react'
import { text } from '../texts/texts.ts'

/** Texts by screen and name. */
export type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>

/** What is edited and not stored. */
export interface Draft {
  readonly policy: Readonly<Partial<Record<LabelColour, string>>> & {
    readonly themeMode?: string
    readonly disableWatermark?: boolean
  }
  /** Those of the language of the page; undefined: the stored ones. */
  readonly texts: Texts | undefined
  /** Base64. */
  readonly logo: string | undefined
}

/** The texts of the sign-in page. */
const TEXTS = [
  'loginText.title',
  'loginText.description',
  'loginText.loginNameLabel',
  'passwordText.passwordLabel',
  'passwordText.nextButtonText',
  'passwordText.resetLinkText',
  'loginText.registerButtonText',
] as const

const THEME_MODES = ['THEME_MODE_AUTO', 'THEME_MODE_LIGHT', 'THEME_MODE_DARK'] as const

export function PolicyFields({
  policy,
  onChange,
}: {
  readonly policy: Draft['policy']
  readonly onChange: (policy: Draft['policy']) => void
}) {
  const set = (changes: Draft['policy']) => onChange({ ...policy, ...changes })
  return (
    <fieldset>
      <legend>{text('branding.colours')}</legend>
      {LABEL_COLOURS.map((member) => (
        <Colour
          key={member}
          member={member}
          value={policy[member] ?? ''}
          onChange={(colour) => set({ [member]: colour })}
        />
      ))}
      <Contrast policy={policy} />
      <label className="field">
        themeMode
        <select
          value={policy.themeMode ?? THEME_MODES[0]}
          onChange={(event) => set({ themeMode: event.target.value })}
        >
          {THEME_MODES.map((mode) => (
            <option key={mode}>{mode}</option>
          ))}
        </select>
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={policy.disableWatermark === true}
          onChange={(event) => set({ disableWatermark: event.target.checked })}
        />{' '}
        {text('branding.watermark')}
      </label>
    </fieldset>
  )
}

export function TextFields({ texts, onChange }: TextProps) {
  return (
    <fieldset>
      <legend>{text('branding.texts')}</legend>
      {TEXTS.map((name) => (
        <Text key={name} name={name} {...{ texts, onChange }} />
      ))}
    </fieldset>
  )
}

/** A colour to choose or to type; empty: the default. */
function Colour({
  member,
  value,
  onChange,
}: {
  readonly member: LabelColour
  readonly value: string
  readonly onChange: (colour: string) => void
}) {
  const id = useId()
  return (
    <div className="field colour">
      <label htmlFor={id}>{member}</label>
      <input
        id={id}
        value={value}
        placeholder={DEFAULT_COLOURS[member]}
        maxLength={7}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
      <input
        type="color"
        aria-label={text('branding.choose', { member })}
        value={readColour(value) ?? DEFAULT_COLOURS[member]}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  )
}

/** The rules that the colours break, by the function that refuses them when they are saved. */
function Contrast({ policy }: { readonly policy: Draft['policy'] }) {
  const broken = brokenColours(policy)
  return (
    <div role="status">
      {broken.length > 0 && (
        <div className="alert">
          <ul>
            {broken.map(({ member, rule }) => (
              <li key={member + rule}>
                <code>{member}</code> {rule}
              </li>
            ))}
          </ul>
          <p>{text('branding.contrast')}</p>
        </div>
      )}
    </div>
  )
}

/** The field for an image, which gives its content in Base64. */
export function Logo({ onChange }: { readonly onChange: (base64: string | undefined) => void }) {
  const read = async (file: File | undefined) => {
    if (file === undefined) return onChange(undefined)
    const bytes = new Uint8Array(await file.arrayBuffer())
    onChange(btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')))
  }
  return (
    <label className="field">
      {text('branding.logo')}
      <input
        type="file"
        accept=".png,.jpg,.jpeg,.webp,.svg"
        onChange={({ target }) => void read(target.files?.[0])}
      />
    </label>
  )
}

interface TextProps {
  readonly texts: Texts
  readonly onChange: (texts: Texts) => void
}

function Text({ name, texts, onChange }: TextProps & { readonly name: (typeof TEXTS)[number] }) {
  const [screen = '', member = ''] = name.split('.')
  const { [member]: value = '', ...others } = texts[screen] ?? {}
  const change = (typed: string) =>
    onChange({ ...texts, [screen]: { ...others, ...(typed !== '' && { [member]: typed }) } })
  return (
    <label className="field">
      {name}
      <input
        value={value}
        maxLength={loginTextLimit(member)}
        dir="auto"
        autoComplete="off"
        onChange={(event) => change(event.target.value)}
      />
    </label>
  )
}
