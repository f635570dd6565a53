import type { TFunction } from 'i18next';
import { ApiError, SessionEnded } from '../api/client.js';

/** What to tell of a failure: the service's own words, unless there was no answer or the session had ended. */
export function messageOf(error: unknown, t: TFunction): string {
  if (error instanceof SessionEnded) return t('signIn.againHint');
  if (error instanceof ApiError) return error.status === 0 ? t('state.offline') : error.message;
  return error instanceof Error ? error.message : String(error);
}
