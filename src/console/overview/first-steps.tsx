import { Anchor, Box, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconCircle, IconCircleCheck } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, urlOf } from '../api/client.js';
import { useChange } from '../api/queries.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { ButtonLink } from '../ui/links.js';
import { Section } from './figures.js';
import type { Overview } from './overview-page.js';

interface FirstStepsProps {
  overview: Overview<'super_admin'>;
  /** Loads the demo programme; undefined if that isn't possible. */
  demo: ReturnType<typeof useChange<'loadDemo'>> | undefined;
}

/** Whether the programme has what a step leads to. */
const stepsOf = ({ people: { byRole }, courses, enrollments }: Overview<'super_admin'>) => ({
  people: byRole.trainee.total > 0,
  trainer: byRole.trainer.total > 0,
  course: courses.total > 0,
  publish: courses.published > 0,
  enroll: enrollments.total > 0,
});

type Step = keyof ReturnType<typeof stepsOf>;

/** Links of the steps with a page of their own. */
const links = {
  trainer: { to: '/people' },
  course: { to: '/courses/new' },
  publish: { to: '/courses', search: { isPublished: 'false' } },
  enroll: { to: '/courses' },
} as const;

export function FirstSteps({ overview, demo }: FirstStepsProps) {
  const { t } = useTranslation();
  const steps = Object.entries(stepsOf(overview)) as [Step, boolean][];
  const next = steps.find(([, isDone]) => !isDone)?.[0];
  return (
    <Section title={t('overview.first.title')}>
      <SimpleGrid cols={{ base: 1, sm: demo ? 2 : 1 }} spacing="xl">
        <Stack component="ul" gap="sm" className="plain-list">
          {steps.map(([step, isDone]) => (
            <Group key={step} component="li" gap="sm" wrap="nowrap" align="flex-start">
              {isDone ? (
                <IconCircleCheck color="var(--mantine-color-teal-6)" role="img" aria-label={t('overview.first.done')} />
              ) : (
                <IconCircle aria-hidden />
              )}
              <Box flex={1} miw={0}>
                <Text size="sm" fw={step === next ? 600 : 400} c={isDone ? 'dimmed' : 'var(--mantine-color-text)'}>
                  {t(`overview.first.${step}`)}
                </Text>
                {step === next && (step === 'people' ? <ImportStep /> : <StepLink step={step} />)}
              </Box>
            </Group>
          ))}
        </Stack>
        {demo && <DemoStep load={demo} />}
      </SimpleGrid>
    </Section>
  );
}

function StepLink({ step }: { step: keyof typeof links }) {
  const { t } = useTranslation();
  return (
    <ButtonLink {...links[step]} size="xs" mt="xs">
      {t(`overview.first.open.${step}`)}
    </ButtonLink>
  );
}

const exampleName = 'trainees.csv';

function ImportStep() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const upload = useChange('createImport', ['listImports', 'showOverview']);
  const [working, setWorking] = useState(false);
  const [failure, setFailure] = useState<unknown>();

  async function plan(): Promise<void> {
    setWorking(true);
    setFailure(undefined);
    try {
      const file = new File([await call('importExample', {})], exampleName, { type: 'text/csv' });
      const response = await upload.mutateAsync({ body: { file, plan: true } });
      await navigate({ to: '/imports/$id', params: { id: response.import.id } });
    } catch (error) {
      setFailure(error);
    } finally {
      setWorking(false);
    }
  }

  return (
    <Stack gap="sm" align="flex-start" pt="xs">
      <Text size="sm">{t('overview.first.importHint')}</Text>
      <FormFailure>{failure}</FormFailure>
      <Group gap="xs">
        <Button size="xs" loading={working} onClick={() => void plan()}>
          {t('overview.first.example')}
        </Button>
        <ButtonLink to="/imports" size="xs" variant="default">
          {t('overview.first.ownFile')}
        </ButtonLink>
      </Group>
      <Anchor size="sm" href={urlOf('importExample', {})} download={exampleName}>
        {t('overview.first.download')}
      </Anchor>
    </Stack>
  );
}

function DemoStep({ load }: { load: NonNullable<FirstStepsProps['demo']> }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm" align="flex-start">
      <Title order={3} size="h5">
        {t('overview.first.demo')}
      </Title>
      <Text size="sm">{t('overview.first.demoHint')}</Text>
      <FormFailure>{load.error ?? undefined}</FormFailure>
      <Button variant="default" loading={load.isPending} onClick={() => load.mutate({})}>
        {t('overview.first.load')}
      </Button>
    </Stack>
  );
}
