import { useTranslation } from 'react-i18next';
import { Page } from '../ui/page.js';
import { Empty } from '../ui/states.js';

export function AuditPage() {
  const { t } = useTranslation();
  return (
    <Page title={t('audit.title')}>
      <Empty />
    </Page>
  );
}
