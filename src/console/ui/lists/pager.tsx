import { Group, NativeSelect, Pagination, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../i18n/format.js';
import { mustHideData } from '../states.js';
import type { ListSearch } from './list-search.js';

export interface PageInfo {
  currentPage: number;
  totalPages: number;
  totalItems: number;
  itemsPerPage: number;
  /** Whether there are more than `totalItems`. */
  totalItemsCapped?: true;
}

interface PagesOptions {
  query: Pick<UseQueryResult<unknown>, 'isPlaceholderData' | 'error'>;
  pagination: PageInfo | undefined;
  isEmpty: boolean;
  /** Requested page and filters. */
  search: ListSearch;
  /** Replaces a page number after the last page, also in the browser's history. */
  onPastEnd(lastPage: number): void;
}

/**
 * Pagination to show; undefined if there is nothing to page through. If a page can't be read, the pagination stays, so that the
 * user can choose another page. `isPastEnd` means a page after the last one, for example after deletions: `onPastEnd` then gets the
 * last page.
 */
export function usePages({ query, pagination, isEmpty, search, onPastEnd }: PagesOptions): {
  pages: PageInfo | undefined;
  isPastEnd: boolean;
} {
  const { page = 1, columns: _columns, ...rest } = search;
  const list = JSON.stringify(rest);
  const last = useRef<{ list: string; pagination: PageInfo }>(undefined);
  const isResponse = pagination !== undefined && !query.isPlaceholderData;
  useEffect(() => {
    if (isResponse) last.current = { list, pagination };
  }, [isResponse, list, pagination]);

  const lastPage = pagination?.totalPages ?? 0;
  const isPastEnd = isEmpty && lastPage > 0 && (pagination?.currentPage ?? 1) > lastPage;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each response, not for each render
  useEffect(() => {
    if (isPastEnd) onPastEnd(lastPage);
  }, [isPastEnd, lastPage]);

  function pages(): PageInfo | undefined {
    if (isPastEnd || mustHideData(query.error)) return undefined;
    if (pagination) return isEmpty ? undefined : pagination;
    const known = last.current?.list === list ? last.current.pagination : undefined;
    return query.error && known && known.totalPages > 1 ? { ...known, currentPage: page } : undefined;
  }
  return { pages: pages(), isPastEnd };
}

interface PagerProps {
  pagination: PageInfo;
  sizes?: readonly number[];
  onChange(change: { page: number } | { limit: number }): void;
  /** Shown between the page size and the page numbers. */
  children?: ReactNode;
}

/** Shows the visible range, the page size, and links to other pages. */
export function Pager({ pagination, sizes = [10, 20, 50, 100], onChange, children }: PagerProps) {
  const { t } = useTranslation();
  const { currentPage, totalPages, totalItems, itemsPerPage, totalItemsCapped } = pagination;
  const from = (currentPage - 1) * itemsPerPage + 1;
  const range = {
    from,
    to: Math.min(from + itemsPerPage - 1, totalItems),
    total: totalItems,
  };
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" c="dimmed" role="status">
        {t(totalItemsCapped ? 'table.rangeOfMore' : 'table.range', range)}
      </Text>
      <Group gap="sm">
        <NativeSelect
          size="xs"
          aria-label={t('table.perPage')}
          data={[...new Set([...sizes, itemsPerPage])].map(String)}
          value={String(itemsPerPage)}
          onChange={({ currentTarget }) => onChange({ limit: Number(currentTarget.value) })}
        />
        {children}
        {totalPages > 1 && (
          <Pagination
            size="sm"
            total={totalPages}
            value={currentPage}
            onChange={(page) => onChange({ page })}
            getItemProps={(page) => ({ 'aria-label': t('table.page', { page }), children: formatNumber(page) })}
            getControlProps={(control) => ({
              'aria-label': control === 'previous' ? t('table.previousPage') : t('table.nextPage'),
            })}
            aria-label={t('table.pages')}
          />
        )}
      </Group>
    </Group>
  );
}
