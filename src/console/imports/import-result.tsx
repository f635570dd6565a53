import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callForBlob, urlOf } from '../api/client.js';
import { useChange, useRefresh } from '../api/queries.js';
import { formatTime } from '../i18n/format.js';
import { DownloadMenu, type TableFormat } from '../ui/download-menu.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { ButtonLink, TextLink } from '../ui/links.js';
import { saveFile } from '../ui/save-file.js';
import { ImportFigures } from './import-figures.js';
import { NonDefaultOptions } from './import-options.js';
import { canResume, hasDeletedRows, type Import } from './import-status.js';
import { FailureText } from './reason-text.js';
import { UndoDialog } from './undo-dialog.js';
import { UploadArea } from './upload-area.js';

export function ImportResult({ current }: { current: Import }) {
  const { t } = useTranslation();
  const [isUndoing, setUndoing] = useState(false);
  /** Chosen format of the passwords, until the download is confirmed. */
  const [wantedFormat, setWantedFormat] = useState<TableFormat>();
  // Hides the button immediately, because the service deletes the passwords a little later.
  const [fetched, setFetched] = useState(false);
  const refresh = useRefresh();
  const resume = useChange('resumeImport');
  const { id, counts, error, hasRejects, undoneAt, ledgerClosedAt, canUndo, options, trainer } = current;
  // After an undo, only the passwords of kept accounts are left, as long as these can still be undone.
  const hasCredentials = current.hasCredentials && !fetched && (undoneAt === null || canUndo);
  const wantsCredentials = hasCredentials && undoneAt === null;
  const hasInvited = options.invite === true && options.withPasswords !== true && counts.created > 0;
  const path = { id };
  const isSync = typeof options.roster === 'string';

  /** Downloads the passwords. The service sends them once: another tab or person may have fetched them. */
  async function downloadCredentials(): Promise<void> {
    const file = await callForBlob('importCredentials', { path, query: { format: wantedFormat } });
    saveFile(`credentials-${id}.${wantedFormat}`, file, file.type);
    setFetched(true);
    await refresh();
  }

  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        {t('imports.result.title')}
      </Title>
      {error && (
        <Alert color="red" variant="light" title={t('imports.result.error')} mb="sm">
          <FailureText {...error} />
        </Alert>
      )}
      <ImportFigures counts={counts} />
      {counts.left > 0 && !hasDeletedRows(current) && (
        <Text size="sm" mb="sm">
          <TextLink to="/imports/$id" params={{ id }} search={{ outcome: 'left' }} hash="rows" hashScrollIntoView>
            {t('imports.roster.showLeft', { count: counts.left })}
          </TextLink>
        </Text>
      )}
      {undoneAt !== null && (
        <Text size="sm" c="dimmed" mb="sm">
          {t('imports.result.undoneAt', { time: formatTime(undoneAt) })}
        </Text>
      )}
      {hasInvited && undoneAt === null && (
        <Text size="sm" mb="sm">
          {t('imports.result.invited')}
        </Text>
      )}
      {options.noPassword === true && counts.created > 0 && undoneAt === null && (
        <Text size="sm" mb="sm">
          {t('imports.result.noPassword')}
        </Text>
      )}
      <FormFailure>{resume.error ?? undefined}</FormFailure>
      <Group gap="sm">
        {trainer !== null && (
          <ButtonLink to="/courses/$id" params={{ id: String(options.course) }} search={{ tab: 'participants' }}>
            {t('imports.participants.toCourse')}
          </ButtonLink>
        )}
        {hasCredentials && (
          <DownloadMenu
            label={t('imports.result.credentials')}
            variant={wantsCredentials ? 'filled' : 'default'}
            formats={{ csv: () => setWantedFormat('csv'), xlsx: () => setWantedFormat('xlsx') }}
          />
        )}
        {hasRejects && (
          <DownloadMenu
            label={t('imports.result.rejects')}
            variant={wantsCredentials || trainer !== null ? 'default' : 'filled'}
            formats={{
              csv: urlOf('importRejects', { path, query: { format: 'csv' } }),
              xlsx: urlOf('importRejects', { path, query: { format: 'xlsx' } }),
            }}
            // First the format of the imported file.
            first={/\.(xlsx|xlsm|ods)$/i.test(current.file) ? 'xlsx' : 'csv'}
          />
        )}
        {counts.rows > 0 && !hasDeletedRows(current) && (
          <DownloadMenu
            label={t('imports.result.outcome')}
            formats={{
              csv: urlOf('importOutcome', { path }),
              xlsx: urlOf('importOutcome', { path, query: { format: 'xlsx' } }),
            }}
          />
        )}
        {canResume(current) && (
          <Button variant="default" loading={resume.isPending} onClick={() => resume.mutate({ path })}>
            {t('imports.resume')}
          </Button>
        )}
        {canUndo && (
          <Button variant="default" c="var(--mantine-color-error)" onClick={() => setUndoing(true)}>
            {t('imports.result.undo')}
          </Button>
        )}
      </Group>
      <Stack gap="sm" mt="sm">
        {trainer === null && <NonDefaultOptions options={options} />}
        {hasRejects && (
          <UploadArea
            hint={t(isSync ? 'imports.roster.rejectsHint' : 'imports.result.rejectsHint')}
            action={t('imports.result.chooseCorrected')}
            previousImport={current}
          />
        )}
      </Stack>
      {ledgerClosedAt !== null && (
        <Text size="sm" c="dimmed" mt="xs">
          {t(counts.rows > 0 ? 'imports.result.rowsDeleted' : 'imports.result.closed', {
            time: formatTime(ledgerClosedAt),
          })}
        </Text>
      )}
      <ConfirmDialog
        opened={wantedFormat !== undefined}
        onClose={() => setWantedFormat(undefined)}
        title={t('imports.result.credentialsTitle')}
        action={t('action.download')}
        onConfirm={downloadCredentials}
      >
        {t('imports.result.credentialsText')}
      </ConfirmDialog>
      <UndoDialog id={id} opened={isUndoing} onClose={() => setUndoing(false)} />
    </Paper>
  );
}
