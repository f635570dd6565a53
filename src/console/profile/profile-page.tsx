import { Anchor, Avatar, Paper, Stack, Switch, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ErrorCode } from '../../../examples/api-types.js';
import { call, upload } from '../api/client.js';
import { useApi, useChange } from '../api/queries.js';
import { takeOidcResult } from '../session/oidc-result.js';
import { useMethod, useSession, useUser } from '../session/session.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { ImageInput } from '../ui/forms/image-input.js';
import { lazyPart } from '../ui/lazy.js';
import { refusalText } from '../ui/messages.js';
import { notifyDone } from '../ui/notify.js';
import { Page } from '../ui/page.js';
import { Loading } from '../ui/states.js';
import { AccountForm } from './account-form.js';
import { EmailForm } from './email-form.js';
import { PasswordForm } from './password-form.js';

// Loaded later, because they are below the forms.
const Identities = lazyPart(async () => (await import('./identities.js')).Identities, <Loading lines={2} />);
const Calendar = lazyPart(async () => (await import('./calendar.js')).Calendar, <Loading lines={2} />);
const Sessions = lazyPart(async () => (await import('./sessions.js')).Sessions, <Loading />);

export function ProfilePage() {
  const { t } = useTranslation();
  const { role } = useUser();
  const mail = useApi('showForgotPassword', {});
  const byMail = mail.data?.available ?? (mail.error ? false : undefined);
  const own = useApi('listOwnIdentities', {});
  const oidc = useApi('showOidc', {});
  const oidcName = oidc.data?.name ?? null;
  // A session that began with a password proves that there is one.
  const signedInBy = useMethod();
  const hasPassword = own.data?.hasPassword ?? (signedInBy === 'password' || own.error ? true : undefined);
  const usesPassword = oidc.data?.passwordLogin !== false || role === 'super_admin';
  return (
    <Page title={t('app.profile')}>
      <LinkResult />
      <Stack gap="lg">
        <Section title={t('profile.account.title')}>
          <Stack gap="lg">
            <Image />
            <AccountForm byMail={byMail} />
          </Stack>
        </Section>
        {byMail && (
          <Section title={t('profile.email.title')}>
            {hasPassword === false ? <Text size="sm">{t('profile.password.noneEmail')}</Text> : <EmailForm />}
          </Section>
        )}
        <Section title={t('profile.password.title')} anchor="password">
          {hasPassword === undefined && <Loading lines={3} />}
          {hasPassword === true && <PasswordForm />}
          {hasPassword === false && <NoPassword byMail={byMail} usesPassword={usesPassword} />}
        </Section>
        {own.data && oidc.data && (oidcName !== null || own.data.identities.length > 0) && (
          <Section
            title={
              oidcName === null ? t('profile.identities.unnamed') : t('profile.identities.title', { name: oidcName })
            }
          >
            <Identities own={own.data} name={oidcName} usesPassword={usesPassword} />
          </Section>
        )}
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

/** Says how linking an account at the organisation has ended, after the return from there. */
function LinkResult() {
  const { t } = useTranslation();
  const [code, setCode] = useState<ErrorCode>();
  useEffect(() => {
    const result = takeOidcResult('/profile');
    if (result === 'linked') notifyDone(t('profile.identities.linked'));
    else if (result !== undefined) setCode(result);
  }, [t]);
  return (
    <FormFailure title={t('profile.identities.linkFailed')}>
      {code === undefined ? undefined : new Error(refusalText({ code }, t))}
    </FormFailure>
  );
}

/**
 * Replaces the form for accounts without a password.
 * @param byMail whether a mailed link can set one; undefined while unknown
 * @param usesPassword whether a password could be used to sign in
 */
function NoPassword({ byMail, usesPassword }: { byMail: boolean | undefined; usesPassword: boolean }) {
  const { t } = useTranslation();
  return (
    <Text size="sm">
      {t('profile.password.none')}{' '}
      {usesPassword && byMail === true && (
        <>
          {t('profile.password.noneMail')}{' '}
          <Anchor href="/forgot-password" inherit underline="always">
            {t('profile.password.noneMailLink')}
          </Anchor>
          .
        </>
      )}
      {usesPassword && byMail === false && t('profile.password.noneAsk')}
    </Text>
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
