import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client.js';
import { useChange } from '../api/queries.js';
import { useSignInWays } from '../api/sign-in-ways.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { notifyDone } from '../ui/notify.js';
import { nameOf } from '../ui/person-name.js';
import { InvitationMessage } from './invitation-message.js';
import type { PersonDetails } from './person-form.js';

interface InviteDialogProps {
  user: PersonDetails;
  opened: boolean;
  onClose(): void;
}

export function InviteDialog({ user, opened, onClose }: InviteDialogProps) {
  const { t } = useTranslation();
  const [message, setMessage] = useState('');
  const change = useChange('changeManyUsers');
  const name = nameOf(user);
  const hints = useSignInWays().passwordLogin
    ? ({ active: 'hint', inactive: 'hintInactive' } as const)
    : ({ active: 'signInHint', inactive: 'signInHintInactive' } as const);

  async function invite(): Promise<void> {
    const { outcomes } = await change.mutateAsync({
      body: { action: 'invite', ids: [user.id], dryRun: false, ...(message.trim() !== '' && { message }) },
    });
    for (const { code } of outcomes) if (code !== null) throw new ApiError(400, { code });
    setMessage('');
    notifyDone(t(user.isActive ? 'people.invitation.done' : 'people.invitation.doneInactive', { name }));
  }

  return (
    <ConfirmDialog
      opened={opened}
      onClose={() => {
        setMessage('');
        onClose();
      }}
      title={t(user.invitedAt === null ? 'people.invitation.ask' : 'people.invitation.askAgain', { name })}
      action={t('people.invitation.send')}
      unsaved={message === '' ? undefined : t('people.invitation.message')}
      onConfirm={invite}
    >
      <Stack>
        <Text size="sm">
          {t(`people.invitation.${user.isActive ? hints.active : hints.inactive}`, { email: user.email })}
        </Text>
        <InvitationMessage value={message} onChange={({ currentTarget }) => setMessage(currentTarget.value)} />
      </Stack>
    </ConfirmDialog>
  );
}
