import { Button, FileButton, Group, Paper, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type DragEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { addressOf } from '../api/client.js';
import { useChange } from '../api/queries.js';
import { FormFailure } from '../ui/form.js';

/** Takes a file, by button or dropped, and plans its import: nothing is written by that. */
export function UploadArea() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const upload = useChange('createImport', ['listImports']);
  const [over, setOver] = useState(false);

  function plan(file: File | null | undefined): void {
    if (!file || upload.isPending) return;
    upload.mutate(
      { body: { file, plan: true } },
      { onSuccess: ({ import: { id } }) => void navigate({ to: '/imports/$id', params: { id } }) },
    );
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    plan(event.dataTransfer.files[0]);
  }

  return (
    <Paper
      withBorder
      p="lg"
      className="drop-area"
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <FormFailure>{upload.error ?? undefined}</FormFailure>
      <Group justify="center" gap="sm">
        <IconUpload size={22} aria-hidden />
        <Text>
          {upload.isPending ? t('imports.uploading', { file: upload.variables.body.file.name }) : t('imports.drop')}
        </Text>
        <FileButton accept=".csv,.txt,text/csv" onChange={plan}>
          {(props) => (
            <Button {...props} loading={upload.isPending}>
              {t('imports.choose')}
            </Button>
          )}
        </FileButton>
        <Button component="a" href={addressOf('importTemplate', {})} download variant="subtle">
          {t('imports.template')}
        </Button>
      </Group>
    </Paper>
  );
}
