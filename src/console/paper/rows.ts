import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import type { ApiError } from '../api/client.js';
import { readAll } from '../ui/lists/selection.js';

type Read<Row extends { id: string }> = Parameters<typeof readAll<Row>>[0];

interface Named {
  firstName: string;
  lastName: string;
}

/**
 * Reads all rows of a list, sorted by last name.
 * @param key identifies the list
 * @param read reads a page
 */
export function useAllByName<Row extends Named & { id: string }>(
  key: readonly unknown[],
  read: (following: Parameters<Read<Row>>[0], signal: AbortSignal) => ReturnType<Read<Row>>,
): UseQueryResult<readonly Row[], ApiError> {
  return useQuery<readonly Row[], ApiError>({
    queryKey: key,
    async queryFn({ signal }) {
      const rows = await readAll<Row>((following) => read(following, signal));
      const { compare } = new Intl.Collator(i18next.language);
      return [...rows.values()].sort(
        (one, other) => compare(one.lastName, other.lastName) || compare(one.firstName, other.firstName),
      );
    },
  });
}
