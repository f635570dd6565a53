import { Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatNumber } from '../i18n/format.js';

export function Section({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title} h="100%">
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Title order={2} size="h4">
            {title}
          </Title>
          {action}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}

export interface Figure {
  key: string;
  /** Name of the figure, as a link to its list. */
  label: ReactNode;
  value: number;
}

export function Figures({ figures }: { figures: readonly Figure[] }) {
  // Avoids a single figure in the last row.
  const columns = [3, 2, 4].find((count) => figures.length % count !== 1) ?? 3;
  return (
    <SimpleGrid component="dl" cols={{ base: 2, xs: columns }} spacing="sm" m={0}>
      {figures.map(({ key, label, value }) => (
        <Stack key={key} gap={0} justify="flex-end" className="figure">
          <Text component="dt" size="sm" c="dimmed">
            {label}
          </Text>
          <Text component="dd" fz={20} fw={650} lh={1.2} m={0}>
            {formatNumber(value)}
          </Text>
        </Stack>
      ))}
    </SimpleGrid>
  );
}
