import { useTranslation } from 'react-i18next';
import { TextLink } from '../ui/links.js';
import { Figures } from './figures.js';
import type { Overview } from './overview-page.js';

export function CourseFigures({ courses }: { courses: Overview<'super_admin' | 'trainer'>['courses'] }) {
  const { t } = useTranslation();
  return (
    <Figures
      figures={[
        {
          key: 'total',
          label: (
            <TextLink to="/courses" search={{ ended: 'all' }}>
              {t('overview.courses.total')}
            </TextLink>
          ),
          value: courses.total,
        },
        {
          key: 'published',
          label: (
            <TextLink to="/courses" search={{ isPublished: 'true', ended: 'all' }}>
              {t('overview.courses.published')}
            </TextLink>
          ),
          value: courses.published,
        },
        {
          key: 'unpublished',
          label: (
            <TextLink to="/courses" search={{ isPublished: 'false', ended: 'all' }}>
              {t('overview.courses.unpublished')}
            </TextLink>
          ),
          value: courses.unpublished,
        },
      ]}
    />
  );
}
