/** State of a list in the URL; absent parameters have their defaults. */
export type ListSearch<Filter extends string = never> = {
  page?: number;
  limit?: number;
  /** Sort key; a leading `-` means descending. */
  sort?: string;
  search?: string;
  /** Ids of the shown columns, separated by commas. */
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

/** Returns a parser for the URL parameters of a list's route; it drops unknown and invalid parameters. */
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
    // The cast is safe, because `all` has these names and types.
    return Object.fromEntries(present) as ListSearch<Filter>;
  };
}

/** Parameters of a list that are no filters. */
const ordinary: readonly string[] = ['page', 'limit', 'sort', 'search', 'columns', 'tab', 'create'];

/** Whether a list has a filter besides the searched text. */
export const hasFilters = (search: object): boolean => Object.keys(search).some((name) => !ordinary.includes(name));

/** Change of URL parameters; undefined removes a parameter. */
export type SearchChange<S extends ListSearch> = { [K in keyof S]?: S[K] | undefined };

/** Applies a change of URL parameters. Every change except of page and columns returns to page 1. */
export function applySearchChange<S extends ListSearch>(previous: S, change: SearchChange<S>): S {
  const stays = 'page' in change || 'columns' in change;
  const all = { ...previous, ...(!stays && { page: undefined }), ...change };
  // The cast is safe, because only undefined parameters are removed.
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as S;
}

/**
 * Options of `navigate` for a change of a list.
 * @param replace whether to replace the current entry in the browser's history; by default only for typing in a search field
 */
export function searchNavigation<S extends ListSearch>(change: SearchChange<S>, replace = 'search' in change) {
  return {
    search: (previous: S): S => applySearchChange(previous, change),
    replace,
    // The user chooses a column below the rows, and should stay there.
    resetScroll: !('columns' in change),
  };
}

/** Returns a parameter if its value is known, otherwise undefined: users may type any URL. */
export const oneOf = <const T extends string>(values: readonly T[], given: string | undefined): T | undefined =>
  values.find((value) => value === given);

/** Converts a sort key of the URL to parameters of the service; undefined for unknown keys. */
export function orderOf<const Key extends string>(
  keys: readonly Key[],
  sort: string,
): { sortBy: Key | undefined; sortOrder: 'ASC' | 'DESC' | undefined } {
  const sortBy = oneOf(keys, sort.replace(/^-/, ''));
  return { sortBy, sortOrder: sortBy && (sort.startsWith('-') ? 'DESC' : 'ASC') };
}

/** Parses the parameter `true` or `false`. */
export const booleanOf = (given: string | undefined): boolean | undefined =>
  given === 'true' ? true : given === 'false' ? false : undefined;

/** Counts the filters with a value. */
export const countFilters = (filters: object): number =>
  Object.values(filters).filter((value) => value !== undefined).length;
