/** Fields that a response shows, in its order, and fields that it hides. Together the lists have all fields. */
export interface View<Field extends string> {
  readonly shown: readonly Field[];
  readonly hidden: readonly Field[];
}

/** Copies the named fields of a model. A field that isn't listed is never shown. */
export function pick<T, K extends keyof T>(source: T, keys: readonly K[]): Pick<T, K> {
  const picked: Partial<Pick<T, K>> = {};
  for (const key of keys) picked[key] = source[key];
  // All keys are set now.
  return picked as Pick<T, K>;
}

/** Returns an association that the query included. @throws Error if the query did not include it: a bug */
export function loaded<T>(association: T | undefined): T {
  if (association === undefined) throw new Error('An association was not loaded.');
  return association;
}
