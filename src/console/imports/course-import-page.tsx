import { Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { ButtonLink, TextLink } from '../ui/links.js';
import { Page } from '../ui/page.js';
import { Loaded } from '../ui/states.js';
import { UploadArea } from './upload-area.js';

const route = getRouteApi('/courses/$id/import');

/** Page on which trainers import participants into a course. */
export function CourseImportPage() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const query = useApi('showCourse', { path: { id } });
  return (
    <Page
      title={t('imports.participants.title')}
      hint={query.data?.course.title}
      actions={
        <ButtonLink to="/courses/$id" params={{ id }} search={{ tab: 'participants' }} variant="default">
          {t('imports.participants.back')}
        </ButtonLink>
      }
    >
      <Text>{t('imports.participants.hint')}</Text>
      <Loaded query={query}>{({ course }) => <UploadArea course={course.id} />}</Loaded>
      <Text size="sm">
        <TextLink to="/imports">{t('imports.participants.earlier')}</TextLink>
      </Text>
    </Page>
  );
}
