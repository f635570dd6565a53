import { Group, NativeSelect, Text } from '@mantine/core';
import { IconArrowsSort } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

type Direction = 'ascending' | 'descending';

export interface Ordered {
  header: string;
  /** Sort key of the service; without a key the column can't be sorted. */
  sortKey?: string;
  /** Direction of a list that is always ordered by this column. */
  fixedOrder?: Direction;
}

/** Returns the direction of a column under a sort key of the URL; `none` for another order, undefined if there is no order by it. */
export function directionOf(
  { sortKey, fixedOrder }: Ordered,
  sort: string | undefined,
): Direction | 'none' | undefined {
  if (sortKey === undefined) return fixedOrder;
  return sort === sortKey ? 'ascending' : sort === `-${sortKey}` ? 'descending' : 'none';
}

interface OrderProps {
  /** All columns, also hidden ones. */
  columns: readonly Ordered[];
  /** Columns in the head of the table. */
  shown: readonly Ordered[];
  /** Sort key of the URL, or of the list's default. */
  sort: string | undefined;
  /** Name of the order without a sort key. */
  defaultOrder: string | undefined;
  onSort(sort: string | undefined): void;
}

/** Current order of a list, to change if possible. A wide window shows it only if the head of the table doesn't. */
export function Order({ columns, shown, sort, defaultOrder, onSort }: OrderProps) {
  const { t } = useTranslation();
  const isInHead = shown.some((column) => (directionOf(column, sort) ?? 'none') !== 'none');
  const fixed = columns.find(({ fixedOrder }) => fixedOrder !== undefined);
  const options = [
    ...(defaultOrder === undefined ? [] : [{ value: '', label: defaultOrder }]),
    ...columns.flatMap(({ header, sortKey }) =>
      sortKey === undefined
        ? []
        : [
            { value: sortKey, label: t('table.order.ascending', { column: header }) },
            { value: `-${sortKey}`, label: t('table.order.descending', { column: header }) },
          ],
    ),
  ];
  if (options.length === 0 && !fixed?.fixedOrder) return null;
  return (
    <Group justify="flex-end" {...(isInHead && { hiddenFrom: 'md' })}>
      {fixed?.fixedOrder ? (
        <Text size="xs" c="dimmed">
          {t('table.order.fixed', { order: t(`table.order.${fixed.fixedOrder}`, { column: fixed.header }) })}
        </Text>
      ) : (
        <NativeSelect
          size="xs"
          aria-label={t('table.order.label')}
          leftSection={<IconArrowsSort size={14} aria-hidden />}
          data={options}
          value={sort ?? ''}
          onChange={({ currentTarget }) => onSort(currentTarget.value || undefined)}
        />
      )}
    </Group>
  );
}
