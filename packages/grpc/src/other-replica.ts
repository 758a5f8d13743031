import { experimental } from '@grpc/grpc-js'

const {
  ChildLoadBalancerHandler,
  createChildChannelControlHelper,
  parseLoadBalancingConfig,
  PickResultType,
} = experimental

/** Name of the policy in a service config: round robin, in which attempts of one read go to different replicas. */
export const OTHER_REPLICA_POLICY = 'signet_other_replica'

/** Names the read that an attempt belongs to. Metadata of the picker alone: it is removed before anything is sent. */
const READ_HEADER = 'signet-read'

/** The replicas to which attempts of a read went, by the name of the read, until it ends. */
const replicasOf = new Map<string, Set<string>>()
let lastRead = 0

export interface ReadInProgress {
  /** Metadata of each attempt. */
  readonly header: readonly [name: string, value: string]
  end(): void
}

/** Has attempts with this header go to a replica that had none of them, while there is one. */
export function beginRead(): ReadInProgress {
  lastRead += 1
  const name = `${lastRead}`
  replicasOf.set(name, new Set())
  return { header: [READ_HEADER, name], end: () => void replicasOf.delete(name) }
}

/** Picks that the child policy is asked for before a replica is taken twice. */
const MOST_PICKS = 8

function createPicker(child: experimental.Picker): experimental.Picker {
  return {
    pick(args) {
      const [name] = args.metadata.get(READ_HEADER)
      args.metadata.remove(READ_HEADER)
      const taken = name === undefined ? undefined : replicasOf.get(String(name))
      let picked = child.pick(args)
      if (taken === undefined) return picked
      for (let picks = 1; picks < MOST_PICKS && taken.has(addressOf(picked)); picks += 1)
        picked = child.pick(args)
      if (picked.pickResultType === PickResultType.COMPLETE) taken.add(addressOf(picked))
      return picked
    },
  }
}

const addressOf = ({ subchannel }: experimental.PickResult) => subchannel?.getAddress() ?? ''

const ROUND_ROBIN = parseLoadBalancingConfig({ round_robin: {} })

class OtherReplicaLoadBalancer implements experimental.LoadBalancer {
  readonly #child: experimental.ChildLoadBalancerHandler

  constructor(helper: experimental.ChannelControlHelper) {
    this.#child = new ChildLoadBalancerHandler(
      createChildChannelControlHelper(helper, {
        updateState: (state, picker, message) => helper.updateState(state, createPicker(picker), message),
      }),
    )
  }

  updateAddressList(
    ...[endpoints, , options, note]: Parameters<experimental.LoadBalancer['updateAddressList']>
  ) {
    return this.#child.updateAddressList(endpoints, ROUND_ROBIN, options, note)
  }

  exitIdle(): void {
    this.#child.exitIdle()
  }

  resetBackoff(): void {
    this.#child.resetBackoff()
  }

  destroy(): void {
    this.#child.destroy()
  }

  getTypeName(): string {
    return OTHER_REPLICA_POLICY
  }
}

class OtherReplicaConfig implements experimental.TypedLoadBalancingConfig {
  getLoadBalancerName(): string {
    return OTHER_REPLICA_POLICY
  }

  toJsonObject(): object {
    return { [OTHER_REPLICA_POLICY]: {} }
  }

  static createFromJson(): OtherReplicaConfig {
    return new OtherReplicaConfig()
  }
}

experimental.registerLoadBalancerType(OTHER_REPLICA_POLICY, OtherReplicaLoadBalancer, OtherReplicaConfig)
