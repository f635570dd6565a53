import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client.js';
import { formatAhead } from '../i18n/format.js';

/** Returns a function that replaces the error for too many requests by one that says when to retry. It returns other errors unchanged. */
export function useRateLimitText(): (error: unknown) => unknown {
  const { t } = useTranslation();
  return (error) =>
    error instanceof ApiError && error.status === 429 && error.retryAfter !== undefined
      ? new Error(
          t('links.tooMany', { when: formatAhead(new Date(Date.now() + error.retryAfter * 1000).toISOString()) }),
        )
      : error;
}
