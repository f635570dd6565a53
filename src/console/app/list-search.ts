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

const count = (value: unknown): number | undefined => {
  const number = Number(value);
  return Number.isInteger(number) && number > 0 ? number : undefined;
};

const text = (value: unknown): string | undefined =>
  (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') && value !== ''
    ? String(value)
    : undefined;

/** Reads the search parameters of a list's route; others, and those that make no sense, are dropped. */
export function listSearch<const Filter extends string = never>(...filters: readonly Filter[]) {
  return (given: Record<string, unknown>): ListSearch<Filter> => {
    const all = {
      page: count(given.page),
      limit: count(given.limit),
      sort: text(given.sort),
      search: text(given.search),
      columns: text(given.columns),
      ...Object.fromEntries(filters.map((name) => [name, text(given[name])])),
    };
    const present = Object.entries(all).filter(([, value]) => value !== undefined);
    return Object.fromEntries(present) as ListSearch<Filter>;
  };
}
