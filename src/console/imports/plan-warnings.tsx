import { Alert, List, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Plan } from './import-status.js';

/** Warnings of a plan. With invitations, warnings about people who may want no mail come first, in red. */
export function PlanWarnings({ warnings, invite }: Pick<Plan, 'warnings'> & { invite: boolean }) {
  const { t } = useTranslation();
  const isAlarming = ({ code }: Plan['warnings'][number]) => invite && code === 'STATE_NOT_IMPORTED';
  return (
    <>
      <WarningList color="red" title={t('imports.warnings.mailed')} warnings={warnings.filter(isAlarming)} />
      <WarningList
        color="yellow"
        title={t('imports.warnings.title')}
        warnings={warnings.filter((warning) => !isAlarming(warning))}
      />
    </>
  );
}

function WarningList({ color, title, warnings }: Pick<Plan, 'warnings'> & { color: string; title: string }) {
  const { t } = useTranslation();
  if (warnings.length === 0) return null;
  return (
    <Alert color={color} variant="light" title={title}>
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
