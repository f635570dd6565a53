import { Box, Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface PlainTableProps {
  /** Accessible name of the table. */
  label: string;
  head: readonly string[];
  /** The first cell is the header of its row. */
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
  /** Whether all columns except the first are end-aligned, for numbers. */
  figures?: boolean;
  /** Whether cells are stacked in narrow windows. */
  stacks?: boolean;
}

/** Table of a few rows, without sorting and paging. */
export function PlainTable({ label, head, rows, figures = false, stacks }: PlainTableProps) {
  const align = (column: number) => (figures && column > 0 ? 'end' : 'start');
  return (
    <Box role="group" aria-label={label} tabIndex={0} className="table-frame" data-stacks={stacks}>
      <Table aria-label={label} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {head.map((text, column) => (
              <Table.Th key={text} scope="col" ta={align(column)}>
                {text}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, cells: [name, ...cells] }) => (
            <Table.Tr key={key}>
              <Table.Th scope="row" fw={500}>
                {name}
              </Table.Th>
              {cells.map((cell, column) => (
                // The columns are never reordered.
                // biome-ignore lint/suspicious/noArrayIndexKey: see above
                <Table.Td key={column} ta={align(column + 1)} data-label={stacks && head[column + 1]}>
                  {stacks ? <div>{cell}</div> : cell}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}
