import { Alert, Button, Center, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconInbox, IconLock } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client.js';
import { isTransient } from '../api/queries.js';
import { messageOf } from './messages.js';

export function Loading({ lines = 6 }: { lines?: number }) {
  const { t } = useTranslation();
  return (
    <Stack role="status" aria-label={t('state.loading')}>
      {Array.from({ length: lines }, (_, line) => (
        // The lines are identical and never reordered.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Skeleton key={line} height={22} radius="sm" width={`${90 - ((line * 17) % 40)}%`} />
      ))}
    </Stack>
  );
}

interface FailedProps {
  error: unknown;
  onRetry?: () => void;
  /** Label of the button; by default to try again. */
  action?: string;
}

/** Says why something could not be loaded, and offers a retry if a retry can help. */
export function Failed({ error, onRetry, action }: FailedProps) {
  const { t } = useTranslation();
  const status = error instanceof ApiError ? error.status : undefined;
  const title = status === 403 ? 'state.refused' : status === 404 ? 'state.gone' : 'state.failed';
  // The service would refuse the same request again.
  const isRefused = status !== undefined && status < 500 && !isTransient(error);
  return (
    <Alert
      color={title === 'state.failed' ? 'red' : 'gray'}
      variant="light"
      role="alert"
      icon={status === 403 ? <IconLock aria-hidden /> : <IconAlertTriangle aria-hidden />}
      title={t(title)}
    >
      <Group justify="space-between" align="flex-end">
        <Text size="sm">{messageOf(error, t)}</Text>
        {onRetry && !isRefused && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {action ?? t('action.retry')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/**
 * Whether data read before must be hidden, because it is now forbidden or gone. The data stays while the user must choose a new
 * password in a dialog: the page below may have a form with changes.
 */
export const mustHideData = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status === 403 || error.status === 404) &&
  error.code !== 'PASSWORD_CHANGE_REQUIRED';

interface QueryState<Data> extends Pick<UseQueryResult, 'error' | 'refetch'> {
  data: Data | undefined;
}

/**
 * Data and failure of a query, to show the failure above the data: the data may contain an open form or dialog. The data is
 * undefined if it must be hidden.
 */
export function resultOf<Data>({ data, error, refetch }: QueryState<Data>): {
  data: Data | undefined;
  failed: ReactNode;
} {
  return {
    data: mustHideData(error) ? undefined : data,
    failed: error && <Failed error={error} onRetry={() => void refetch()} />,
  };
}

interface LoadedProps<Data> {
  query: QueryState<Data>;
  /** Number of placeholder lines until the response arrives. */
  lines?: number;
  children(data: Data): ReactNode;
}

/** Shows the data and failure of a query, by {@link resultOf}. */
export function Loaded<Data>({ query, lines = 6, children }: LoadedProps<Data>) {
  const { data, failed } = resultOf(query);
  if (data === undefined) return failed ?? <Loading lines={lines} />;
  return (
    <>
      {failed}
      {children(data)}
    </>
  );
}

interface NoMatchProps {
  /** Searched text. */
  text: string | undefined;
  /** Whether filters besides the text are set. */
  filtered: boolean;
  onClear: (() => void) | undefined;
}

/** Says that nothing matches a search or filters, and what to try. */
export function NoMatch({ text, filtered, onClear }: NoMatchProps) {
  const { t } = useTranslation();
  const hint = filtered && t(text === undefined ? 'state.otherFilters' : 'state.filtersToo');
  return (
    <Empty message={text === undefined ? t('state.noMatch') : t('state.noMatchOf', { text })}>
      {hint && (
        <Text c="dimmed" size="sm" ta="center">
          {hint}
        </Text>
      )}
      {onClear && (
        <Button variant="default" size="xs" onClick={onClear}>
          {t('action.clear')}
        </Button>
      )}
    </Empty>
  );
}

/** Says that a list is empty. @param children buttons to do something about it */
export function Empty({ message, children }: { message?: string; children?: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Center py="xl">
      <Stack align="center" gap="sm">
        <IconInbox size={40} stroke={1.3} aria-hidden />
        <Text c="dimmed" ta="center">
          {message ?? t('state.empty')}
        </Text>
        {children}
      </Stack>
    </Center>
  );
}
