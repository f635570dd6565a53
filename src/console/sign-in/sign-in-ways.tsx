import { Alert, Anchor, Button, Divider, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ErrorCode } from '../../../examples/api-types.js';
import { urlOf } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { noteBegunSignIn, type Session } from '../session/session.js';
import { refusalText } from '../ui/messages.js';
import { SignInForm } from './sign-in-form.js';

/** Key in `sessionStorage` of the page that was wanted, for another try after a failure. */
const wantedKey = 'coursectl-wanted';

/** Labels of the button for another try, after failures that it can help. */
const retryLabels: Partial<Record<ErrorCode, 'action.retry' | 'signIn.beginAgain'>> = {
  OIDC_UNAVAILABLE: 'action.retry',
  OIDC_STATE_INVALID: 'signIn.beginAgain',
};

/** Path of the page below the sign-in. */
export function currentPath(): string {
  const { pathname, search, hash } = window.location;
  return pathname === '/sign-in' ? '/' : pathname + search + hash;
}

/** Path of the page that was wanted before a failed sign-in. */
export const wantedBefore = (): string => sessionStorage.getItem(wantedKey) ?? '/';

interface SignInWaysProps {
  /** Path of the page to open after signing in with the organisation's account. */
  returnTo: string;
  /** Session that has ended, for signing in again. */
  ended?: Session;
  /** Whether the organisation's sign-in opens in a new tab, because this page has unsaved input. */
  inNewTab?: boolean;
  /** Code why signing in with the organisation's account has failed. */
  failure?: ErrorCode | undefined;
  /** Shown below the password form. */
  children?: ReactNode;
}

/** Ways to sign in: with the organisation's account, if that is set up, and with a password. */
export function SignInWays({ returnTo, ended, inNewTab = false, failure, children }: SignInWaysProps) {
  const { t } = useTranslation();
  const { data: oidc } = useApi('showOidc', {});
  const [isRevealed, setIsRevealed] = useState(false);
  const identifier = ended && { identifier: ended.user.email };
  // Without the organisation's sign-in, there is no failure of it.
  if (!oidc || oidc.name === null)
    return (
      <>
        <SignInForm {...identifier} />
        {children}
      </>
    );

  function leave(): void {
    noteBegunSignIn();
    sessionStorage.setItem(wantedKey, returnTo);
  }
  const link = {
    component: 'a',
    href: urlOf('startOidc', { query: { returnTo } }),
    onClick: leave,
    // The middle button of a mouse opens links in a new tab.
    onAuxClick: leave,
    ...(inNewTab && { target: '_blank', rel: 'noopener' }),
  } as const;
  const retry = failure && retryLabels[failure];
  return (
    <Stack>
      {failure !== undefined && (
        <SignInFailure code={failure}>
          {retry && (
            <Button {...link} size="xs" variant="default">
              {t(retry)}
            </Button>
          )}
        </SignInFailure>
      )}
      <div>
        <Button {...link} fullWidth className="wrapping-button" data-autofocus={ended?.method === 'oidc' || undefined}>
          {t('signIn.withOidc', { name: oidc.name })}
        </Button>
        {inNewTab && (
          <Text size="sm" c="dimmed" mt={4}>
            {t('signIn.newTab')}
          </Text>
        )}
      </div>
      {oidc.passwordLogin || isRevealed ? (
        <>
          <Divider label={t('signIn.or')} />
          <div>
            <SignInForm {...identifier} autoFocus={isRevealed} variant="default" />
            {children}
          </div>
        </>
      ) : (
        <Anchor component="button" type="button" size="sm" onClick={() => setIsRevealed(true)}>
          {t('signIn.withPassword')}
        </Anchor>
      )}
    </Stack>
  );
}

function SignInFailure({ code, children }: { code: ErrorCode; children?: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Alert color="red" variant="light" role="alert">
      <Stack gap="xs" align="flex-start">
        {refusalText({ code }, t)}
        {children}
      </Stack>
    </Alert>
  );
}
