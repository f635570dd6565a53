import { useState } from 'react';

/** The most rows that are selected at once: the service changes no more accounts in one request. */
export const maxSelected = 1000;

/** The most rows that the service lists at once. */
const maxListed = 100;

/** Paging parameters of the next page. */
interface NextPage {
  limit: number;
  afterId?: string;
}

/**
 * All rows of a listing, by their ids.
 * @param read asks for the page after a row, never by its number: a row that leaves the filter meanwhile would move the others
 * forward. Without that row, the service begins again with the first page.
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

/** Selected rows of a list. All that match a filter are selected until the filter changes, single rows until they are deselected. */
export function useSelection<Row extends { id: string }>(filter: object) {
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map());
  const [matchedFilter, setMatchedFilter] = useState<string>();
  const filterKey = JSON.stringify(filter);
  function clear(): void {
    setMatchedFilter(undefined);
    setSelected(new Map());
  }
  // Back and links change the filter, too.
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
