import { useTranslation } from 'react-i18next';
import { Page } from '../ui/page.js';
import { Empty } from '../ui/states.js';

export function CataloguePage() {
  const { t } = useTranslation();
  return (
    <Page title={t('catalogue.title')}>
      <Empty />
    </Page>
  );
}
