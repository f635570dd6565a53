import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { SignInLayout } from '../sign-in/sign-in-layout.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { Loaded } from '../ui/states.js';
import { useRateLimitText } from './rate-limit-text.js';

/** Requests a link to set a new password. Doesn't reveal whether an account exists. */
export function ForgotPasswordPage() {
  const { t } = useTranslation();
  const byMail = useApi('showForgotPassword', {});
  const [isSent, setIsSent] = useState(false);
  return (
    <SignInLayout
      title={t(isSent ? 'links.sent' : 'links.forgot')}
      {...(byMail.data?.available && { hint: t(isSent ? 'links.sentHint' : 'links.forgotHint') })}
    >
      <Stack>
        <Loaded query={byMail} lines={3}>
          {({ available }) => {
            if (!available) return <Text>{t('links.noMail')}</Text>;
            return isSent ? <Sent onAgain={() => setIsSent(false)} /> : <AskForm onSent={() => setIsSent(true)} />;
          }}
        </Loaded>
        <Anchor href="/" size="sm">
          {t('links.back')}
        </Anchor>
      </Stack>
    </SignInLayout>
  );
}

function AskForm({ onSent }: { onSent(): void }) {
  const { t } = useTranslation();
  const withRateLimitText = useRateLimitText();
  const form = useApiForm({
    initialValues: { identifier: '' },
    async submit(body) {
      try {
        await call('forgotPassword', { body });
      } catch (error) {
        throw withRateLimitText(error);
      }
      onSent();
    },
  });
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <Stack>
        <FormFailure>{form.failure}</FormFailure>
        <TextInput
          {...form.field('identifier')}
          label={t('field.identifier')}
          autoComplete="username"
          inputMode="email"
          required
        />
        <Button type="submit" loading={form.submitting}>
          {t('links.send')}
        </Button>
      </Stack>
    </form>
  );
}

function Sent({ onAgain }: { onAgain(): void }) {
  const { t } = useTranslation();
  return (
    <>
      <Text>{t('links.nothingArrives')}</Text>
      <Button variant="default" onClick={onAgain}>
        {t('links.again')}
      </Button>
    </>
  );
}
