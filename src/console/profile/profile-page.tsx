import { Avatar, Paper, Stack, Switch, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { call, upload } from '../api/client.js';
import { useApi, useChange } from '../api/queries.js';
import { useSession, useUser } from '../session/session.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { ImageInput } from '../ui/forms/image-input.js';
import { lazyPart } from '../ui/lazy.js';
import { Page } from '../ui/page.js';
import { Loading } from '../ui/states.js';
import { AccountForm } from './account-form.js';
import { EmailForm } from './email-form.js';
import { PasswordForm } from './password-form.js';

// Loaded later, because they are below the forms.
const Calendar = lazyPart(async () => (await import('./calendar.js')).Calendar, <Loading lines={2} />);
const Sessions = lazyPart(async () => (await import('./sessions.js')).Sessions, <Loading />);

export function ProfilePage() {
  const { t } = useTranslation();
  const { role } = useUser();
  const mail = useApi('showForgotPassword', {});
  const byMail = mail.data?.available ?? (mail.error ? false : undefined);
  return (
    <Page title={t('app.profile')}>
      <Stack gap="lg">
        <Section title={t('profile.account.title')}>
          <Stack gap="lg">
            <Image />
            <AccountForm byMail={byMail} />
          </Stack>
        </Section>
        {byMail && (
          <Section title={t('profile.email.title')}>
            <EmailForm />
          </Section>
        )}
        <Section title={t('profile.password.title')} anchor="password">
          <PasswordForm />
        </Section>
        <Mails />
        {role !== 'super_admin' && (
          <Section title={t('profile.calendar.title')}>
            <Calendar />
          </Section>
        )}
        <Section title={t('profile.sessions.title')}>
          <Sessions />
        </Section>
      </Stack>
    </Page>
  );
}

/** @param anchor id for links to the section, after `#` */
function Section({ title, anchor, children }: { title: string; anchor?: string; children: ReactNode }) {
  const id = useId();
  return (
    <Paper withBorder p="md" component="section" id={anchor} aria-labelledby={id}>
      <Title order={2} size="h4" mb="md" id={id}>
        {title}
      </Title>
      {children}
    </Paper>
  );
}

/** Mail preferences; nothing if no mail can be turned off. */
function Mails() {
  const { t } = useTranslation();
  const { data, error } = useApi('showMailPreferences', {});
  const change = useChange('changeMailPreferences', ['showMailPreferences']);
  if (!data) return <FormFailure title={t('profile.mails.title')}>{error ?? undefined}</FormFailure>;
  const { kinds } = data;
  const off = (change.isPending && change.variables.body.off) || data.off;
  if (kinds.length === 0) return null;
  return (
    <Section title={t('profile.mails.title')}>
      <Stack maw={640}>
        <FormFailure>{change.error ?? undefined}</FormFailure>
        <Text size="sm">{t('profile.mails.hint')}</Text>
        {kinds.map((kind) => (
          <Switch
            key={kind}
            label={t(`profile.mails.kind.${kind}`)}
            checked={!off.includes(kind)}
            // Each request sends all choices.
            disabled={change.isPending}
            onChange={({ currentTarget: { checked } }) =>
              change.mutate({ body: { off: checked ? off.filter((one) => one !== kind) : [...off, kind] } })
            }
          />
        ))}
      </Stack>
    </Section>
  );
}

function Image() {
  const { t } = useTranslation();
  const { refresh } = useSession();
  const { avatar } = useUser();
  return (
    <ImageInput
      label={t('profile.image')}
      width={96}
      preview={(url) => <Avatar src={url ?? avatar} alt="" size={96} radius="md" />}
      onUpload={async (image, onProgress) => {
        await upload('setAvatar', { body: { image } }, { onProgress });
        await refresh();
      }}
      {...(avatar !== null && {
        onRemove: async () => {
          await call('removeAvatar', {});
          await refresh();
        },
      })}
    />
  );
}
