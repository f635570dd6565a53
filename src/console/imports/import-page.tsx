import { useTranslation } from 'react-i18next';
import { Page } from '../ui/page.js';
import { Empty } from '../ui/states.js';

export function ImportPage() {
  const { t } = useTranslation();
  return (
    <Page title={t('imports.title')}>
      <Empty />
    </Page>
  );
}
