import { useTranslation } from 'react-i18next';
import { Page } from '../ui/page.js';
import { Empty } from '../ui/states.js';

export function OwnCoursesPage() {
  const { t } = useTranslation();
  return (
    <Page title={t('nav.learning')}>
      <Empty />
    </Page>
  );
}
