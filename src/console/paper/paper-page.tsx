import { Alert, Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import type { Course } from '../courses/course-values.js';
import { useUser } from '../session/session.js';
import { TextLink } from '../ui/links.js';
import { Page } from '../ui/page.js';
import { Loaded } from '../ui/states.js';
import './paper.css';

interface PaperPageProps {
  /** Id of the course. */
  id: string;
  kind: 'certificates' | 'attendance';
  /** Only the element of the class `paper` is printed. */
  children(course: Course): ReactNode;
}

/** Page to print for the managers of a course. */
export function PaperPage({ id, kind, children }: PaperPageProps) {
  const { t } = useTranslation();
  const user = useUser();
  const query = useApi('showCourse', { path: { id }, query: { include: ['seats'] } });
  const title = query.data?.course.title;
  return (
    <Page
      title={title === undefined ? t(`enrollments.paper.${kind}`) : t(`enrollments.paper.${kind}Of`, { title })}
      hint={
        <TextLink to="/courses/$id" params={{ id }} search={{ tab: 'participants' }}>
          {t('enrollments.summary.back')}
        </TextLink>
      }
    >
      <Loaded query={query}>
        {({ course }) =>
          user.role === 'super_admin' || course.trainerId === user.id ? (
            children(course)
          ) : (
            <Alert color="gray" variant="outline">
              {t('courses.notYours')}
            </Alert>
          )
        }
      </Loaded>
    </Page>
  );
}

export function PrintButton() {
  const { t } = useTranslation();
  return (
    <Button leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
      {t('enrollments.paper.print')}
    </Button>
  );
}
