import { Anchor, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { addressOf } from '../api/client.js';
import { useChange } from '../api/queries.js';
import { DropZone } from '../ui/drop-zone.js';
import { FormFailure } from '../ui/form-failure.js';

/** Takes a file, by button or dropped, and plans its import: nothing is written by that. */
export function UploadArea() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const upload = useChange('createImport', ['listImports']);
  const [name, setName] = useState('');
  const [refusal, setRefusal] = useState<Error>();

  function plan([file, ...others]: readonly File[]): void {
    upload.reset();
    setRefusal(others.length > 0 ? new Error(t('imports.oneFile')) : undefined);
    if (!file || others.length > 0) return;
    setName(file.name);
    upload.mutate(
      { body: { file, plan: true } },
      { onSuccess: ({ import: { id } }) => void navigate({ to: '/imports/$id', params: { id } }) },
    );
  }

  return (
    <Stack gap="xs">
      <FormFailure>{refusal ?? upload.error ?? undefined}</FormFailure>
      {upload.isPending ? (
        <Text role="status">{t('imports.uploading', { file: name })}</Text>
      ) : (
        <DropZone hint={t('imports.drop')} action={t('imports.choose')} onFiles={plan} />
      )}
      <div>
        <Anchor size="sm" href={addressOf('importTemplate', {})} download>
          {t('imports.template')}
        </Anchor>
      </div>
    </Stack>
  );
}
