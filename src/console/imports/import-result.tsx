import { Alert, Button, Group, Paper, Text, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { addressOf } from '../api/client.js';
import { queryClient, useChange } from '../api/queries.js';
import { formatNumber } from '../i18n/format.js';
import { ConfirmDialog } from '../ui/confirm.js';
import { FormFailure } from '../ui/form.js';
import { canResume, canUndo, type Import } from './import-status.js';
import { UndoDialog } from './undo-dialog.js';

/** What an import did, its files, and what can be done about it. */
export function ImportResult({ current }: { current: Import }) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState<'undo' | 'credentials'>();
  const resume = useChange('resumeImport');
  const { id, counts, error, hasCredentials, hasRejects, status } = current;
  const path = { id };
  const figures = [
    ['imports.rows', counts.rows],
    ['imports.created', counts.created],
    ['imports.updated', counts.updated],
    ['imports.outcomes.skipped', counts.skipped],
    ['imports.rejected', counts.rejected],
  ] as const;

  /** The browser keeps the file; the service gives it once. */
  async function downloadCredentials(): Promise<void> {
    window.location.assign(addressOf('importCredentials', { path }));
    // The answer to a download isn't seen by the page: ask whether it was taken.
    setTimeout(() => void queryClient.invalidateQueries(), 1500);
  }

  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        {t('imports.result.title')}
      </Title>
      {error && (
        <Alert color="red" variant="light" title={t('imports.result.error')} mb="sm">
          {error.message ?? error.code}
        </Alert>
      )}
      <Group gap="xl" mb="sm" component="dl" className="figures">
        {figures.map(([label, count]) => (
          <div key={label}>
            <Text component="dt" size="sm" c="dimmed">
              {t(label)}
            </Text>
            <Text component="dd" fz="xl" fw={650}>
              {formatNumber(count)}
            </Text>
          </div>
        ))}
      </Group>
      <FormFailure>{resume.error ?? undefined}</FormFailure>
      <Group gap="sm">
        {hasCredentials && (
          <Button leftSection={<IconDownload size={16} aria-hidden />} onClick={() => setAsking('credentials')}>
            {t('imports.result.credentials')}
          </Button>
        )}
        {hasRejects && (
          <Button
            component="a"
            href={addressOf('importRejects', { path })}
            download
            variant={hasCredentials ? 'default' : 'filled'}
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {t('imports.result.rejects')}
          </Button>
        )}
        {counts.rows > 0 && (
          <Button component="a" href={addressOf('importOutcome', { path })} download variant="default">
            {t('imports.result.outcome')}
          </Button>
        )}
        {canResume(status) && (
          <Button variant="default" loading={resume.isPending} onClick={() => resume.mutate({ path })}>
            {t('imports.resume')}
          </Button>
        )}
        {canUndo(status) && counts.created + counts.updated > 0 && (
          <Button variant="default" c="var(--mantine-color-error)" onClick={() => setAsking('undo')}>
            {t('imports.result.undo')}
          </Button>
        )}
      </Group>
      {hasRejects && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('imports.result.rejectsHint')}
        </Text>
      )}
      <ConfirmDialog
        opened={asking === 'credentials'}
        onClose={() => setAsking(undefined)}
        title={t('imports.result.credentialsTitle')}
        action={t('action.download')}
        onConfirm={downloadCredentials}
      >
        {t('imports.result.credentialsText')}
      </ConfirmDialog>
      <UndoDialog id={id} opened={asking === 'undo'} onClose={() => setAsking(undefined)} />
    </Paper>
  );
}
