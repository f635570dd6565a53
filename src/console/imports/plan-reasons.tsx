import { Group, List, NativeSelect, Paper, Stack, Switch, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { TextLink } from '../ui/links.js';
import { oneOf } from '../ui/lists/list-search.js';
import { columnName } from './column-name.js';
import { CourseAnswers, chosenCourses } from './course-names.js';
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
  isPending: boolean;
  onChange(changes: PlanChanges): void;
  onPlan(changes: PlanChanges): void;
}

/** Reasons of rejected rows with ways to correct them, then reasons of rows that are skipped or lose a course. */
export function PlanReasons(props: PlanReasonsProps) {
  const { t } = useTranslation();
  const { reasons, counts } = props.plan;
  const rejected = reasons.filter(({ outcome }) => outcome === 'rejected');
  const others = reasons.filter(({ outcome }) => outcome !== 'rejected');
  return (
    <>
      {rejected.length > 0 && (
        <Paper withBorder p="md">
          <Title order={2} size="h4">
            {t('imports.reasons.rejectedTitle', { count: counts?.rejected ?? 0 })}
          </Title>
          <Text size="sm" c="dimmed" mb="sm">
            {t(props.plan.roster ? 'imports.roster.rejectedHint' : 'imports.reasons.rejectedHint')}
          </Text>
          <Reasons {...props} reasons={rejected} />
        </Paper>
      )}
      {others.length > 0 && (
        <Paper withBorder p="md">
          <Title order={2} size="h4" mb="sm">
            {t('imports.reasons.title')}
          </Title>
          <Reasons {...props} reasons={others} />
        </Paper>
      )}
    </>
  );
}

function Reasons({ reasons, ...props }: PlanReasonsProps & Pick<Plan, 'reasons'>) {
  const { t } = useTranslation();
  const { current, plan, changes, isPending, onChange, onPlan } = props;
  const { id, options } = current;
  const headingOf = (field: Plan['reasons'][number]['field']) => {
    const column = field && plan.columns.find((one) => one.field === field);
    return column ? [t('imports.reasons.column', { heading: columnName(column, t) })] : [];
  };
  return (
    <Stack gap="md">
      {reasons.map(({ outcome, code, otherCodes, field, message, courseQuestion, count, rows }) => (
        <div key={`${outcome} ${code} ${message}`}>
          <Text component="div" fw={600}>
            {courseQuestion ? (
              <CourseReason code={code} name={courseQuestion.name} />
            ) : (
              <ReasonText code={code} otherCodes={otherCodes} message={message} isGroup />
            )}
          </Text>
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              {[
                t(`imports.reasons.${outcome}`, { count }),
                ...headingOf(field),
                t('imports.reasons.lines', { count, lines: `${rows.join(', ')}${rows.length < count ? ', …' : ''}` }),
              ].join(' · ')}
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
          {courseQuestion && (
            <CourseAnswers
              question={courseQuestion}
              isPending={isPending}
              onChoose={(choice) => onPlan({ ...changes, mapCourse: [...chosenCourses(options), choice] })}
            />
          )}
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
  );
}

/** Reason that names the course as the file does. */
function CourseReason({ code, name }: { code: string; name: string }) {
  const { t } = useTranslation();
  return t(code === 'COURSE_AMBIGUOUS' ? 'imports.courses.ambiguous' : 'imports.courses.unknown', { name });
}

/** Updates that may give an account to another person. */
export function IdentityChanges({ plan: { identityChanges, identityChangesLeftOut } }: { plan: Plan }) {
  const { t } = useTranslation();
  if (identityChanges.length === 0) return null;
  return (
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
  );
}
