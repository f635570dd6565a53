import { Text } from '@mantine/core';
import i18next, { type TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { ErrorCode, ProblemCode } from '../../../examples/api-types.js';
import type { Translations } from '../i18n/en/translations.js';
import { refusalText } from '../ui/messages.js';
import type { Import, Plan } from './import-status.js';

/** Codes whose words say all that the service's sentence about a group of rows says. */
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

/** Codes whose words leave open what is wrong: only the sentence says which rule, line or account it is about. */
const incompleteCodes: readonly string[] = [
  ...(['DUPLICATE_IN_FILE', 'ACCOUNTS_DIFFER', 'NAME_INVALID', 'ROLE_UNKNOWN', 'IS_ACTIVE_UNKNOWN'] as const),
  ...(['PASSWORD_INVALID', 'PASSWORD_WEAK', 'PASSWORD_HASH_INVALID', 'COURSE_INVALID', 'TEXT_INVALID'] as const),
  ...(['PHONE_INVALID', 'ENROLLMENT_STATUS_UNKNOWN', 'QUOTES_INVALID', 'COURSE_AMBIGUOUS'] as const),
];

/** What a code says in the language of the console; undefined for one that only a service of another version knows. */
export const reasonOf = (code: string, t: TFunction): string | undefined =>
  i18next.exists(`imports.why.${code}`)
    ? // The line above has asked for it.
      t(`imports.why.${code as keyof Translations['imports']['why']}`)
    : undefined;

interface ReasonTextProps {
  code: string;
  /** Codes of further faults of the same rows. */
  otherCodes?: readonly string[];
  /** What the service says, in English; null where it says nothing but the code. */
  message: string | null;
  /** Said of a group of rows, not of one with its values. */
  isGroup?: boolean;
}

/** Why rows are skipped or rejected: by the code in the language of the console, with what the service says besides. */
export function ReasonText({ code, otherCodes = [], message, isGroup = false }: ReasonTextProps) {
  const { t, i18n } = useTranslation();
  const codes = [code, ...otherCodes];
  const reasons = codes.map((one) => reasonOf(one, t));
  if (reasons.includes(undefined)) return message ?? code;
  const reason = reasons.join(' ');
  const isComplete =
    message === null || message === reason || (isGroup && codes.every((one) => completeCodes.includes(one)));
  // Beside words of another language, English is worth reading only where it says more.
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

/** Why an import failed: by the code in the language of the console, with what the service says besides. */
export function FailureText({ code, message }: { code: string; message: string | null }) {
  const { t } = useTranslation();
  return (
    <>
      {/* What the console has no words for, it says in general. */}
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

/** Faults of the file that no options make good: the field of the upload is refused in the same words. */
const isFieldProblem = (reason: Reason): reason is Extract<Reason, ProblemCode> => i18next.exists(`problem.${reason}`);

/** Why a file can't be imported with these options, and what can be done on this page. */
export function PlanProblem({ problem }: { problem: NonNullable<Plan['problem']> }) {
  const { t } = useTranslation();
  const { code, reason, line } = problem;
  if (code === 'PLAN_OUTDATED') return t('imports.problem.PLAN_OUTDATED');
  if (reason === null) return <FailureText {...problem} />;
  return isFieldProblem(reason) ? t(`problem.${reason}`) : t(`imports.problem.${reason}`, { line: String(line ?? '') });
}

/** Why a plan must not be applied: more rows are bad than its options allow. */
export function planRefusal({ options }: Import, { counts }: Plan, t: TFunction): string {
  if (!counts) return t('refusal.IMPORT_REFUSED');
  const count = counts.rejected;
  if (options.onError === 'abort') return t('imports.plan.refusedAll', { count });
  return t('imports.plan.refusedMost', { count, most: Number(options.maxErrors) });
}
