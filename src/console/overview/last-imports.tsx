import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { formatNumber } from '../i18n/format.js';
import { ImportStatusBadge } from '../imports/import-status.js';
import { TextLink } from '../ui/links.js';
import { PlainTable } from '../ui/lists/plain-table.js';
import { Time } from '../ui/time.js';

type Import = Extract<ResponseBody<'showOverview'>['overview'], { role: 'super_admin' }>['imports'][number];

export function LastImports({ imports }: { imports: readonly Import[] }) {
  const { t } = useTranslation();
  if (imports.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('overview.imports.none')}
      </Text>
    );
  return (
    <PlainTable
      label={t('overview.imports.title')}
      head={[
        t('overview.imports.file'),
        t('field.status'),
        t('overview.imports.created'),
        t('overview.imports.rejected'),
        t('overview.imports.at'),
      ]}
      rows={imports.map(({ id, file, status, counts, error, createdAt }) => ({
        key: id,
        cells: [
          <TextLink key="file" to="/imports/$id" params={{ id }} data-opens-row>
            {file}
          </TextLink>,
          <ImportStatusBadge key="status" status={status} counts={counts} error={error} />,
          // A plan has changed nothing yet.
          status === 'planned' ? '–' : formatNumber(counts.created),
          status === 'planned' ? '–' : formatNumber(counts.rejected),
          <Time key="at" at={createdAt} relative />,
        ],
      }))}
    />
  );
}
