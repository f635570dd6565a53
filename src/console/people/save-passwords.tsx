import { Alert, Button, CopyButton, Group, Stack } from '@mantine/core';
import { IconCopy, IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { csvOf, neutralized, saveFile } from '../ui/save-file.js';
import type { Outcome } from './bulk-actions.js';

/** New passwords, which are shown once, to take along: copied, or as a file. */
export function SavePasswords({ outcomes }: { outcomes: readonly Outcome[] }) {
  const { t } = useTranslation();
  const lines = outcomes.flatMap(({ name, email, password }) =>
    password === undefined ? [] : [[name ?? '', email ?? '', password]],
  );
  return (
    <Stack gap="sm">
      <Alert color="teal" variant="light">
        {t('people.shownOnceMany')}
      </Alert>
      <Group gap="xs">
        <CopyButton value={lines.map((line) => line.map(neutralized).join('\t')).join('\n')}>
          {({ copied, copy }) => (
            <Button variant="default" leftSection={<IconCopy size={16} aria-hidden />} onClick={copy}>
              {copied ? t('action.copied') : t('action.copy')}
            </Button>
          )}
        </CopyButton>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => saveFile('credentials.csv', csvOf([['name', 'email', 'password'], ...lines]), 'text/csv')}
        >
          {t('people.downloadPasswords')}
        </Button>
      </Group>
    </Stack>
  );
}
