// The calls of the account pages to the directory.
import type { OwnChange } from '../sessions/sign-in-proof.ts'

export const PROFILE_FIELDS = [
  'given_name',
  'family_name',
  'nick_name',
  'display_name',
  'preferred_language',
] as const

type ProfileField = (typeof PROFILE_FIELDS)[number]

/** An empty text: there is none. */
export type OwnProfile = Readonly<Record<ProfileField, string>>

export interface ProfileProblem {
  readonly field: ProfileField
  readonly code: 'required' | 'invalid' | 'too_long'
}

export interface OwnDetails {
  readonly profile: OwnProfile
  readonly userName: string
  readonly email: string
  readonly emailVerified: boolean
  readonly phone: string
  readonly createdAt: Date
  readonly hasPassword: boolean
  readonly mayDelete: boolean
}

interface OwnActivity {
  readonly at: Date
  readonly action: string
  readonly result: string
  readonly clientAddress: string
}

export interface OwnDirectory {
  find(userId: string): Promise<OwnDetails>
  /** The newest entries of the audit logs that the user caused. */
  activity(userId: string): Promise<readonly OwnActivity[]>
  /** When it resolves with true, the account is deleted, and its sessions and tokens have ended. */
  deleteAccount(change: OwnChange): Promise<boolean>
  /** Sends a message to the new address; the account keeps its address. */
  requestEmailChange(
    change: OwnChange,
    wanted: { readonly address: string; readonly language: string },
  ): Promise<'sent' | 'invalid' | 'same' | 'no_server' | 'limited'>
  /** Sends the message that proves the address of the account again. */
  requestEmailVerification(
    change: OwnChange,
    language: string,
  ): Promise<'sent' | 'verified' | 'no_server' | 'limited'>
  /** The user and the address of the token of a link, which stays valid; undefined: it is not valid. */
  findEmailChange(presented: {
    readonly secret: string
    readonly clientAddress: string
  }): Promise<{ readonly userId: string; readonly address: string } | undefined>
  /** Sets the address that a token or code of this user proves. */
  confirmEmailChange(change: OwnChange, secret: string): Promise<'done' | 'invalid' | 'throttled'>
  /** Sets all members of the profile; returns the rules that it breaks, and then changes nothing. */
  updateProfile(change: OwnChange, profile: OwnProfile): Promise<readonly ProfileProblem[]>
}
