import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

/** Names the browser's tab after what is shown. Pages alone do that: a frame around them would do it after them. */
export function useDocumentTitle(title: string): void {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = `${title} · ${t('app.name')}`;
  }, [title, t]);
}
