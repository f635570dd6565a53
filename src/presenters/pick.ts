/** The fields that a response shows of something, in its order, and those that it doesn't: all fields are in one of the lists. */
export interface View<Field extends string> {
  readonly shown: readonly Field[];
  readonly hidden: readonly Field[];
}

/** The named fields of a model, and no others: a field that isn't listed is never shown. */
export function pick<T, K extends keyof T>(source: T, keys: readonly K[]): Pick<T, K> {
  const picked: Partial<Pick<T, K>> = {};
  for (const key of keys) picked[key] = source[key];
  // All of them are there now.
  return picked as Pick<T, K>;
}

/**
 * An association that the query included.
 * @throws Error when it was not: a bug in the query
 */
export function loaded<T>(association: T | undefined): T {
  if (association === undefined) throw new Error('An association was not loaded.');
  return association;
}
