import type { TFunction } from 'i18next';
import { ApiError } from '../api/client.js';

/** What to tell of a failure: the service's own words, unless there was no answer. */
export function messageOf(error: unknown, t: TFunction): string {
  if (error instanceof ApiError) return error.status === 0 ? t('state.offline') : error.message;
  return error instanceof Error ? error.message : String(error);
}
