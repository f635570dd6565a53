import i18next, { type TFunction } from 'i18next';
import { ApiError, type FieldProblem, type Refusal, SessionEndedError } from '../api/client.js';
import { formatBytes } from '../i18n/format.js';
import type { MissingCodeReason } from './missing-code.js';

export function problemText({ code, params }: FieldProblem, t: TFunction): string {
  // A service of another version may send other codes.
  if (!i18next.exists(`problem.${code}`)) return t('problem.INVALID');
  const { min = 0, max = 0, values = [] } = params;
  return t(`problem.${code}`, { least: min, most: max, values: values.join(', ') });
}

/** Text for the error of a field, with the label of the field if known. */
function namedProblem(problem: FieldProblem, t: TFunction): string {
  const label = `field.${problem.path}`;
  const text = problemText(problem, t);
  // The cast is safe, because `exists` has checked the key.
  return i18next.exists(label) ? `${t(label as 'field.email')}: ${text}` : text;
}

export function refusalText({ code, params = {} }: Refusal, t: TFunction): string {
  const { seatsLeft, maxBytes, max, status } = params;
  if (seatsLeft !== undefined) return t('refusalWith.seatsLeft', { count: seatsLeft });
  if (maxBytes !== undefined)
    return t(code === 'COURSE_QUOTA' ? 'refusalWith.courseBytes' : 'refusalWith.fileBytes', {
      size: formatBytes(maxBytes),
    });
  if (code === 'COURSE_QUOTA' && max !== undefined) return t('refusalWith.courseFiles', { most: max });
  if (status !== undefined) return t('refusalWith.importStatus', { status: t(`importStatus.${status}`) });
  return code !== undefined && i18next.exists(`refusal.${code}`) ? t(`refusal.${code}`) : t('state.refusedUnknown');
}

const offlineText = (t: TFunction): string => t(navigator.onLine ? 'state.unreachable' : 'state.offline');

export const missingCodeText = (reason: MissingCodeReason, t: TFunction): string =>
  reason === 'offline' ? offlineText(t) : t(reason === 'updated' ? 'state.updated' : 'state.missing');

export function messageOf(error: unknown, t: TFunction): string {
  if (error instanceof SessionEndedError) return t('signIn.againHint');
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  if (error.status === 0) return offlineText(t);
  if (error.problems.length > 0) return error.problems.map((problem) => namedProblem(problem, t)).join(' ');
  return refusalText(error, t);
}
