import { ApiError } from '@signet/admin-api/api-error'

export function unknownKey(owner: 'user' | 'application'): ApiError {
  return new ApiError('NOT_FOUND', `the ${owner} has no key with this id`, { reason: 'key_unknown' })
}
