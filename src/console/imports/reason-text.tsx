import { Text } from '@mantine/core';
import i18next, { type TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { ErrorCode, ProblemCode } from '../../../examples/api-types.js';
import type { Translations } from '../i18n/en/translations.js';
import { refusalText } from '../ui/messages.js';
import type { Import, Plan } from './import-status.js';

/** Codes whose translation says as much as the service's message about a group of rows. */
const completeCodes: readonly string[] = [
  ...(['DUPLICATE_IN_FILE', 'ACCOUNTS_DIFFER', 'ALREADY_EXISTS', 'UNCHANGED', 'PROTECTED_ACCOUNT'] as const),
  ...([
    'HAS_COURSES',
    'HAS_ENROLLMENTS',
    'SAME_PERSON',
    'NOT_A_TRAINEE',
    'ACCOUNT_INACTIVE',
    'COURSE_UNKNOWN',
  ] as const),
  ...([
    'COURSE_FULL',
    'WAITING_LIST_FULL',
    'ENROLLMENT_CANCELLED',
    'SURPLUS_CELLS',
    'PASSWORD_AND_HASH',
    'PHONE_MISSING',
  ] as const),
];

/** Codes whose translation is not enough: only the service's message names the rule, line, account or course. */
const incompleteCodes: readonly string[] = [
  ...(['DUPLICATE_IN_FILE', 'ACCOUNTS_DIFFER', 'COURSE_AMBIGUOUS'] as const),
  ...(['PASSWORD_INVALID', 'PASSWORD_WEAK', 'TEXT_INVALID'] as const),
];

/** Translation of a row code; undefined for a code of another version of the service. */
export const reasonOf = (code: string, t: TFunction): string | undefined =>
  i18next.exists(`imports.why.${code}`)
    ? // `exists` has checked the key.
      t(`imports.why.${code as keyof Translations['imports']['why']}`)
    : undefined;

interface ReasonTextProps {
  code: string;
  /** Codes of other errors in the same rows. */
  otherCodes?: readonly string[];
  /** English message of the service; null if it sent only a code. */
  message: string | null;
  /** Whether the reason is of a group of rows, without the values of a single row. */
  isGroup?: boolean;
}

/** Reason why rows are skipped or rejected: the translated code, with the service's message if it says more. */
export function ReasonText({ code, otherCodes = [], message, isGroup = false }: ReasonTextProps) {
  const { t, i18n } = useTranslation();
  const codes = [code, ...otherCodes];
  const reasons = codes.map((one) => reasonOf(one, t));
  if (reasons.includes(undefined)) return message ?? code;
  const reason = reasons.join(' ');
  const isComplete =
    message === null || message === reason || (isGroup && codes.every((one) => completeCodes.includes(one)));
  // In other languages, the English message is shown only if the translation is not enough.
  const showsMessage = !isComplete && (i18n.language === 'en' || codes.some((one) => incompleteCodes.includes(one)));
  return (
    <>
      {reason}
      {showsMessage && (
        <Text component="div" size="sm" fw={400} c="dimmed" lang="en">
          {message}
        </Text>
      )}
    </>
  );
}

/** Reason why an import failed: the translated code, with the service's message. */
export function FailureText({ code, message }: { code: string; message: string | null }) {
  const { t } = useTranslation();
  return (
    <>
      {/* An unknown code gets a general text. */}
      {refusalText({ code: code as ErrorCode }, t)}
      {message !== null && (
        <Text component="div" size="sm" c="dimmed" lang="en">
          {message}
        </Text>
      )}
    </>
  );
}

type Reason = NonNullable<NonNullable<Plan['problem']>['reason']>;

/** Whether no option can fix the file. The upload is refused with the same text. */
const isFieldProblem = (reason: Reason): reason is Extract<Reason, ProblemCode> => i18next.exists(`problem.${reason}`);

/** Says why a file can't be imported with these options, and what to do on this page. */
export function PlanProblem({ problem }: { problem: NonNullable<Plan['problem']> }) {
  const { t } = useTranslation();
  const { code, reason, line } = problem;
  if (code === 'PLAN_OUTDATED') return t('imports.problem.PLAN_OUTDATED');
  if (reason === null) return <FailureText {...problem} />;
  return isFieldProblem(reason) ? t(`problem.${reason}`) : t(`imports.problem.${reason}`, { line: String(line ?? '') });
}

/** Says that a plan has more bad rows than its options allow. */
export function planRefusal({ options }: Import, { counts }: Plan, t: TFunction): string {
  if (!counts) return t('refusal.IMPORT_REFUSED');
  const count = counts.rejected;
  if (options.onError === 'abort') return t('imports.plan.refusedAll', { count });
  return t('imports.plan.refusedMost', { count, most: Number(options.maxErrors) });
}
