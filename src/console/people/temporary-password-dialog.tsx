import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CopyField } from '../ui/copy-field.js';
import { nameOf } from '../ui/person-name.js';
import type { Account } from './account-state.js';

interface TemporaryPasswordDialogProps {
  person: Pick<Account, 'firstName' | 'lastName' | 'email'>;
  /** The dialog is open while there is a password. */
  password: string | undefined;
  onClose(): void;
}

/** Shows a new password, which the service sends once, until the user confirms to have saved it. */
export function TemporaryPasswordDialog({ person, password, onClose }: TemporaryPasswordDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={password !== undefined}
      onClose={onClose}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={t('people.newPasswordOf', { name: nameOf(person) })}
    >
      <Stack>
        <Alert color="teal" variant="light" role="status">
          {t('people.shownOnce')}
        </Alert>
        <CopyField label={t('field.email')} value={person.email} />
        <CopyField label={t('field.newPassword')} value={password ?? ''} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('people.savedPassword')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
