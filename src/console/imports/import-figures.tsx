import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../i18n/format.js';
import type { Import } from './import-status.js';

interface ImportFiguresProps {
  counts: Import['counts'];
  /** Whether the counts are of a plan. */
  planned?: boolean;
}

/** Numbers of rows by actual or planned outcome, and of enrollments. */
export function ImportFigures({ counts, planned = false }: ImportFiguresProps) {
  const { t } = useTranslation();
  const group = planned ? 'planned' : 'outcomes';
  const figures = [
    ['imports.rows', counts.rows],
    [`imports.${group}.created`, counts.created],
    [`imports.${group}.updated`, counts.updated],
    [`imports.${group}.skipped`, counts.skipped],
    [`imports.${group}.rejected`, counts.rejected],
    // Hidden for most files, which have no courses.
    ...(counts.enrolled > 0 ? [['imports.enrolled', counts.enrolled] as const] : []),
    ...(counts.waiting > 0 ? [['imports.waiting', counts.waiting] as const] : []),
    ...(counts.leftOut > 0 ? [['imports.leftOut', counts.leftOut] as const] : []),
    ...(counts.left > 0 ? [[`imports.${group}.left`, counts.left] as const] : []),
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
