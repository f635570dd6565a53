import { Group, List, NativeSelect, Paper, Stack, Switch, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { TextLink } from '../ui/links.js';
import { oneOf } from '../ui/lists/list-search.js';
import { effectiveOption, valueLabels } from './import-options.js';
import type { Import, Plan } from './import-status.js';
import type { PlanChanges } from './plan-options.js';
import { ReasonText } from './reason-text.js';

const whenFullValues = ['reject', 'wait', 'skip-course'] as const;

interface PlanReasonsProps {
  /** Import with the options of the plan. */
  current: Pick<Import, 'id' | 'options'>;
  plan: Plan;
  changes: PlanChanges;
  onChange(changes: PlanChanges): void;
}

/** Grouped reasons why rows are skipped, rejected or changed, and updates that change the identity of accounts. */
export function PlanReasons({ current, plan, changes, onChange }: PlanReasonsProps) {
  const { t } = useTranslation();
  const { id, options } = current;
  const { reasons, identityChanges, identityChangesLeftOut } = plan;
  return (
    <Stack gap="lg">
      <Paper withBorder p="md">
        <Title order={2} size="h4" mb="xs">
          {t('imports.reasons.title')}
        </Title>
        {reasons.length === 0 && <Text size="sm">{t('imports.reasons.none')}</Text>}
        <Stack gap="sm">
          {reasons.map(({ outcome, code, otherCodes, message, count, rows }) => (
            <div key={`${outcome} ${code} ${message}`}>
              <Text component="div" fw={600}>
                <ReasonText code={code} otherCodes={otherCodes} message={message} isGroup />
              </Text>
              <Group gap="xs">
                <Text size="sm" c="dimmed">
                  {t(`imports.reasons.${outcome}`, { count })}
                  {' · '}
                  {t('imports.reasons.lines', {
                    count,
                    lines: `${rows.join(', ')}${rows.length < count ? ', …' : ''}`,
                  })}
                </Text>
                <TextLink
                  size="sm"
                  to="/imports/$id"
                  params={{ id }}
                  search={{ outcome, code }}
                  hash="rows"
                  hashScrollIntoView
                >
                  {t('imports.reasons.show')}
                </TextLink>
              </Group>
              {code === 'COURSE_FULL' && (
                <NativeSelect
                  mt="xs"
                  maw={400}
                  label={t('imports.options.whenFull')}
                  value={String(changes.whenFull ?? effectiveOption(options, 'whenFull'))}
                  onChange={({ currentTarget: { value } }) =>
                    onChange({ ...changes, whenFull: oneOf(whenFullValues, value) ?? 'reject' })
                  }
                  data={whenFullValues.map((value) => ({ value, label: valueLabels(t).whenFull[value] }))}
                />
              )}
              {code === 'PHONE_MISSING' && (
                <Switch
                  mt="xs"
                  label={t('imports.options.allowMissingPhone')}
                  checked={(changes.missingPhone ?? options.missingPhone) === 'allow'}
                  onChange={({ currentTarget }) =>
                    onChange({ ...changes, missingPhone: currentTarget.checked ? 'allow' : 'reject' })
                  }
                />
              )}
            </div>
          ))}
        </Stack>
      </Paper>
      {identityChanges.length > 0 && (
        <Paper withBorder p="md">
          <Title order={2} size="h4">
            {t('imports.plan.identity')}
          </Title>
          <Text size="sm" c="dimmed" mb="xs">
            {t('imports.plan.identityHint')}
          </Text>
          <List size="sm">
            {identityChanges.map(({ line, userId, before, after }) => (
              <List.Item key={line}>
                {t('imports.plan.line', { line: String(line) })}:{' '}
                <TextLink size="sm" to="/people/$id" params={{ id: userId }}>
                  {before.firstName} {before.lastName} ({before.email}, {t(`role.${before.role}`)})
                </TextLink>
                {' → '}
                {after.firstName} {after.lastName} ({after.email}, {t(`role.${after.role}`)})
              </List.Item>
            ))}
          </List>
          {identityChangesLeftOut > 0 && (
            <Text size="sm">{t('imports.plan.identityMore', { count: identityChangesLeftOut })}</Text>
          )}
        </Paper>
      )}
    </Stack>
  );
}
