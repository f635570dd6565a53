import { Group, NativeSelect, Pagination, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../i18n/format.js';

/** The page of a listing, as the service describes it. */
export interface PageInfo {
  currentPage: number;
  totalPages: number;
  totalItems: number;
  itemsPerPage: number;
  /** Whether there are more than `totalItems`. */
  totalItemsCapped?: true;
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
    from: formatNumber(from),
    to: formatNumber(Math.min(from + itemsPerPage - 1, totalItems)),
    total: formatNumber(totalItems),
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
            getItemProps={(page) => ({ 'aria-label': t('table.page', { page }) })}
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
