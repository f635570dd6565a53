import { Anchor, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, urlOf } from '../api/client.js';
import { useChange } from '../api/queries.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { ButtonLink } from '../ui/links.js';
import { Section } from './figures.js';

interface FirstStepsProps {
  /** Loads the demo programme; undefined if that isn't possible. */
  demo: ReturnType<typeof useChange<'loadDemo'>> | undefined;
}

export function FirstSteps({ demo }: FirstStepsProps) {
  const { t } = useTranslation();
  return (
    <Section title={t('overview.first.title')}>
      <SimpleGrid cols={{ base: 1, sm: demo ? 2 : 1 }} spacing="xl">
        <ImportStep />
        {demo && <DemoStep load={demo} />}
      </SimpleGrid>
    </Section>
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
    <Stack gap="sm" align="flex-start">
      <Title order={3} size="h5">
        {t('overview.first.import')}
      </Title>
      <Text size="sm">{t('overview.first.importHint')}</Text>
      <FormFailure>{failure}</FormFailure>
      <Group gap="xs">
        <Button loading={working} onClick={() => void plan()}>
          {t('overview.first.example')}
        </Button>
        <ButtonLink to="/imports" variant="default">
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
