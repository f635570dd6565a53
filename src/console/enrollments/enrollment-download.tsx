import { useTranslation } from 'react-i18next';
import { urlOf } from '../api/client.js';
import { DownloadMenu } from '../ui/download-menu.js';
import type { EnrollmentFilter } from './status-filter.js';

export function EnrollmentDownload({ filter }: { filter: EnrollmentFilter }) {
  const { t } = useTranslation();
  return (
    <DownloadMenu
      label={t('action.export')}
      formats={{
        csv: urlOf('exportEnrollments', { query: filter }),
        xlsx: urlOf('exportEnrollments', { query: { ...filter, format: 'xlsx' } }),
      }}
    />
  );
}
