import { ActionIcon, Box, Button, Checkbox, Menu, Stack, Table, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp, IconColumns } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty, Loading, resultOf } from '../states.js';
import type { ListSearch } from './list-search.js';
import { type PageInfo, Pager, usePages } from './pager.js';

export interface Column<Row> {
  id: string;
  header: string;
  render(row: Row): ReactNode;
  /** The key that the service sorts by; without one the column can't be sorted. */
  sortKey?: string;
  /** Shown only when it is chosen. */
  optional?: boolean;
  align?: 'start' | 'end';
  /** On one line, also where the table is too wide for the window. */
  noWrap?: boolean;
  /** Left out in narrow windows: the first column says it there. */
  wideOnly?: boolean;
  /** Stays in sight where the table scrolls sideways: the last column, for what can be done with a row; its header is for screen readers. */
  pinned?: boolean;
}

/** What is selected: the rows of all pages that were looked at, by their keys. */
export interface Selection<Row> {
  selected: ReadonlyMap<string, Row>;
  onChange(selected: ReadonlyMap<string, Row>): void;
}

interface DataTableProps<Row> {
  /** Names the table for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  query: Pick<UseQueryResult<unknown>, 'isPending' | 'isPlaceholderData' | 'error' | 'refetch'>;
  rows: readonly Row[] | undefined;
  pagination: PageInfo | undefined;
  rowKey(row: Row): string;
  /** What a row is called, in the name of its checkbox. */
  rowName?(row: Row): string;
  search: ListSearch;
  /**
   * Changes the address; a change of anything but the page begins at page 1.
   * @param replace whether the change takes the place of the entry in the browser's history
   */
  onSearch(change: ListSearch, replace?: boolean): void;
  /** The sort key when the address has none. */
  defaultSort?: string;
  selection?: Selection<Row>;
  /** In narrow windows its cells stand one below the other. */
  stacks?: boolean;
  /** Whether a filter or search is set. */
  filtered?: boolean;
  onClearFilters?(): void;
  /** Shown when there is nothing at all. */
  empty?: ReactNode;
}

/** The one table: sorted, paged, with columns to choose; where it stands is in the address. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns, query, pagination, search, onSearch, filtered = false } = props;
  const { t } = useTranslation();
  const chosen = search.columns?.split(',');
  const known = columns.filter(({ id }) => chosen?.includes(id));
  // An address may name only columns that this user's table doesn't have.
  const shown = known.length > 0 ? known : columns.filter(({ optional }) => !optional);

  const { pages, isBeyond } = usePages({
    query,
    pagination,
    isEmpty: props.rows?.length === 0,
    search,
    onBeyond: (page) => onSearch({ page }, true),
  });
  const { data: rows, failed } = resultOf({ ...query, data: isBeyond ? undefined : props.rows });
  if (!rows && !failed) return <Loading lines={8} />;
  if (rows?.length === 0 && !failed)
    return filtered ? (
      <Empty message={t('state.noMatch')}>
        {props.onClearFilters && (
          <Button variant="default" size="xs" onClick={props.onClearFilters}>
            {t('action.clear')}
          </Button>
        )}
      </Empty>
    ) : (
      (props.empty ?? <Empty />)
    );
  return (
    <Stack gap="xs">
      {/* The rows stay: they may have an open dialog. */}
      {failed}
      {rows && rows.length > 0 && <Rows {...props} shown={shown} rows={rows} />}
      {pages && <Foot pagination={pages} columns={columns} shown={shown.map(({ id }) => id)} onSearch={onSearch} />}
    </Stack>
  );
}

type RowsProps<Row> = DataTableProps<Row> & { shown: readonly Column<Row>[]; rows: readonly Row[] };

function Rows<Row>(props: RowsProps<Row>) {
  const { label, query, columns, shown, rows, rowKey, selection, stacks } = props;
  return (
    <Box component="section" aria-label={label} tabIndex={0} className="table-frame" data-stacks={stacks}>
      <Table highlightOnHover verticalSpacing="xs" aria-busy={query.isPlaceholderData} aria-label={label}>
        <Head {...props} />
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)} aria-selected={selection?.selected.has(rowKey(row))}>
              {selection && <SelectCell {...props} selection={selection} row={row} />}
              {shown.map(({ id, header, render, align, noWrap, wideOnly, pinned }) => (
                <Table.Td
                  key={id}
                  ta={align ?? 'start'}
                  data-no-wrap={noWrap}
                  data-pinned={pinned}
                  data-wide-only={wideOnly && shown[0] === columns[0]}
                  data-label={stacks && header}
                >
                  {stacks ? <div>{render(row)}</div> : render(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}

function Head<Row>({ columns, shown, rows, rowKey, selection, search, onSearch, defaultSort }: RowsProps<Row>) {
  const { t } = useTranslation();
  const sort = search.sort ?? defaultSort;
  const keys = rows.map(rowKey);
  const selectedHere = selection ? keys.filter((key) => selection.selected.has(key)).length : 0;

  function selectPage(checked: boolean): void {
    if (!selection) return;
    const next = new Map(selection.selected);
    for (const row of rows)
      if (checked) next.set(rowKey(row), row);
      else next.delete(rowKey(row));
    selection.onChange(next);
  }

  return (
    <Table.Thead>
      <Table.Tr>
        {selection && (
          <Table.Th w={40}>
            <Checkbox
              aria-label={t('table.selectAll')}
              checked={selectedHere === keys.length}
              indeterminate={selectedHere > 0 && selectedHere < keys.length}
              onChange={({ currentTarget }) => selectPage(currentTarget.checked)}
            />
          </Table.Th>
        )}
        {shown.map(({ id, header, sortKey, align, wideOnly, pinned }) => {
          const direction = sort === sortKey ? 'ascending' : sort === `-${sortKey}` ? 'descending' : 'none';
          return (
            <Table.Th
              key={id}
              ta={align ?? 'start'}
              aria-sort={sortKey === undefined ? undefined : direction}
              data-pinned={pinned}
              data-wide-only={wideOnly && shown[0] === columns[0]}
            >
              {sortKey === undefined ? (
                <span>{header}</span>
              ) : (
                <UnstyledButton
                  className="sort-button"
                  aria-label={t('table.sortBy', { column: header })}
                  onClick={() => onSearch({ sort: direction === 'ascending' ? `-${sortKey}` : sortKey })}
                >
                  {header}
                  {direction === 'ascending' && <IconArrowUp size={14} aria-hidden />}
                  {direction === 'descending' && <IconArrowDown size={14} aria-hidden />}
                  {direction === 'none' && <IconArrowsSort size={14} aria-hidden opacity={0.5} />}
                </UnstyledButton>
              )}
            </Table.Th>
          );
        })}
      </Table.Tr>
    </Table.Thead>
  );
}

function SelectCell<Row>({
  row,
  rowKey,
  rowName,
  selection,
}: Pick<DataTableProps<Row>, 'rowKey' | 'rowName'> & { row: Row; selection: Selection<Row> }) {
  const { t } = useTranslation();
  const key = rowKey(row);
  return (
    <Table.Td>
      <Checkbox
        aria-label={t('table.selectRow', { name: rowName?.(row) ?? key })}
        checked={selection.selected.has(key)}
        onChange={({ currentTarget }) => {
          const next = new Map(selection.selected);
          if (currentTarget.checked) next.set(key, row);
          else next.delete(key);
          selection.onChange(next);
        }}
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
