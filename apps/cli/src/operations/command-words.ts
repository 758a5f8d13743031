/** `service_user.rotate_secret` as the words of a command: `service-user rotate-secret`. */
export function commandWords(operationId: string): string {
  return operationId.replaceAll('_', '-').replace('.', ' ')
}

/** `organizationId` and `If-Match` as names of options: `organization-id`, `if-match`. */
export function optionName(parameterName: string): string {
  return parameterName.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase()
}
