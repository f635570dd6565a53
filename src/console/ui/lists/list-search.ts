/** How a list is shown, as it stands in the address: what is not there has its default. */
export type ListSearch<Filter extends string = never> = {
  page?: number;
  limit?: number;
  /** A key, with `-` before it for the other direction. */
  sort?: string;
  search?: string;
  /** The columns that are shown, separated by commas. */
  columns?: string;
} & { [K in Filter]?: string };

const positiveInteger = (value: unknown): number | undefined => {
  const number = Number(value);
  return Number.isInteger(number) && number > 0 ? number : undefined;
};

const nonEmptyText = (value: unknown): string | undefined =>
  (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') && value !== ''
    ? String(value)
    : undefined;

/** Reads the search parameters of a list's route; others, and those that make no sense, are dropped. */
export function listSearch<const Filter extends string = never>(...filters: readonly Filter[]) {
  return (given: Record<string, unknown>): ListSearch<Filter> => {
    const all = {
      page: positiveInteger(given.page),
      limit: positiveInteger(given.limit),
      sort: nonEmptyText(given.sort),
      search: nonEmptyText(given.search),
      columns: nonEmptyText(given.columns),
      ...Object.fromEntries(filters.map((name) => [name, nonEmptyText(given[name])])),
    };
    const present = Object.entries(all).filter(([, value]) => value !== undefined);
    // The names of `all`, whose values are of these types.
    return Object.fromEntries(present) as ListSearch<Filter>;
  };
}

/** A change of what stands in the address; what is undefined is taken out of it. */
export type SearchChange<S extends ListSearch> = { [K in keyof S]?: S[K] | undefined };

/** The address after a change; a change of anything but the page and the columns begins at page 1. */
export function applySearchChange<S extends ListSearch>(previous: S, change: SearchChange<S>): S {
  const stays = 'page' in change || 'columns' in change;
  const all = { ...previous, ...(!stays && { page: undefined }), ...change };
  // What is left of `S` and a change of it.
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as S;
}

/**
 * What to hand to `navigate` for a change of a list.
 * @param replace whether the change takes the place of the entry in the browser's history: each letter of a search is no page
 * to go back to
 */
export function searchNavigation<S extends ListSearch>(change: SearchChange<S>, replace = 'search' in change) {
  return {
    search: (previous: S): S => applySearchChange(previous, change),
    replace,
    // The rows stay the same, below the menu in which a column was chosen.
    resetScroll: !('columns' in change),
  };
}

/** A parameter when it is one of the values that are known, else nothing: addresses may be typed by hand. */
export const oneOf = <const T extends string>(values: readonly T[], given: string | undefined): T | undefined =>
  values.find((value) => value === given);

/** The order that the service is asked for: a sort key of the address, or the default. */
export function orderOf<const Key extends string>(
  keys: readonly Key[],
  sort: string,
): { sortBy: Key | undefined; sortOrder: 'ASC' | 'DESC' | undefined } {
  const sortBy = oneOf(keys, sort.replace(/^-/, ''));
  return { sortBy, sortOrder: sortBy && (sort.startsWith('-') ? 'DESC' : 'ASC') };
}

/** A parameter that is on or off. */
export const booleanOf = (given: string | undefined): boolean | undefined =>
  given === 'true' ? true : given === 'false' ? false : undefined;
