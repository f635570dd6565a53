import { Box, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { openRow } from './open-row.js';

interface PlainTableProps {
  /** Accessible name of the table. */
  label: string;
  head: readonly string[];
  /** The first cell is the header of its row. */
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
  /** Whether all columns except the first are numbers: they are end-aligned, and fit every window. */
  figures?: boolean;
}

/** Table of a few rows, without sorting and paging. In a narrow window, each row is a card, except for figures. */
export function PlainTable({ label, head, rows, figures = false }: PlainTableProps) {
  const align = (column: number) => (figures && column > 0 ? 'end' : undefined);
  return (
    <Box role="group" aria-label={label} tabIndex={0} className={figures ? 'table-frame' : 'table-frame table-cards'}>
      <Table aria-label={label} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {head.map((text, column) => (
              <Table.Th key={text} scope="col" data-align={align(column)}>
                {text}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, cells: [name, ...cells] }) => (
            <Table.Tr key={key} onClick={openRow}>
              <Table.Th scope="row" fw={500}>
                {name}
              </Table.Th>
              {cells.map((cell, column) => (
                // The columns are never reordered.
                // biome-ignore lint/suspicious/noArrayIndexKey: see above
                <Table.Td key={column} data-align={align(column + 1)} data-label={head[column + 1]}>
                  <div>{cell}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}
