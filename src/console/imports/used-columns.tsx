import { Button, Group, Paper, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PlainTable } from '../ui/lists/plain-table.js';
import { type FileColumn, mapColumn } from './column-choices.js';
import { columnName } from './column-name.js';
import { importFieldName } from './field-name.js';
import type { Plan } from './import-status.js';
import type { PlanChanges } from './plan-options.js';

interface UsedColumnsProps {
  plan: Plan;
  changes: PlanChanges;
  isPending: boolean;
  onPlan(changes: PlanChanges): void;
}

/** Imported columns with an example and their effect, and the names of the other columns. */
export function UsedColumns({ plan, changes, isPending, onPlan }: UsedColumnsProps) {
  const { t } = useTranslation();
  const used = plan.columns.filter(({ field }) => field !== null);
  const ignored = plan.columns.filter(({ field }) => field === null);
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        {t('imports.columns.used')}
      </Title>
      <PlainTable
        label={t('imports.columns.used')}
        head={[t('imports.columns.heading'), t('imports.columns.effect'), t('imports.columns.example')]}
        rows={used.map((column) => ({
          key: String(column.index),
          cells: [
            columnName(column, t),
            <EffectText key="effect" column={column} />,
            <Text key="example" size="sm" c="dimmed" lineClamp={2}>
              {column.example}
            </Text>,
          ],
        }))}
      />
      {ignored.length > 0 && (
        <Text size="sm" mt="sm">
          {t('imports.columns.notImported', { headings: ignored.map((column) => columnName(column, t)).join(', ') })}
        </Text>
      )}
      <Group gap="xs">
        {ignored.map(
          ({ suggestion, ...column }) =>
            suggestion !== null && (
              <Button
                key={column.index}
                className="wrapping"
                mt="xs"
                size="compact-sm"
                variant="default"
                disabled={isPending}
                onClick={() => onPlan(mapColumn(plan, changes, column.index, suggestion))}
              >
                {t('imports.columns.suggestion', {
                  heading: columnName(column, t),
                  field: importFieldName(suggestion, t),
                })}
              </Button>
            ),
        )}
      </Group>
    </Paper>
  );
}

/** Effect of a column in plain words: `Message to the trainee: shown to them (14 people)`. */
function EffectText({ column: { field, people, mailed } }: { column: FileColumn }) {
  const { t } = useTranslation();
  if (field === null) return null;
  const name = importFieldName(field, t);
  if (people === 0) return t('imports.columns.noEffect', { field: name });
  const effect = t(`imports.effects.${field}`);
  return t('imports.columns.effectOn', {
    field: name,
    effect: mailed > 0 ? t('imports.columns.mailed', { effect }) : effect,
    count: people,
  });
}
