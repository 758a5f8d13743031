import type { experimental } from '@grpc/grpc-js'
import type { TlsIdentity } from './tls-identity.ts'

/**
 * Gives grpc-js the certificates of a process, again whenever they are renewed: connections that are made from then on
 * use the new ones, those that exist keep theirs until their age ends them.
 */
export function certificateProvider(identity: TlsIdentity): experimental.CertificateProvider {
  const caListeners = new Set<experimental.CaCertificateUpdateListener>()
  const identityListeners = new Set<experimental.IdentityCertificateUpdateListener>()
  let unsubscribe: (() => void) | undefined

  const tellCa = (listener: experimental.CaCertificateUpdateListener) => {
    if (caListeners.has(listener)) listener({ caCertificate: identity.ca })
  }
  const tellIdentity = (listener: experimental.IdentityCertificateUpdateListener) => {
    const { certificate, privateKey } = identity
    if (identityListeners.has(listener)) listener({ certificate, privateKey })
  }
  const tellAll = () => {
    caListeners.forEach(tellCa)
    identityListeners.forEach(tellIdentity)
  }
  const listenWhenNeeded = () => {
    const needed = caListeners.size + identityListeners.size > 0
    if (needed) unsubscribe ??= identity.onRenewal?.(tellAll)
    else {
      unsubscribe?.()
      unsubscribe = undefined
    }
  }

  return {
    // One turn later: a server that is being created misses calls while it registers.
    addCaCertificateListener(listener) {
      caListeners.add(listener)
      listenWhenNeeded()
      queueMicrotask(() => tellCa(listener))
    },
    addIdentityCertificateListener(listener) {
      identityListeners.add(listener)
      listenWhenNeeded()
      queueMicrotask(() => tellIdentity(listener))
    },
    removeCaCertificateListener(listener) {
      caListeners.delete(listener)
      listenWhenNeeded()
    },
    removeIdentityCertificateListener(listener) {
      identityListeners.delete(listener)
      listenWhenNeeded()
    },
  }
}
