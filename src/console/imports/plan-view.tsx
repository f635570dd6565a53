import { Accordion, Alert, Button, Group, List, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client.js';
import { isOutdated, useChange } from '../api/queries.js';
import { formatTime } from '../i18n/format.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { useUnsavedGuard } from '../ui/forms/unsaved.js';
import { ColumnMapping } from './column-mapping.js';
import { ColumnQuestions } from './column-questions.js';
import { CourseNames, chosenCourses } from './course-names.js';
import { EncodingQuestion } from './encoding-question.js';
import { ImportFigures } from './import-figures.js';
import { encodingLabels } from './import-options.js';
import type { Import, Plan } from './import-status.js';
import { PlanLeavers } from './plan-leavers.js';
import {
  CommonOptions,
  differencesFromPlan,
  isWorkbook,
  type PlanChanges,
  PlanOptions,
  planRequest,
  SheetChoice,
} from './plan-options.js';
import { IdentityChanges, PlanReasons } from './plan-reasons.js';
import { PlanWarnings } from './plan-warnings.js';
import { PlanProblem, planRefusal } from './reason-text.js';
import { GroupOptions } from './roster-options.js';
import { UsedColumns } from './used-columns.js';

interface PlanViewProps {
  current: Import;
  plan: Plan;
}

/** Plan of an import, whose columns and options can be changed before it is applied. */
export function PlanView({ current, plan }: PlanViewProps) {
  const { t } = useTranslation();
  const [changes, setChanges] = useState<PlanChanges>({});
  const [asking, setAsking] = useState<'apply' | 'discard'>();
  const replan = useChange('planImport');
  const apply = useChange('applyImport');
  const discard = useChange('cancelImport');
  const path = { id: current.id };
  const change = (next: PlanChanges) => {
    // Hides the failure of the last request: the next request differs.
    if (replan.isError) replan.reset();
    setChanges(differencesFromPlan(current, plan, next));
  };
  const changed = Object.keys(changes).length > 0;
  useUnsavedGuard(changed, [t('imports.plan.unsaved')]);
  const held = plan.roster?.held;
  const approval = held && { allowLeaving: held.leaving };
  const action = held ? t('imports.roster.approve', { count: held.leaving }) : t('imports.plan.apply');
  const applicable = plan.id !== null && plan.refusal === null && !changed;

  const isPending = replan.isPending;
  const parts = { current, plan, changes, isPending, onChange: change, onPlan: planAgain };

  function planAgain(wanted: PlanChanges): void {
    replan.mutate({ path, body: planRequest(current, plan, wanted) }, { onSuccess: () => setChanges({}) });
  }

  async function applyPlan(): Promise<void> {
    try {
      await apply.mutateAsync({ path, body: { ...(plan.id !== null && { planId: plan.id }), ...approval } });
    } catch (error) {
      // Other members leave by now: a new plan shows them.
      if (error instanceof ApiError && error.code === 'SYNC_HELD') planAgain({});
      // The new plan has been fetched, and the user must see it first. So the dialog closes, and the page shows the error.
      if (!isOutdated(error)) throw error;
    }
  }

  return (
    <Stack gap="lg">
      {plan.problem && (
        <Alert color="red" variant="light" role="alert" title={t('imports.plan.problem')}>
          <PlanProblem problem={plan.problem} />
        </Alert>
      )}
      {plan.problem && plan.problem.candidates.length > 0 && (
        <EncodingQuestion
          candidates={plan.problem.candidates}
          isPending={isPending}
          onChoose={(encoding) => planAgain({ ...changes, encoding })}
        />
      )}
      {plan.problem && plan.columns.length > 0 && <ColumnQuestions {...parts} />}
      {plan.refusal !== null && (
        <Alert color="red" variant="light" role="alert" title={t('imports.plan.refusal')}>
          {planRefusal(current, plan, t)}
        </Alert>
      )}
      <PlanLeavers current={current} plan={plan} />
      {plan.counts && <PlanSummary {...parts} />}
      {plan.counts && <PlanReasons {...parts} />}
      <IdentityChanges plan={plan} />
      <PlanWarnings warnings={plan.warnings} invite={current.options.invite === true} />
      <SheetChoice {...parts} />
      {plan.counts && <UsedColumns {...parts} />}
      {current.trainer === null && <CommonOptions {...parts} />}
      {current.trainer === null && <GroupOptions {...parts} />}
      <Accordion multiple variant="contained" order={2} defaultValue={plan.problem ? [partToChange(plan.problem)] : []}>
        {plan.columns.length > 0 && (
          <Accordion.Item value="columns">
            <Accordion.Control>{t('imports.columns.change')}</Accordion.Control>
            <Accordion.Panel>
              <ColumnMapping {...parts} />
            </Accordion.Panel>
          </Accordion.Item>
        )}
        {(current.trainer === null || !isWorkbook(plan)) && (
          <Accordion.Item value="options">
            <Accordion.Control>{t('imports.options.title')}</Accordion.Control>
            <Accordion.Panel>
              <PlanOptions {...parts} />
            </Accordion.Panel>
          </Accordion.Item>
        )}
      </Accordion>
      <FormFailure>{replan.error ?? undefined}</FormFailure>
      <FormFailure>{isOutdated(apply.error) ? apply.error : undefined}</FormFailure>
      <Group className="sticky-actions" justify="space-between">
        <Button variant="default" onClick={() => setAsking('discard')}>
          {t('imports.discard')}
        </Button>
        {changed ? (
          <Button onClick={() => planAgain(changes)} loading={isPending}>
            {t('imports.plan.again')}
          </Button>
        ) : (
          <Button
            {...(held && { color: 'red.9', className: 'wrapping' })}
            disabled={!applicable}
            loading={isPending}
            onClick={() => {
              apply.reset();
              setAsking('apply');
            }}
          >
            {action}
          </Button>
        )}
      </Group>
      <ConfirmDialog
        opened={asking === 'apply'}
        onClose={() => setAsking(undefined)}
        title={t('imports.plan.applyTitle')}
        action={action}
        destructive={held != null}
        onConfirm={applyPlan}
      >
        <Text mb="xs">{t('imports.plan.applyText')}</Text>
        <Effects plan={plan} />
        {plan.invitations > 0 && <Text mt="xs">{t('imports.plan.willMail', { count: plan.invitations })}</Text>}
      </ConfirmDialog>
      <ConfirmDialog
        opened={asking === 'discard'}
        onClose={() => setAsking(undefined)}
        title={t('imports.discardTitle')}
        action={t('imports.discard')}
        destructive
        onConfirm={() => discard.mutateAsync({ path })}
      >
        {t('imports.discardText')}
      </ConfirmDialog>
    </Stack>
  );
}

/** Part of the page with the answer to a problem. */
const partToChange = ({ reason }: NonNullable<Plan['problem']>): 'columns' | 'options' => {
  const reasons = ['COLUMNS_MISSING', 'COLUMN_REPEATED', 'HEADER_MISSING', 'GROUPS_TOO_MANY'];
  return reasons.includes(reason ?? '') ? 'columns' : 'options';
};

function Effects({ plan }: { plan: Plan }) {
  const { t } = useTranslation();
  const { counts, generatedPasswords, columns, news } = plan;
  if (!counts) return null;
  const replies = columns.find(({ field }) => field === 'reply');
  const effects = [
    ['willLeave', counts.left],
    ['willCreate', counts.created],
    ['willUpdate', counts.updated],
    ['willEnroll', counts.enrolled],
    ['willWait', counts.waiting],
    ['willLeaveOut', counts.leftOut],
    ['willShow', replies?.people ?? 0],
    ['willTell', news],
    ['willGenerate', generatedPasswords],
    ['willSkip', counts.skipped],
    ['willReject', counts.rejected],
  ] as const;
  return (
    <List>
      {effects
        .filter(([, count]) => count > 0)
        .map(([key, count]) => (
          <List.Item key={key}>{t(`imports.plan.${key}`, { count })}</List.Item>
        ))}
    </List>
  );
}

const delimiterNames = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe' } as const;

interface PlanSummaryProps {
  current: Import;
  plan: Plan;
  changes: PlanChanges;
  onPlan(changes: PlanChanges): void;
}

function PlanSummary({ current: { options }, plan, changes, onPlan }: PlanSummaryProps) {
  const { t } = useTranslation();
  const { file, counts, createdByRole, invitations, newGroups, stopsAtLine, roleWords, expiresAt } = plan;
  if (!counts) return null;
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        {t('imports.plan.title')}
      </Title>
      <ImportFigures counts={counts} planned />
      {plan.reasons.length === 0 && <Text size="sm">{t('imports.reasons.none')}</Text>}
      {file && (
        <Text size="sm">
          {file.workbook
            ? t('imports.plan.sheet', { sheet: file.workbook.sheet, line: String(file.headerLine) })
            : t('imports.plan.understood', {
                encoding: encodingLabels(t)[file.encoding],
                delimiter: t(`imports.plan.${delimiterNames[file.delimiter]}`),
                line: String(file.headerLine),
              })}
        </Text>
      )}
      {createdByRole &&
        (['trainee', 'trainer'] as const)
          .filter((role) => createdByRole[role] > 0)
          .map((role) => (
            <Text size="sm" key={role}>
              {t(`imports.plan.${role}`, { count: createdByRole[role] })}
            </Text>
          ))}
      {invitations > 0 && <Text size="sm">{t('imports.plan.willInvite', { count: invitations })}</Text>}
      {options.noPassword === true && counts.created > 0 && <Text size="sm">{t('imports.plan.noPassword')}</Text>}
      {newGroups.length > 0 && (
        <Text size="sm">{t('imports.plan.newGroups', { count: newGroups.length, names: newGroups.join(', ') })}</Text>
      )}
      {file && file.names.length > 0 && (
        <Text size="sm">{t('imports.plan.names', { names: file.names.join(', ') })}</Text>
      )}
      {roleWords.map(({ word, role }) => (
        <Text size="sm" key={word}>
          {t('imports.plan.roleWord', { word, role: t(`role.${role}`) })}
        </Text>
      ))}
      <CourseNames
        options={options}
        onRemove={(choice) => onPlan({ ...changes, mapCourse: chosenCourses(options).filter((one) => one !== choice) })}
      />
      {stopsAtLine !== null && <Text size="sm">{t('imports.plan.stopsAt', { line: String(stopsAtLine) })}</Text>}
      <Text size="sm" c="dimmed">
        {t('imports.plan.expires', { when: formatTime(expiresAt) })}
      </Text>
    </Paper>
  );
}
