import { SegmentedControl, Skeleton } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDay, formatNumber, formatShortDay } from '../i18n/format.js';
import { PlainTable } from '../ui/plain-table.js';
import { Section } from './figures.js';

/** A week with what was counted in it; `accounts` only for the super admin. */
export interface Week {
  week: string;
  enrollments: number;
  accounts?: number;
}

// The charts' library is as large as the rest of the console.
const WeeksChart = lazy(() => import('./weeks-chart.js'));

/** The last weeks as a chart; the same figures as a table for who can't see it, or wants to read them. */
export function Weeks({ weeks }: { weeks: readonly Week[] }) {
  const { t } = useTranslation();
  const [shown, setShown] = useState('chart');
  const series = (['enrollments', 'accounts'] as const).filter((name) =>
    weeks.some((week) => week[name] !== undefined),
  );
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
          <Suspense fallback={<Skeleton h={220} />}>
            <WeeksChart
              weeks={weeks.map((week) => ({ ...week, week: formatShortDay(week.week) }))}
              series={series.map((name) => ({ name, label: t(`overview.weeks.${name}`) }))}
            />
          </Suspense>
        </figure>
      ) : (
        <PlainTable
          label={t('overview.weeks.title')}
          figures
          head={[t('overview.weeks.week'), ...series.map((name) => t(`overview.weeks.${name}`))]}
          rows={weeks.map((week) => ({
            key: week.week,
            cells: [formatDay(week.week), ...series.map((name) => formatNumber(week[name] ?? 0))],
          }))}
        />
      )}
    </Section>
  );
}
