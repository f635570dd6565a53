import { useTranslation } from 'react-i18next';
import { Page } from '../ui/page.js';
import { Empty } from '../ui/states.js';

export function ProfilePage() {
  const { t } = useTranslation();
  return (
    <Page title={t('profile.title')}>
      <Empty />
    </Page>
  );
}
