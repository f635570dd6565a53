import { ActionIcon, Box, Checkbox, Menu, Stack, Table, UnstyledButton } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconArrowDown, IconArrowsSort, IconArrowUp, IconColumns } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty, Loading, NoMatch, resultOf } from '../states.js';
import { hasFilters, type ListSearch, type SearchChange } from './list-search.js';
import { openRow } from './open-row.js';
import { directionOf, Order, type Ordered } from './order.js';
import { type PageInfo, Pager, usePages } from './pager.js';

export interface Column<Row> extends Ordered {
  id: string;
  render(row: Row): ReactNode;
  /** Whether the column is hidden until the user chooses it. */
  optional?: boolean;
  align?: 'start' | 'end';
  /** Whether cells stay on one line, even if the table becomes wider than the window. */
  noWrap?: boolean;
  /** Whether the column stays visible while the table scrolls sideways. For actions in the last column; hides its header. */
  pinned?: boolean;
}

/** Selected rows by key, of all visited pages. */
export interface Selection<Row> {
  selected: ReadonlyMap<string, Row>;
  onChange(selected: ReadonlyMap<string, Row>): void;
}

interface DataTableProps<Row> {
  /** Accessible name of the table. */
  label: string;
  columns: readonly Column<Row>[];
  query: Pick<UseQueryResult<unknown>, 'isPending' | 'isPlaceholderData' | 'error' | 'refetch'>;
  rows: readonly Row[] | undefined;
  pagination: PageInfo | undefined;
  rowKey(row: Row): string;
  /** Name of a row, for the label of its checkbox. */
  rowName?(row: Row): string;
  search: ListSearch;
  /**
   * Changes the URL; every change except of the page returns to page 1.
   * @param replace whether to replace the current entry in the browser's history
   */
  onSearch(change: SearchChange<ListSearch>, replace?: boolean): void;
  /** Sort key if the URL has none. */
  defaultSort?: string | undefined;
  /** Name of the default order, if no column has it. */
  defaultOrder?: string | undefined;
  selection?: Selection<Row>;
  /** Whether a filter or search is set. */
  filtered?: boolean;
  onClearFilters?(): void;
  /** Shown if the list is empty without any filter. */
  empty?: ReactNode;
}

/**
 * Table with sorting, paging and a choice of columns; the URL has its state. In a narrow window, each row is a card. A click on a row
 * presses its link with the attribute `data-opens-row`.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns, query, pagination, search, onSearch, defaultSort, defaultOrder, filtered = false } = props;
  const chosen = search.columns?.split(',');
  const known = columns.filter(({ id }) => chosen?.includes(id));
  // The URL may name only columns that this user's table doesn't have.
  const shown = known.length > 0 ? known : columns.filter(({ optional }) => !optional);

  const { pages, isPastEnd } = usePages({
    query,
    pagination,
    isEmpty: props.rows?.length === 0,
    search,
    onPastEnd: (page) => onSearch({ page }, true),
  });
  const { data: rows, failed } = resultOf({ ...query, data: isPastEnd ? undefined : props.rows });
  if (!rows && !failed) return <Loading lines={8} />;
  if (rows?.length === 0 && !failed)
    return filtered ? (
      <NoMatch text={search.search} filtered={hasFilters(search)} onClear={props.onClearFilters} />
    ) : (
      (props.empty ?? <Empty />)
    );
  return (
    <Stack gap="xs">
      {/* The rows stay mounted: a row may have an open dialog. */}
      {failed}
      {rows && rows.length > 0 && (
        <>
          <Order
            columns={columns}
            shown={shown}
            sort={search.sort ?? defaultSort}
            defaultOrder={defaultOrder}
            onSort={(sort) => onSearch({ sort })}
          />
          <Rows {...props} shown={shown} rows={rows} />
        </>
      )}
      {pages && <Foot pagination={pages} columns={columns} shown={shown.map(({ id }) => id)} onSearch={onSearch} />}
    </Stack>
  );
}

type RowsProps<Row> = DataTableProps<Row> & { shown: readonly Column<Row>[]; rows: readonly Row[] };

