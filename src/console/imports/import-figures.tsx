import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../i18n/format.js';
import type { Import } from './import-status.js';

interface ImportFiguresProps {
  counts: Import['counts'];
  /** Nothing is done yet: these are of a plan. */
  planned?: boolean;
}

/** Rows of an import by outcome, with the enrollments they make; with `planned`, by the outcome that its plan foresees. */
export function ImportFigures({ counts, planned = false }: ImportFiguresProps) {
  const { t } = useTranslation();
  const words = planned ? 'planned' : 'outcomes';
  const figures = [
    ['imports.rows', counts.rows],
    [`imports.${words}.created`, counts.created],
    [`imports.${words}.updated`, counts.updated],
    [`imports.${words}.skipped`, counts.skipped],
    [`imports.${words}.rejected`, counts.rejected],
    // Most files have no courses.
    ...(counts.enrolled > 0 ? [['imports.enrolled', counts.enrolled] as const] : []),
    ...(counts.waiting > 0 ? [['imports.waiting', counts.waiting] as const] : []),
    ...(counts.leftOut > 0 ? [['imports.leftOut', counts.leftOut] as const] : []),
  ] as const;
  return (
    <Group gap="xl" mb="sm" component="dl" className="figures">
      {figures.map(([label, count]) => (
        <div key={label}>
          <Text component="dt" size="sm" c="dimmed">
            {t(label)}
          </Text>
          <Text component="dd" fz="xl" fw={650}>
            {formatNumber(count)}
          </Text>
        </div>
      ))}
    </Group>
  );
}
