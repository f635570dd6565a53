import { SegmentedControl, Skeleton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDay, formatNumber } from '../i18n/format.js';
import { lazyPart } from '../ui/lazy.js';
import { PlainTable } from '../ui/lists/plain-table.js';
import { Section } from './figures.js';
import type { Week, WeeksProps } from './weeks-chart.js';

// The chart library is as large as the rest of the console.
const WeeksChart = lazyPart(
  async () => (await import('./weeks-chart.js')).WeeksChart,
  <Skeleton h={160} />,
  WeeksTable,
);

export function Weeks({ weeks }: { weeks: readonly Week[] }) {
  const { t } = useTranslation();
  const [shown, setShown] = useState('chart');
  const series = (['enrollments', 'accounts'] as const)
    .filter((name) => weeks.some((week) => week[name] !== undefined))
    .map((name) => ({ name, label: t(`overview.weeks.${name}`) }));
  return (
    <Section
      title={t('overview.weeks.title')}
      action={
        <SegmentedControl
          size="xs"
          aria-label={t('overview.weeks.shownAs')}
          value={shown}
          onChange={setShown}
          data={[
            { value: 'chart', label: t('overview.weeks.chart') },
            { value: 'table', label: t('overview.weeks.table') },
          ]}
        />
      }
    >
      {shown === 'chart' ? (
        <figure className="chart" aria-label={t('overview.weeks.description')}>
          <WeeksChart weeks={weeks} series={series} />
        </figure>
      ) : (
        <WeeksTable weeks={weeks} series={series} />
      )}
    </Section>
  );
}

function WeeksTable({ weeks, series }: WeeksProps) {
  const { t } = useTranslation();
  return (
    <PlainTable
      label={t('overview.weeks.title')}
      figures
      head={[t('overview.weeks.week'), ...series.map(({ label }) => label)]}
      rows={weeks.map((week) => ({
        key: week.week,
        cells: [formatDay(week.week), ...series.map(({ name }) => formatNumber(week[name] ?? 0))],
      }))}
    />
  );
}
