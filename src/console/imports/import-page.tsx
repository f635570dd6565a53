import { Alert, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { isTransient, queryClient, useApi } from '../api/queries.js';
import { formatTime } from '../i18n/format.js';
import { lazyPart } from '../ui/lazy.js';
import { Page } from '../ui/page.js';
import { nameOf } from '../ui/person-name.js';
import { Failed, Loading } from '../ui/states.js';
import { ImportProgress } from './import-progress.js';
import { ImportResult } from './import-result.js';
import { hasDeletedRows, ImportStatusBadge, isUnderWay } from './import-status.js';
import { RowsTable } from './rows-table.js';

// Loaded for plans only.
const PlanView = lazyPart(async () => (await import('./plan-view.js')).PlanView, <Loading />);

const route = getRouteApi('/imports/$id');

/** Page of an import, from plan to undo. Fetches again while the import changes, even after the service was down. */
export function ImportPage() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const query = useApi('showImport', { path: { id } }, { refetchWhile: (data) => isUnderWay(data.import) });
  const current = query.data?.import;
  const status = current?.status;
  const before = useRef(status);
  useEffect(() => {
    // A new status also changes the rows and the list of imports.
    if (before.current !== undefined && before.current !== status)
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'showImport' });
    before.current = status;
  }, [status]);

  if (!current)
    return (
      <Page title={t('imports.title')}>
        {query.error ? <Failed error={query.error} onRetry={() => void query.refetch()} /> : <Loading />}
      </Page>
    );
  const underWay = isUnderWay(current);
  // A plan with a problem has no rows.
  const counts = current.status === 'planned' ? current.plan?.counts : current.counts;
  return (
    <Page
      title={current.file}
      hint={
        <>
          <ImportStatusBadge {...current} /> {formatTime(current.createdAt)}
          {current.trainer && ` · ${nameOf(current.trainer)}`}
        </>
      }
    >
      <Stack gap="lg">
        {query.error && !isTransient(query.error) && <Failed error={query.error} />}
        {isTransient(query.error) && (
          <Alert color="orange" variant="outline" role="status">
            {t('imports.unreachable')}
          </Alert>
        )}
        {underWay && <ImportProgress current={current} reachable={!query.error} />}
        {current.status === 'planned' && current.plan && <PlanView current={current} plan={current.plan} />}
        {!underWay && current.status !== 'planned' && <ImportResult current={current} />}
        {!underWay && !hasDeletedRows(current) && counts && (
          <RowsTable
            id={id}
            columns={current.plan?.columns}
            planned={current.status === 'planned'}
            hasRejected={counts.rejected > 0}
          />
        )}
      </Stack>
    </Page>
  );
}
