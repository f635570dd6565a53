import { Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMailSetUp } from '../api/mail.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { nameOf } from '../ui/person-name.js';
import type { PersonDetails } from './person-form.js';

interface ResetDialogProps {
  user: PersonDetails;
  opened: boolean;
  onClose(): void;
  /** @param link whether to mail a link instead of showing a new password */
  onReset(link: boolean): Promise<unknown>;
}

/** Resets the password of a person by a mailed link, if possible, or by a new password to pass on. */
export function ResetDialog({ user, opened, onClose, onReset }: ResetDialogProps) {
  const { t } = useTranslation();
  const isMailSetUp = useMailSetUp();
  const [chosen, setChosen] = useState('link');
  // The service mails no link to an inactive account.
  const offersLink = isMailSetUp && user.isActive;
  const link = offersLink && chosen === 'link';
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t('people.resetAsk', { name: nameOf(user) })}
      action={t(link ? 'people.resetLink' : 'people.reset')}
      onConfirm={() => onReset(link)}
    >
      {offersLink ? (
        <Radio.Group aria-label={t('people.access.title')} value={chosen} onChange={setChosen}>
          <Stack gap="xs">
            <Radio
              value="link"
              label={t('people.resetLink')}
              description={t('people.resetLinkHint', { email: user.email })}
            />
            <Radio value="password" label={t('people.access.generated')} description={t('people.resetHint')} />
          </Stack>
        </Radio.Group>
      ) : (
        t('people.resetHint')
      )}
    </ConfirmDialog>
  );
}
