import { useState } from 'react';

/** Maximum of selected rows: the service changes no more accounts in one request. */
export const maxSelected = 1000;

/** Maximum page size of the service. */
const maxListed = 100;

interface NextPage {
  limit: number;
  afterId?: string;
}

/**
 * Reads all rows of a list, by id.
 * @param read reads the page after a row, because page numbers would skip rows if a row leaves the filter between requests. If
 * that row was deleted, the service returns the first page.
 */
export async function readAll<Row extends { id: string }>(
  read: (following: NextPage) => Promise<readonly Row[]>,
): Promise<ReadonlyMap<string, Row>> {
  const all = new Map<string, Row>();
  for (let following: NextPage = { limit: maxListed }; ; ) {
    const rows = await read(following);
    for (const row of rows) all.set(row.id, row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < maxListed) return all;
    following = { limit: maxListed, afterId: last.id };
  }
}

/** Selection of rows. "Select all" lasts until the filter changes; single rows stay selected until deselected. */
export function useSelection<Row extends { id: string }>(filter: object) {
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map());
  const [matchedFilter, setMatchedFilter] = useState<string>();
  const filterKey = JSON.stringify(filter);
  function clear(): void {
    setMatchedFilter(undefined);
    setSelected(new Map());
  }
  // Back and links can change the filter, too.
  if (matchedFilter !== undefined && matchedFilter !== filterKey) clear();
  return {
    selected,
    onChange: setSelected,
    clear,
    /** @throws ApiError */
    async selectAll(read: (following: NextPage) => Promise<readonly Row[]>): Promise<void> {
      setSelected(await readAll(read));
      setMatchedFilter(filterKey);
    },
  };
}