function Rows<Row>(props: RowsProps<Row>) {
  const { label, query, shown, rows, rowKey, selection } = props;
  const frame = useElementSize();
  const table = useElementSize();
  // A sticky header doesn't work in a frame that scrolls sideways.
  const fits = table.width > 0 && table.width <= frame.width;
  const lastToggled = useRef<string>(undefined);

  /** @param isRange whether to include all rows since the last toggled row */
  function toggle(row: Row, checked: boolean, isRange: boolean): void {
    const keys = rows.map(rowKey);
    const at = keys.indexOf(rowKey(row));
    const last = isRange && lastToggled.current !== undefined ? keys.indexOf(lastToggled.current) : -1;
    const [from, to] = last < 0 ? [at, at] : [Math.min(at, last), Math.max(at, last)];
    lastToggled.current = keys[at];
    selectRows(rows.slice(from, to + 1), checked, props);
  }
  return (
    <Box
      ref={frame.ref}
      component="section"
      aria-label={label}
      tabIndex={0}
      className="table-frame table-cards"
      data-fits={fits}
    >
      <Table
        ref={table.ref}
        highlightOnHover
        verticalSpacing="xs"
        stickyHeader={fits}
        stickyHeaderOffset={56}
        aria-busy={query.isPlaceholderData}
        aria-label={label}
      >
        <Head {...props} />
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)} aria-selected={selection?.selected.has(rowKey(row))} onClick={openRow}>
              {selection && <SelectCell {...props} selection={selection} row={row} onToggle={toggle} />}
              {shown.map(({ id, header, render, align, noWrap, pinned }, index) => (
                <Table.Td
                  key={id}
                  data-align={align}
                  data-no-wrap={noWrap}
                  data-pinned={pinned}
                  data-label={index > 0 && !pinned ? header : undefined}
                >
                  <div>{render(row)}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}

function selectRows<Row>(
  some: readonly Row[],
  checked: boolean,
  { selection, rowKey }: Pick<DataTableProps<Row>, 'selection' | 'rowKey'>,
): void {
  const next = new Map(selection?.selected);
  for (const row of some)
    if (checked) next.set(rowKey(row), row);
    else next.delete(rowKey(row));
  selection?.onChange(next);
}

function Head<Row>(props: RowsProps<Row>) {
  const { shown, rows, rowKey, selection, search, onSearch, defaultSort } = props;
  const { t } = useTranslation();
  const sort = search.sort ?? defaultSort;
  const keys = rows.map(rowKey);
  const selectedHere = selection ? keys.filter((key) => selection.selected.has(key)).length : 0;

  return (
    <Table.Thead>
      <Table.Tr>
        {selection && (
          <Table.Th w={40} data-select>
            <Checkbox
              aria-label={t('table.selectAll')}
              // Visible beside the checkbox of cards, which have no head.
              label={t('table.selectAll')}
              checked={selectedHere === keys.length}
              indeterminate={selectedHere > 0 && selectedHere < keys.length}
              onChange={({ currentTarget }) => selectRows(rows, currentTarget.checked, props)}
            />
          </Table.Th>
        )}
        {shown.map(({ id, align, pinned, ...column }) => {
          const { header, sortKey } = column;
          const direction = directionOf(column, sort);
          const arrow = direction && <Arrow direction={direction} />;
          return (
            <Table.Th key={id} data-align={align} aria-sort={direction} data-pinned={pinned}>
              {sortKey === undefined ? (
                <span className={arrow && 'sort-button'}>
                  {header}
                  {arrow}
                </span>
              ) : (
                <UnstyledButton
                  className="sort-button"
                  aria-label={t('table.sortBy', { column: header })}
                  onClick={() => onSearch({ sort: direction === 'ascending' ? `-${sortKey}` : sortKey })}
                >
                  {header}
                  {arrow}
                </UnstyledButton>
              )}
            </Table.Th>
          );
        })}
      </Table.Tr>
    </Table.Thead>
  );
}

function Arrow({ direction }: { direction: 'ascending' | 'descending' | 'none' }) {
  if (direction === 'none') return <IconArrowsSort size={14} aria-hidden opacity={0.5} />;
  const Icon = direction === 'ascending' ? IconArrowUp : IconArrowDown;
  return <Icon size={14} aria-hidden />;
}

type SelectCellProps<Row> = Pick<DataTableProps<Row>, 'rowKey' | 'rowName'> & {
  row: Row;
  selection: Selection<Row>;
  onToggle(row: Row, checked: boolean, isRange: boolean): void;
};

function SelectCell<Row>({ row, rowKey, rowName, selection, onToggle }: SelectCellProps<Row>) {
  const { t } = useTranslation();
  const key = rowKey(row);
  return (
    <Table.Td data-select>
      <Checkbox
        aria-label={t('table.selectRow', { name: rowName?.(row) ?? key })}
        checked={selection.selected.has(key)}
        // With Shift, the browser would select text.
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
        onChange={({ currentTarget, nativeEvent }) =>
          onToggle(row, currentTarget.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
        }
      />
    </Table.Td>
  );
}

interface FootProps {
  pagination: PageInfo;
  columns: readonly { id: string; header: string }[];
  shown: readonly string[];
  onSearch(change: ListSearch): void;
}

function Foot({ pagination, columns, shown, onSearch }: FootProps) {
  const { t } = useTranslation();
  const toggled = (id: string) =>
    columns
      .map((column) => column.id)
      .filter((one) => (one === id ? !shown.includes(one) : shown.includes(one)))
      .join(',');
  return (
    <Pager pagination={pagination} onChange={onSearch}>
      <Menu position="top-end">
        <Menu.Target>
          <ActionIcon variant="default" size="md" aria-label={t('table.columns')}>
            <IconColumns size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t('table.columns')}</Menu.Label>
          {columns.map(({ id, header }) => (
            <Menu.CheckboxItem
              key={id}
              checked={shown.includes(id)}
              disabled={shown.length === 1 && shown.includes(id)}
              onChange={() => onSearch({ columns: toggled(id) })}
            >
              {header}
            </Menu.CheckboxItem>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Pager>
  );
}
