import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { useReducedMotion } from '@mantine/hooks';
import { formatNumber, formatShortDay } from '../i18n/format.js';

/** A week with what was counted in it; `accounts` only for the super admin. */
export interface Week {
  week: string;
  enrollments: number;
  accounts?: number;
}

export interface WeeksProps {
  weeks: readonly Week[];
  /** What is shown of each week. */
  series: readonly { name: 'enrollments' | 'accounts'; label: string }[];
}

const colors = ['teal.6', 'orange.6'];

/** In a chunk of its own. Its figures stand in a table, too: assistive technology passes it over. */
export function WeeksChart({ weeks, series }: WeeksProps) {
  const reducedMotion = useReducedMotion();
  return (
    <div aria-hidden>
      <BarChart
        h={220}
        data={weeks.map((week) => ({ ...week, week: formatShortDay(week.week) }))}
        dataKey="week"
        series={series.map((one, index) => ({ ...one, color: colors[index] ?? 'gray.6' }))}
        withLegend={series.length > 1}
        legendProps={{ verticalAlign: 'bottom' }}
        valueFormatter={formatNumber}
        // In a narrow window, weeks are left out evenly; figures aren't: the grid would leave out others than the axis.
        xAxisProps={{ interval: 'equidistantPreserveStart' }}
        yAxisProps={{ allowDecimals: false, width: 'auto', interval: 0 }}
        gridProps={{ syncWithTicks: true }}
        barProps={{ isAnimationActive: !reducedMotion }}
        // Labels stand 10 pixels aside of their axis; without room above, the uppermost moves away from its line.
        barChartProps={{ accessibilityLayer: false, margin: { top: 10, right: 5, bottom: 5, left: 12 } }}
        tickLine="none"
      />
    </div>
  );
}
