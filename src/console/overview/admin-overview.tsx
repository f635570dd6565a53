import { Grid, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useApi, useChange } from '../api/queries.js';
import { formatBytes, formatNumber } from '../i18n/format.js';
import { lazyPart } from '../ui/lazy.js';
import { ButtonLink, TextLink } from '../ui/links.js';
import { PlainTable } from '../ui/lists/plain-table.js';
import { CourseFigures } from './course-figures.js';
import { EnrollmentFigures } from './enrollment-figures.js';
import { Figures, Section } from './figures.js';
import { type Overview, OverviewPage } from './overview-page.js';
import { Tasks, useAdminTasks, useCourseTasks } from './tasks.js';
import { Weeks } from './weeks.js';

// Loaded later, because it is below the figures.
const LastImports = lazyPart(async () => (await import('./last-imports.js')).LastImports);
// Loaded on demand: rarely shown after the first days.
const DemoNotice = lazyPart(async () => (await import('./demo-notice.js')).DemoNotice);
const ProgrammeDay = lazyPart(async () => (await import('./programme-day.js')).ProgrammeDay);
const FirstSteps = lazyPart(async () => (await import('./first-steps.js')).FirstSteps);

const roles = ['trainee', 'trainer', 'super_admin'] as const;
const fileKinds = ['material', 'thumbnail', 'avatar'] as const;

/** Overview of the super admin; every figure links to its list. */
export function AdminOverview() {
  // The figures wait for this response, so that they don't move down. They don't need it: it may fail.
  const { data: { demo } = {}, isPending } = useApi('showDemo', {});
  const loadDemo = useChange('loadDemo');
  return (
    <OverviewPage viewer="super_admin" isPending={isPending}>
      {(overview) => (
        <>
          {demo?.status === 'loaded' && <DemoNotice demo={demo} isNew={loadDemo.isSuccess} />}
          {/* Stays after a failure, to show it: other accounts may exist by now. */}
          {(isSettingUp(overview) || loadDemo.isError) && (
            <FirstSteps
              overview={overview}
              demo={demo?.status === 'available' || loadDemo.isError ? loadDemo : undefined}
            />
          )}
          {overview.programme.timeZoneMissing && <ProgrammeDay programme={overview.programme} />}
          <AdminTasks overview={overview} />
          <Sections overview={overview} />
          {!overview.programme.timeZoneMissing && <ProgrammeDay programme={overview.programme} />}
        </>
      )}
    </OverviewPage>
  );
}

/** Whether the programme has no people, no published courses or no enrollments yet. */
const isSettingUp = ({ people: { byRole }, courses, enrollments }: Overview<'super_admin'>): boolean =>
  [byRole.trainee.total, byRole.trainer.total, courses.published, enrollments.total].includes(0);

function AdminTasks({ overview }: { overview: Overview<'super_admin'> }) {
  const courseTasks = useCourseTasks(overview, overview.programme.today);
  return <Tasks tasks={[...courseTasks, ...useAdminTasks(overview)]} />;
}

function Sections({ overview }: { overview: Overview<'super_admin'> }) {
  const { t } = useTranslation();
  const { people, courses, enrollments, requestsWaiting, imports, weeks, storage } = overview;
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Section
          title={t('nav.people')}
          action={
            <TextLink to="/people" fz="sm">
              {t('overview.all')}
            </TextLink>
          }
        >
          <Figures
            figures={[
              {
                key: 'total',
                label: <TextLink to="/people">{t('overview.people.total')}</TextLink>,
                value: people.total,
              },
              {
                key: 'inactive',
                label: (
                  <TextLink to="/people" search={{ isActive: 'false' }}>
                    {t('overview.people.inactive')}
                  </TextLink>
                ),
                value: people.inactive,
              },
              {
                key: 'initialPassword',
                label: (
                  <TextLink to="/people" search={{ requiresPasswordChange: 'true' }}>
                    {t('overview.people.initialPassword')}
                  </TextLink>
                ),
                value: people.initialPassword,
              },
              {
                key: 'locked',
                label: (
                  <TextLink to="/people" search={{ locked: 'true' }}>
                    {t('overview.people.locked')}
                  </TextLink>
                ),
                value: people.locked,
              },
              ...roles.map((role) => ({
                key: role,
                label: (
                  <TextLink to="/people" search={{ role }}>
                    {t(`overview.roles.${role}`)}
                  </TextLink>
                ),
                value: people.byRole[role].total,
              })),
            ]}
          />
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Stack h="100%">
          <EnrollmentFigures enrollments={enrollments} requestsWaiting={requestsWaiting} />
          <Section
            title={t('nav.courses')}
            action={
              <TextLink to="/courses" search={{ ended: 'all' }} fz="sm">
                {t('overview.all')}
              </TextLink>
            }
          >
            <CourseFigures courses={courses} />
          </Section>
        </Stack>
      </Grid.Col>
      <Grid.Col span={12}>
        <Weeks weeks={weeks} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 8 }}>
        <Section
          title={t('overview.imports.title')}
          action={
            <ButtonLink to="/imports" size="xs" variant="default">
              {t('overview.imports.open')}
            </ButtonLink>
          }
        >
          <LastImports imports={imports} />
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 4 }}>
        <Section title={t('overview.storage.title')}>
          <Text size="sm">
            {t('overview.storage.total', {
              count: storage.files,
              size: formatBytes(storage.bytes),
            })}
          </Text>
          <PlainTable
            label={t('overview.storage.title')}
            figures
            head={[t('overview.storage.kind'), t('overview.storage.files'), t('overview.storage.size')]}
            rows={fileKinds.map((kind) => ({
              key: kind,
              cells: [
                t(`overview.storage.${kind}`),
                formatNumber(storage.byKind[kind].files),
                formatBytes(storage.byKind[kind].bytes),
              ],
            }))}
          />
        </Section>
      </Grid.Col>
    </Grid>
  );
}
