import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type FileColumn, fieldOf, mapColumn, missingFields, repeatedFields } from './column-choices.js';
import { columnName, exampleOf } from './column-name.js';
import { type ImportField, importFieldName } from './field-name.js';
import type { Plan } from './import-status.js';
import type { PlanChanges } from './plan-options.js';

interface ColumnQuestionsProps {
  plan: Plan;
  changes: PlanChanges;
  isPending: boolean;
  onChange(changes: PlanChanges): void;
  onPlan(changes: PlanChanges): void;
}

/** Asks for the columns of missing fields and of fields that several columns have. The last answer plans again. */
export function ColumnQuestions({ plan, changes, isPending, onChange, onPlan }: ColumnQuestionsProps) {
  const { t } = useTranslation();
  const missing = missingFields(plan, changes);
  const repeated = repeatedFields(plan, changes);
  if (missing.length === 0 && repeated.length === 0) return null;
  function answer(next: PlanChanges): void {
    const isLast = missingFields(plan, next).length === 0 && repeatedFields(plan, next).length === 0;
    (isLast ? onPlan : onChange)(next);
  }
  const columnButtons = (columns: readonly FileColumn[], field: ImportField) =>
    columns.map((column) => (
      <ColumnButton
        key={column.index}
        column={column}
        isPending={isPending}
        onChoose={() => answer(mapColumn(plan, changes, column.index, field))}
      />
    ));
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        {repeated.map((field) => (
          <Question key={field} text={t('imports.columns.whichOf', { field: importFieldName(field, t) })}>
            {columnButtons(
              plan.columns.filter((column) => fieldOf(column, changes) === field),
              field,
            )}
          </Question>
        ))}
        {missing.map((field) => {
          const suggested = plan.columns.filter(
            (column) => column.suggestion === field && fieldOf(column, changes) === null,
          );
          const name = importFieldName(field, t);
          return (
            <Question
              key={field}
              text={t(suggested.length > 0 ? 'imports.columns.missingWhich' : 'imports.columns.missing', {
                field: name,
              })}
            >
              {columnButtons(suggested, field)}
              {field === 'phone' && (
                <Button
                  className="wrapping"
                  variant="subtle"
                  disabled={isPending}
                  onClick={() => answer({ ...changes, missingPhone: 'allow' })}
                >
                  {t('imports.columns.withoutPhone')}
                </Button>
              )}
            </Question>
          );
        })}
      </Stack>
    </Paper>
  );
}

function Question({ text, children }: { text: string; children: ReactNode }) {
  return (
    <Stack gap={6} role="group" aria-label={text}>
      <Text fw={600}>{text}</Text>
      <Group gap="xs">{children}</Group>
    </Stack>
  );
}

interface ColumnButtonProps {
  column: FileColumn;
  isPending: boolean;
  onChoose(): void;
}

function ColumnButton({ column, isPending, onChoose }: ColumnButtonProps) {
  const { t } = useTranslation();
  const example = exampleOf(column);
  const heading = columnName(column, t);
  return (
    <Button className="wrapping" variant="default" disabled={isPending} onClick={onChoose}>
      {example === undefined
        ? t('imports.columns.use', { heading })
        : t('imports.columns.useWithExample', { heading, example })}
    </Button>
  );
}
