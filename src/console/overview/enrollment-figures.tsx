import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { enrollmentStatuses } from '../api/enrollment-statuses.js';
import { TextLink } from '../ui/links.js';
import { Figures, Section } from './figures.js';

const otherStatuses = enrollmentStatuses.filter((status) => status !== 'pending');

interface EnrollmentFiguresProps {
  enrollments: ResponseBody<'enrollmentStatistics'>['stats'];
  requestsWaiting: number;
  /** For trainers: active enrollments at 100 %, which the trainer completes. */
  finished?: number;
}

/** Numbers of enrollments by status, with a link to answer open requests. */
export function EnrollmentFigures({ enrollments, requestsWaiting, finished }: EnrollmentFiguresProps) {
  const { t } = useTranslation();
  return (
    <Section
      title={t('nav.enrollments')}
      action={
        <TextLink to="/enrollments" fz="sm">
          {t('overview.all')}
        </TextLink>
      }
    >
      <Figures
        figures={[
          {
            key: 'pending',
            label: (
              <TextLink to="/enrollments" search={{ status: 'pending' }}>
                {t('overview.requestsWaiting')}
              </TextLink>
            ),
            value: requestsWaiting,
          },
          ...otherStatuses.map((status) => ({
            key: status,
            label: (
              <TextLink to="/enrollments" search={{ status }}>
                {t(`courses.status.${status}`)}
              </TextLink>
            ),
            value: enrollments[status],
          })),
          ...(finished === undefined
            ? []
            : [
                {
                  key: 'finished',
                  label: (
                    <TextLink to="/enrollments" search={{ status: 'finished' }}>
                      {t('courses.status.finished')}
                    </TextLink>
                  ),
                  value: finished,
                },
              ]),
        ]}
      />
    </Section>
  );
}
