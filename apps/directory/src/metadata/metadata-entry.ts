/** Something that administrators note about an object. */
export interface MetadataEntry {
  readonly key: string
  readonly value: Buffer
}
