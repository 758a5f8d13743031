import { type DesiredObject, desiredObject } from './desired-object.ts'
import type { BootstrapFile } from './schema/bootstrap-file.ts'

type Organization = NonNullable<BootstrapFile['organizations']>[number]
type User = NonNullable<Organization['users']>[number]
type ServiceUser = NonNullable<Organization['serviceUsers']>[number]

export function desiredUsers(users: readonly User[], organization: DesiredObject): DesiredObject[] {
  return users.flatMap((user, at) => {
    const { id, userName, profile, email, phone, address, state, roles, password, passwordHash, totpSecret } =
      user
    const owner = desiredObject('user', {
      path: `${organization.path}.users[${at}]`,
      parent: organization,
      id,
      naturalName: userName,
      fields: {
        userName,
        ...profile,
        displayName: profile.displayName ?? `${profile.givenName} ${profile.familyName}`.slice(0, 200),
        email,
        phone,
        ...address,
        state,
        roles: roles && [...roles].sort(),
        passwordChangeRequired: user.passwordChangeRequired,
      },
      secrets: { password, passwordHash, totpSecret },
    })
    const metadata = Object.entries(user.metadata ?? {}).map(([key, value]) =>
      desiredObject('metadata', {
        path: `${owner.path}.metadata.${key}`,
        parent: owner,
        id: key,
        naturalName: key,
        fields: { value },
      }),
    )
    return [owner, ...metadata]
  })
}

export function desiredServiceUsers(
  serviceUsers: readonly ServiceUser[],
  organization: DesiredObject,
): DesiredObject[] {
  return serviceUsers.flatMap((serviceUser, at) => {
    const { id, userName, name, clientId, accessTokenType, accessTokenSigningAlg, roles, clientSecret } =
      serviceUser
    const owner = desiredObject('service_user', {
      path: `${organization.path}.serviceUsers[${at}]`,
      parent: organization,
      id,
      naturalName: userName,
      fields: {
        userName,
        displayName: name ?? userName,
        clientId,
        accessTokenType,
        accessTokenSigningAlg,
        roles: roles && [...roles].sort(),
      },
      secrets: { clientSecret },
    })
    const tokens = (serviceUser.personalAccessTokens ?? []).map((token, tokenAt) =>
      desiredObject('personal_access_token', {
        path: `${owner.path}.personalAccessTokens[${tokenAt}]`,
        parent: owner,
        id: token.id,
        naturalName: token.id,
        fields: { expiresAt: token.expiresAt },
        // Null stands for "generate one": it acts once, like a value of the file.
        secrets: { token: token.token ?? null },
        outputFile: token.outputFile,
      }),
    )
    const keys = (serviceUser.keys ?? []).map(({ id: kid, jwk }, keyAt) =>
      desiredObject('machine_key', {
        path: `${owner.path}.keys[${keyAt}]`,
        parent: owner,
        id: kid,
        naturalName: kid,
        fields: { jwk },
      }),
    )
    return [owner, ...tokens, ...keys]
  })
}
