import { Alert, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatDay } from '../i18n/format.js';
import type { Overview } from './overview-page.js';

/** Shows today in the programme's time zone, and a warning if no time zone is set. */
export function ProgrammeDay({ programme }: Pick<Overview<'super_admin'>, 'programme'>) {
  const { t } = useTranslation();
  const { today, timeZone, timeZoneMissing } = programme;
  const day = <Text size="sm">{t('overview.day.today', { day: formatDay(today), timeZone })}</Text>;
  if (!timeZoneMissing) return day;
  return (
    <Alert color="yellow" variant="light" role="status" p="sm">
      {day}
      <Text size="sm">{t('overview.day.missing', { timeZone })}</Text>
    </Alert>
  );
}
