import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';

type Changes = NonNullable<ResponseBody<'listImportRows'>['rows'][number]['changes']>;

/** Effects of leaving on the enrollments and the account of a member. */
export function LeavingEffects({ changes }: { changes: Changes }) {
  const { t } = useTranslation();
  return changes
    .map(({ field, before }) =>
      field === 'course' ? t('imports.roster.ended', { count: Number(before) }) : t('imports.roster.deactivated'),
    )
    .join(' · ');
}
