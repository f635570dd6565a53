import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, type ResponseBody } from '../api/client.js';
import { useChange } from '../api/queries.js';
import { useUser } from '../session/session.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { PasswordField } from '../ui/forms/password-field.js';
import { IdentityList } from './identity-list.js';

type Own = ResponseBody<'listOwnIdentities'>;

interface IdentitiesProps {
  own: Own;
  /** Name of the organisation's account; null if that is not set up. */
  name: string | null;
  /** Whether a password could be used to sign in. */
  usesPassword: boolean;
}

/** The user's accounts at the organisation. */
export function Identities({ own, name, usesPassword }: IdentitiesProps) {
  const { t } = useTranslation();
  const remove = useChange('removeOwnIdentity', ['listOwnIdentities', 'listSessions']);
  const { identities, hasPassword } = own;
  const isLast = !hasPassword && identities.length === 1;
  return (
    <Stack maw={640}>
      {name === null && <Text size="sm">{t('profile.identities.notSetUp')}</Text>}
      {name !== null && identities.length === 0 && <Text size="sm">{t('profile.identities.hint', { name })}</Text>}
      {identities.length > 0 && (
        <IdentityList
          identities={identities}
          removeHint={(account) => t('profile.identities.removeHint', { account })}
          onRemove={isLast ? undefined : (id) => remove.mutateAsync({ path: { id } })}
        />
      )}
      {isLast && <Text size="sm">{t(usesPassword ? 'refusal.IDENTITY_LAST' : 'profile.identities.last')}</Text>}
      {/* The service asks for the password, so that nobody else at this machine links their account. */}
      {name !== null && hasPassword && <LinkForm name={name} />}
    </Stack>
  );
}

function LinkForm({ name }: { name: string }) {
  const { t } = useTranslation();
  const { email } = useUser();
  const [opened, setOpened] = useState(false);
  const form = useApiForm({
    initialValues: { currentPassword: '' },
    async submit(body) {
      const { url } = await call('linkIdentity', { body });
      window.location.assign(url);
    },
  });
  if (!opened)
    return (
      <Group>
        <Button variant="default" onClick={() => setOpened(true)}>
          {t('profile.identities.link')}
        </Button>
      </Group>
    );
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={t('profile.identities.link')}>
      <Stack maw={420}>
        <FormFailure>{form.failure}</FormFailure>
        <Text size="sm">{t('profile.identities.linkHint', { name })}</Text>
        {/* Tells password managers to which account the password belongs. */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          {...form.field('currentPassword')}
          label={t('field.currentPassword')}
          autoComplete="current-password"
          required
          autoFocus
        />
        <Group>
          <Button type="submit" loading={form.submitting}>
            {t('profile.identities.continue')}
          </Button>
          <Button variant="default" onClick={() => setOpened(false)} disabled={form.submitting}>
            {t('action.cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
