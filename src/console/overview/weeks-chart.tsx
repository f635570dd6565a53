import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { useReducedMotion } from '@mantine/hooks';
import { formatNumber, formatShortDay } from '../i18n/format.js';

/** Counts of a week; `accounts` only for the super admin. */
export interface Week {
  week: string;
  enrollments: number;
  accounts?: number;
}

export interface WeeksProps {
  weeks: readonly Week[];
  /** Counts to show for each week. */
  series: readonly { name: 'enrollments' | 'accounts'; label: string }[];
}

const colors = ['teal.6', 'orange.6'];

/** Bar chart, in a chunk of its own. Hidden from assistive technology: a table shows the same figures. */
export function WeeksChart({ weeks, series }: WeeksProps) {
  const reducedMotion = useReducedMotion();
  return (
    <div aria-hidden>
      <BarChart
        h={160}
        data={weeks.map((week) => ({ ...week, week: formatShortDay(week.week) }))}
        dataKey="week"
        series={series.map((one, index) => ({ ...one, color: colors[index] ?? 'gray.6' }))}
        withLegend={series.length > 1}
        legendProps={{ verticalAlign: 'bottom' }}
        valueFormatter={formatNumber}
        // In a narrow window, labels of weeks are skipped evenly. All figures of the y axis stay, to match the grid lines.
        xAxisProps={{ interval: 'equidistantPreserveStart' }}
        yAxisProps={{ allowDecimals: false, width: 'auto', interval: 0 }}
        gridProps={{ syncWithTicks: true }}
        barProps={{ isAnimationActive: !reducedMotion }}
        // Labels are 10 pixels away from their axis. Without a margin above, the highest label moves away from its line.
        barChartProps={{ accessibilityLayer: false, margin: { top: 10, right: 5, bottom: 5, left: 12 } }}
        tickLine="none"
      />
    </div>
  );
}
