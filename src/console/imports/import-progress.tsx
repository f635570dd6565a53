import { Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../api/queries.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { type Import, resumesAutomatically } from './import-status.js';
import { FailureText } from './reason-text.js';

interface ImportProgressProps {
  current: Import;
  /** Whether the last request succeeded, so that `current` is up to date. */
  reachable: boolean;
}

/** Key of the hint that the page may be closed. */
function hintOf(status: Import['status']) {
  if (status === 'planning') return 'imports.planningHint';
  return status === 'undoing' ? 'imports.undoingHint' : 'imports.progressHint';
}

export function ImportProgress({ current, reachable }: ImportProgressProps) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState(false);
  const cancel = useChange('cancelImport');
  const { rowsDone, rowsTotal } = current.progress;
  const planning = current.status === 'planning';
  const done = planning ? (current.plan?.rowsRead ?? 0) : rowsDone;
  const text = rowsTotal === null ? t('imports.progressStarting') : t('imports.progress', { done, count: rowsTotal });
  const percent = rowsTotal ? Math.round((100 * done) / rowsTotal) : 0;
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Group justify="space-between">
          <Text fw={600} role="status">
            {text}
          </Text>
          {current.status !== 'undoing' && (
            <Button variant="default" size="xs" onClick={() => setAsking(true)}>
              {planning ? t('imports.discard') : t('imports.cancel')}
            </Button>
          )}
        </Group>
        <Progress
          value={rowsTotal === null ? 100 : percent}
          animated={rowsTotal === null}
          striped={rowsTotal === null}
          aria-label={t(`importStatus.${current.status}`)}
          size="lg"
        />
        {reachable && (
          <Text size="sm" c="dimmed">
            {t(resumesAutomatically(current) ? 'imports.progressInterrupted' : hintOf(current.status))}
          </Text>
        )}
        {current.error && (
          <Text size="sm" component="div">
            <FailureText {...current.error} />
          </Text>
        )}
      </Stack>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={planning ? t('imports.discardTitle') : t('imports.cancel')}
        action={planning ? t('imports.discard') : t('imports.cancel')}
        destructive
        onConfirm={() => cancel.mutateAsync({ path: { id: current.id } })}
      >
        {planning ? t('imports.discardText') : t('imports.cancelText')}
      </ConfirmDialog>
    </Paper>
  );
}
