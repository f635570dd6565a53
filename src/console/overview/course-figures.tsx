import { useTranslation } from 'react-i18next';
import { TextLink } from '../ui/links.js';
import { Figures } from './figures.js';
import type { Overview } from './overview-page.js';

/** The courses by whether the catalogue shows them. */
export function CourseFigures({ courses }: { courses: Overview<'super_admin' | 'trainer'>['courses'] }) {
  const { t } = useTranslation();
  return (
    <Figures
      figures={[
        { key: 'total', label: <TextLink to="/courses">{t('overview.courses.total')}</TextLink>, value: courses.total },
        {
          key: 'published',
          label: (
            <TextLink to="/courses" search={{ isPublished: 'true' }}>
              {t('overview.courses.published')}
            </TextLink>
          ),
          value: courses.published,
        },
        {
          key: 'unpublished',
          label: (
            <TextLink to="/courses" search={{ isPublished: 'false' }}>
              {t('overview.courses.unpublished')}
            </TextLink>
          ),
          value: courses.unpublished,
        },
      ]}
    />
  );
}
