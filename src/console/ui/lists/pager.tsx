import { Group, NativeSelect, Pagination, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../i18n/format.js';
import { mustHideData } from '../states.js';
import type { ListSearch } from './list-search.js';

/** The page of a listing, as the service describes it. */
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
  /** Of the response; undefined while there is none. */
  pagination: PageInfo | undefined;
  isEmpty: boolean;
  /** What was asked for. */
  search: ListSearch;
  /** Takes the place of a page that doesn't exist, in the browser's history, too. */
  onPastEnd(lastPage: number): void;
}

/**
 * The pages of a list: undefined where there is nothing to page through. They stay while one of them can't be read, so that
 * others can be chosen. From a page after the last one, `onBeyond` goes to the last one: its rows may have been deleted.
 */
export function usePages({ query, pagination, isEmpty, search, onPastEnd }: PagesOptions): {
  pages: PageInfo | undefined;
  isBeyond: boolean;
} {
  const { page = 1, columns: _columns, ...rest } = search;
  const list = JSON.stringify(rest);
  const last = useRef<{ list: string; pagination: PageInfo }>(undefined);
  const isAnswer = pagination !== undefined && !query.isPlaceholderData;
  useEffect(() => {
    if (isAnswer) last.current = { list, pagination };
  }, [isAnswer, list, pagination]);

  const lastPage = pagination?.totalPages ?? 0;
  const isBeyond = isEmpty && lastPage > 0 && (pagination?.currentPage ?? 1) > lastPage;
  // biome-ignore lint/correctness/useExhaustiveDependencies: goes back once for each answer, not when the caller is drawn again
  useEffect(() => {
    if (isBeyond) onPastEnd(lastPage);
  }, [isBeyond, lastPage]);

  function pages(): PageInfo | undefined {
    if (isBeyond || mustHideData(query.error)) return undefined;
    if (pagination) return isEmpty ? undefined : pagination;
    const known = last.current?.list === list ? last.current.pagination : undefined;
    return query.error && known && known.totalPages > 1 ? { ...known, currentPage: page } : undefined;
  }
  return { pages: pages(), isBeyond };
}

interface PagerProps {
  pagination: PageInfo;
  sizes?: readonly number[];
  onChange(change: { page: number } | { limit: number }): void;
  /** Between the size and the pages. */
  children?: ReactNode;
}

/** Where one is in a list, and the way to its other pages. */
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
