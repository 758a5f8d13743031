/** A record of a database, as the format of MaxMind DB stores it: maps, texts and unsigned integers. */
export type PlaceRecord = string | number | { readonly [name: string]: PlaceRecord }

const METADATA_MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
const RECORD_BITS = 32

type Node = [left: Node | number | undefined, right: Node | number | undefined]

/**
 * Returns a small database in the format of https://maxmind.github.io/MaxMind-DB/ with IPv4 networks such as `81.2.69.0/24`.
 */
export function placesFile(
  records: Readonly<Record<string, PlaceRecord>>,
  databaseType = 'GeoLite2-City',
): Buffer {
  const data: Buffer[] = []
  let size = 0
  const root: Node = [undefined, undefined]
  for (const [network, record] of Object.entries(records)) {
    insert(root, network, size)
    const bytes = encoded(record)
    data.push(bytes)
    size += bytes.length
  }
  const nodes = allNodes(root)
  const tree = Buffer.alloc(nodes.length * 8)
  const pointer = (to: Node | number | undefined) => {
    if (to === undefined) return nodes.length
    return typeof to === 'number' ? nodes.length + 16 + to : nodes.indexOf(to)
  }
  for (const [at, [left, right]] of nodes.entries()) {
    tree.writeUInt32BE(pointer(left), at * 8)
    tree.writeUInt32BE(pointer(right), at * 8 + 4)
  }
  const metadata = encoded({
    ...{ binary_format_major_version: 2, binary_format_minor_version: 0, build_epoch: 1_700_000_000 },
    ...{ database_type: databaseType, ip_version: 4, node_count: nodes.length, record_size: RECORD_BITS },
  })
  return Buffer.concat([tree, Buffer.alloc(16), ...data, METADATA_MARKER, metadata])
}

function insert(root: Node, network: string, offset: number): void {
  const [address = '', length = '32'] = network.split('/')
  const bits = address
    .split('.')
    .map((byte) => Number(byte).toString(2).padStart(8, '0'))
    .join('')
    .slice(0, Number(length))
  let node = root
  for (const bit of bits.slice(0, -1)) node = below(node, bit === '1' ? 1 : 0)
  node[bits.endsWith('1') ? 1 : 0] = offset
}

function below(node: Node, side: 0 | 1): Node {
  const found = node[side]
  if (typeof found === 'object') return found
  const made: Node = [undefined, undefined]
  node[side] = made
  return made
}

function allNodes(root: Node): Node[] {
  const nodes = [root]
  for (const node of nodes) for (const side of node) if (typeof side === 'object') nodes.push(side)
  return nodes
}

/** Data section: a control byte with type and size, then the value. All texts of tests are shorter than 29 bytes. */
function encoded(record: PlaceRecord): Buffer {
  if (typeof record === 'string') {
    const text = Buffer.from(record)
    return Buffer.concat([Buffer.from([(2 << 5) | text.length]), text])
  }
  if (typeof record === 'number') {
    const bytes = Buffer.alloc(5)
    bytes.writeUInt8((6 << 5) | 4)
    bytes.writeUInt32BE(record, 1)
    return bytes
  }
  const entries = Object.entries(record)
  return Buffer.concat([
    Buffer.from([(7 << 5) | entries.length]),
    ...entries.flatMap(([name, value]) => [encoded(name), encoded(value)]),
  ])
}
