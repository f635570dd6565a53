import { Textarea, type TextareaProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** What the super admin writes in invitations, in their own words. */
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
