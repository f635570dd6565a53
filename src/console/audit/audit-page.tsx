import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { timeZone } from '../i18n/format.js';
import { type SearchChange, searchNavigation } from '../ui/lists/list-search.js';
import { Page } from '../ui/page.js';
import { AuditFilters, type AuditSearch, auditQuery, noFilters } from './audit-filters.js';
import { AuditTable } from './audit-table.js';

const route = getRouteApi('/audit');

export function AuditPage() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filter = auditQuery(search);
  const filtered = Object.keys(filter).length > 0;
  const audit = useApi(
    'listAudit',
    { query: { ...filter, page: search.page ?? 1, limit: search.limit ?? 20 } },
    { keepPrevious: true },
  );
  const onSearch = (change: SearchChange<AuditSearch>, replace?: boolean) =>
    void navigate(searchNavigation<AuditSearch>(change, replace));
  return (
    <Page title={t('audit.title')} hint={t('audit.hint', { zone: timeZone() })}>
      <AuditFilters search={search} onSearch={onSearch} filtered={filtered} />
      <AuditTable
        label={t('audit.title')}
        query={audit}
        entries={audit.data?.entries}
        pagination={audit.data?.pagination}
        search={search}
        onSearch={onSearch}
        filtered={filtered}
        onClearFilters={() => onSearch(noFilters)}
      />
    </Page>
  );
}
