import { Button, Menu } from '@mantine/core';
import {
  IconChevronDown,
  IconKey,
  IconLockOpen,
  IconMail,
  IconTrash,
  IconUserCheck,
  IconUserOff,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMailSetUp } from '../api/mail.js';
import { useChange } from '../api/queries.js';
import { useSignInWays } from '../api/sign-in-ways.js';
import { formatAhead } from '../i18n/format.js';
import { useUser } from '../session/session.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { lazyDialog } from '../ui/lazy.js';
import { ButtonLink } from '../ui/links.js';
import { notifyDone } from '../ui/notify.js';
import { nameOf } from '../ui/person-name.js';
import type { PersonDetails } from './person-form.js';
import { useShownOnceGuard } from './shown-once.js';

const TemporaryPasswordDialog = lazyDialog(
  async () => (await import('./temporary-password-dialog.js')).TemporaryPasswordDialog,
  'password',
);

const InviteDialog = lazyDialog(async () => (await import('./invite-dialog.js')).InviteDialog, 'opened');

const ResetDialog = lazyDialog(async () => (await import('./reset-dialog.js')).ResetDialog, 'opened');

type Action = 'activation' | 'invite' | 'reset' | 'unlock' | 'delete';

export function PersonActions({ user }: { user: PersonDetails }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Action>();
  const [temporaryPassword, setTemporaryPassword] = useState<string>();
  const activation = useChange('changeActivation');
  const reset = useChange('resetPassword');
  const unlock = useChange('unlockUser');
  const awaitsPassword = reset.isPending && !reset.variables.body?.link;
  useShownOnceGuard(awaitsPassword || temporaryPassword !== undefined);
  // Without `showUser`, which would fail for the deleted account.
  const remove = useChange('deleteUser', ['listUsers', 'listAudit', 'listEnrollments']);
  const path = { id: user.id };
  const name = nameOf(user);
  const ask = (action: Action) => ({ opened: asked === action, onClose: () => setAsked(undefined) });
  const isProtected = user.role === 'super_admin';
  // An estimate: only the service knows whether the person has a password of their own.
  const isInvitable = user.requiresPasswordChange && user.lastLogin === null && user.inviteState !== 'accepted';
  const invites = useMailSetUp() && isInvitable;
  const { passwordLogin } = useSignInWays();
  // Resetting your own password would end the session that shows the new password.
  const isOwn = user.id === useUser().id;

  async function changeActivation(): Promise<void> {
    await activation.mutateAsync({ path, body: { isActive: !user.isActive } });
    notifyDone(t(user.isActive ? 'people.deactivated' : 'people.activated', { name }));
  }

  async function resetPassword(link: boolean): Promise<void> {
    const { temporaryPassword: password } = await reset.mutateAsync({ path, body: { link } });
    if (password === null) notifyDone(t('people.resetLinkSent', { email: user.email }));
    else setTemporaryPassword(password);
  }

  async function unlockUser(): Promise<void> {
    await unlock.mutateAsync({ path });
    notifyDone(t('people.unlocked', { name }));
  }

  async function deleteUser(): Promise<void> {
    await remove.mutateAsync({ path });
    notifyDone(t('people.deleted', { name }));
    await navigate({ to: '/people', ignoreBlocker: true });
  }

  return (
    <>
      {user.lockedUntil !== null && (
        <Button leftSection={<IconLockOpen size={16} aria-hidden />} onClick={() => setAsked('unlock')}>
          {t('people.unlock')}
        </Button>
      )}
      {isOwn ? (
        <ButtonLink to="/profile" hash="password" variant="default" leftSection={<IconKey size={16} aria-hidden />}>
          {t('people.changeOwnPassword')}
        </ButtonLink>
      ) : (
        passwordLogin && (
          <Button variant="default" leftSection={<IconKey size={16} aria-hidden />} onClick={() => setAsked('reset')}>
            {t('people.reset')}
          </Button>
        )
      )}
      {!isProtected && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" rightSection={<IconChevronDown size={16} aria-hidden />}>
              {t('action.more')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {invites && (
              <Menu.Item leftSection={<IconMail size={16} aria-hidden />} onClick={() => setAsked('invite')}>
                {t(user.invitedAt === null ? 'people.invitation.send' : 'people.invitation.again')}
              </Menu.Item>
            )}
            <Menu.Item
              leftSection={
                user.isActive ? <IconUserOff size={16} aria-hidden /> : <IconUserCheck size={16} aria-hidden />
              }
              onClick={() => setAsked('activation')}
            >
              {t(user.isActive ? 'people.deactivate' : 'people.activate')}
            </Menu.Item>
            <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} onClick={() => setAsked('delete')}>
              {t('people.delete')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}

      <ConfirmDialog
        {...ask('activation')}
        title={t(user.isActive ? 'people.deactivateAsk' : 'people.activateAsk', { name })}
        action={t(user.isActive ? 'people.deactivate' : 'people.activate')}
        destructive={user.isActive}
        onConfirm={changeActivation}
      >
        {t(user.isActive ? 'people.deactivateHint' : 'people.activateHint')}
      </ConfirmDialog>
      <ResetDialog {...ask('reset')} user={user} onReset={resetPassword} />
      <ConfirmDialog
        {...ask('unlock')}
        title={t('people.unlockAsk', { name })}
        action={t('people.unlock')}
        onConfirm={unlockUser}
      >
        {t('people.unlockHint', { when: formatAhead(user.lockedUntil) })}
      </ConfirmDialog>
      <ConfirmDialog
        {...ask('delete')}
        title={t('people.deleteAsk', { name })}
        action={t('people.delete')}
        destructive
        onConfirm={deleteUser}
      >
        {t('people.deleteHint')}
      </ConfirmDialog>
      <InviteDialog {...ask('invite')} user={user} />
      <TemporaryPasswordDialog
        person={user}
        password={temporaryPassword}
        onClose={() => setTemporaryPassword(undefined)}
      />
    </>
  );
}
