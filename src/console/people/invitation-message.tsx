import { Textarea, type TextareaProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Field for a personal message of the super admin in invitations. */
export function InvitationMessage(input: TextareaProps) {
  const { t } = useTranslation();
  return (
    <Textarea
      {...input}
      label={t('people.invitation.message')}
      description={t('people.invitation.messageHint')}
      maxLength={1000}
      autosize
      minRows={2}
      maxRows={8}
    />
  );
}
