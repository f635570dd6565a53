import { Alert, Box, Group, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { CopyField } from '../ui/copy-field.js';
import { TextLink } from '../ui/links.js';

interface DemoNoticeProps {
  demo: ResponseBody<'showDemo'>['demo'];
  /** Whether the demo was loaded just now: the notice takes the focus of the button, which has disappeared. */
  isNew: boolean;
}

export function DemoNotice({ demo: { accounts, password }, isNew }: DemoNoticeProps) {
  const { t } = useTranslation();
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isNew) notice.current?.focus();
  }, [isNew]);
  return (
    <Alert ref={notice} tabIndex={-1} color="teal" variant="light" role="status" p="sm">
      <Group align="center" justify="space-between">
        <Box flex={1} miw={240}>
          <Text size="sm" fw={600}>
            {t('overview.demo.title')}
          </Text>
          <Text size="sm">
            {t('overview.demo.accounts', { accounts: accounts.join(', ') })}{' '}
            <TextLink to="/people" search={{ role: 'trainee' }} underline="always">
              {t('overview.demo.trainees')}
            </TextLink>
          </Text>
        </Box>
        {password !== null && (
          <Box w={250}>
            <CopyField label={t('overview.demo.password')} value={password} />
          </Box>
        )}
      </Group>
    </Alert>
  );
}
