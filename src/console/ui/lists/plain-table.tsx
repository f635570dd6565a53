import { Box, Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface PlainTableProps {
  /** Names the table for screen readers. */
  label: string;
  head: readonly string[];
  /** The first cell of a row names it. */
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
  /** For figures: all columns but the first are aligned at their end. */
  figures?: boolean;
  /** In narrow windows its cells stand one below the other. */
  stacks?: boolean;
}

/** A few rows that are neither sorted nor paged: figures, or fields side by side. */
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
                // The columns never move.
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
