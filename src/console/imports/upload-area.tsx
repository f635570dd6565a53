import { Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { urlOf } from '../api/client.js';
import { useChange } from '../api/queries.js';
import { DownloadMenu } from '../ui/download-menu.js';
import { DropZone } from '../ui/forms/drop-zone.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { formOptions } from './import-options.js';
import type { Import } from './import-status.js';

interface UploadAreaProps {
  /** Says which file can be dropped; by default a new file. */
  hint?: string;
  /** Label of the button to choose a file. */
  action?: string;
  /** Import whose options the new import gets; by default the defaults. */
  previousImport?: Pick<Import, 'options' | 'trainer'>;
  /** Course of a trainer's import. */
  course?: string;
}

/** Uploads a chosen or dropped file and plans its import, which changes no accounts. */
export function UploadArea({ hint, action, previousImport, course }: UploadAreaProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const upload = useChange('createImport', ['listImports']);
  const [name, setName] = useState('');
  const [refusal, setRefusal] = useState<Error>();
  const isRefused = upload.error?.problems.some(({ path }) => path === 'file');

  function plan([file, ...others]: readonly File[]): void {
    upload.reset();
    setRefusal(others.length > 0 ? new Error(t('imports.oneFile')) : undefined);
    if (!file || others.length > 0) return;
    setName(file.name);
    upload.mutate(
      { body: { ...(previousImport && formOptions(previousImport)), ...(course && { course }), file, plan: true } },
      { onSuccess: ({ import: { id } }) => void navigate({ to: '/imports/$id', params: { id } }) },
    );
  }

  return (
    <Stack gap="xs">
      <FormFailure {...(isRefused && { title: t('imports.refused') })}>
        {refusal ?? upload.error ?? undefined}
      </FormFailure>
      {upload.isPending ? (
        <Text role="status">{t('imports.uploading', { file: name })}</Text>
      ) : (
        <DropZone hint={hint ?? t('imports.drop')} action={action ?? t('imports.choose')} onFiles={plan} />
      )}
      {!previousImport && (
        <div>
          <DownloadMenu
            label={t('imports.template')}
            variant="subtle"
            size="compact-sm"
            formats={{
              csv: urlOf('importTemplate', {}),
              xlsx: urlOf('importTemplate', { query: { format: 'xlsx' } }),
            }}
          />
        </div>
      )}
    </Stack>
  );
}
