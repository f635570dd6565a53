import { Alert, List, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Plan } from './import-status.js';

/** What looks wrong in a file that can be imported: to be looked at before the plan is confirmed. */
export function PlanWarnings({ warnings }: Pick<Plan, 'warnings'>) {
  const { t } = useTranslation();
  if (warnings.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" title={t('imports.warnings.title')}>
      <List size="sm">
        {warnings.map(({ code, message, count, rows, examples }) => (
          <List.Item key={`${code} ${message}`}>
            {t(`imports.warnings.${code}`)}
            <Text size="sm">
              {[
                ...(rows.length > 0
                  ? [
                      t('imports.warnings.rows', { count }),
                      t('imports.reasons.lines', {
                        count,
                        lines: `${rows.join(', ')}${rows.length < count ? ', …' : ''}`,
                      }),
                    ]
                  : []),
                ...(examples.length > 0 ? [examples.join('; ')] : []),
              ].join(' · ')}
            </Text>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
