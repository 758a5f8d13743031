/** A row without the columns that it does not give. */
export const withoutUndefined = <R extends object>(row: R): Given<R> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as Given<R>

type Given<R> = { [Column in keyof R]?: Exclude<R[Column], undefined> }
