import { Button, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, type ResponseBody } from '../api/client.js';
import { queryClient, useApi } from '../api/queries.js';
import { SignInLayout } from '../sign-in/sign-in-layout.js';
import { useApiForm } from '../ui/forms/form.js';
import { Failed, Loading } from '../ui/states.js';
import { setToken, useLinkToken } from './link-token.js';
import { useRateLimitText } from './rate-limit-text.js';
import { SignInLink } from './sign-in-link.js';

type LinkState = ResponseBody<'checkLink'>;

interface ValidLink extends LinkState {
  token: string;
  /** Checks the link again, after the service has refused to use it. */
  recheck(): Promise<unknown>;
}

interface CheckedLinkProps {
  /** Heading of the page. */
  title: string;
  purposes: readonly LinkState['purpose'][];
  /** Says how to get another link. */
  renew: ReactNode;
  children(link: ValidLink): ReactNode;
}

/** Page of a mailed link: shows its content for a valid link, otherwise what to do. */
export function CheckedLink({ title, purposes, renew, children }: CheckedLinkProps) {
  const { t } = useTranslation();
  const withRateLimitText = useRateLimitText();
  const token = useLinkToken();
  const check = useApi('checkLink', { body: { token } }, { enabled: token !== '' });
  // A used link must be checked again when it is opened again.
  useEffect(() => () => queryClient.removeQueries({ queryKey: ['checkLink'] }), []);
  if (token === '') return <AskForLink title={title} hint={t('links.missing')} renew={renew} />;
  if (check.error instanceof ApiError && check.error.status === 400)
    return <AskForLink title={t('links.invalid')} hint={t('links.invalidHint')} renew={renew} />;
  if (check.data && !purposes.includes(check.data.purpose))
    return <AskForLink title={t('links.other')} hint={t('links.otherHint')} renew={renew} />;
  if (check.data) return children({ ...check.data, token, recheck: check.refetch });
  return (
    <SignInLayout title={title}>
      {check.error ? (
        <Stack>
          <Failed error={withRateLimitText(check.error)} onRetry={() => void check.refetch()} />
          <SignInLink />
        </Stack>
      ) : (
        <Loading lines={3} />
      )}
    </SignInLayout>
  );
}

/** Finds the token in pasted text: a link, a link that a mail server has wrapped into another, or only the token. */
const findToken = (text: string): string | undefined => /(?:^|#|%23)([\w-]{43})(?![\w-])/.exec(text.trim())?.[1];

/** Says how to get another link, and asks for a pasted link. */
function AskForLink({ title, hint, renew }: { title: string; hint: string; renew: ReactNode }) {
  const { t } = useTranslation();
  const form = useApiForm({
    initialValues: { link: '' },
    validate: ({ link }) => (findToken(link) === undefined ? { link: t('links.noToken') } : {}),
    submit: async ({ link }) => setToken(findToken(link) ?? ''),
  });
  return (
    <SignInLayout title={title} hint={hint}>
      <Stack>
        {renew}
        <form onSubmit={form.onSubmit} noValidate>
          <Stack gap="sm">
            <TextInput
              {...form.field('link')}
              label={t('links.paste')}
              description={t('links.pasteHint')}
              autoComplete="off"
              required
            />
            <Button type="submit" variant="default">
              {t('links.use')}
            </Button>
          </Stack>
        </form>
        <SignInLink />
      </Stack>
    </SignInLayout>
  );
}
