import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../i18n/format.js';
import type { Import } from './import-status.js';

/** How many rows an import has, and what becomes of them. */
export function ImportFigures({ counts }: { counts: Import['counts'] }) {
  const { t } = useTranslation();
  const figures = [
    ['imports.rows', counts.rows],
    ['imports.created', counts.created],
    ['imports.updated', counts.updated],
    ['imports.outcomes.skipped', counts.skipped],
    ['imports.rejected', counts.rejected],
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
