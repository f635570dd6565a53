import { Alert, Button, CopyButton, Group, Stack } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DownloadMenu } from '../ui/download-menu.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { csvOf, neutralizeFormulas, saveFile } from '../ui/save-file.js';
import type { Outcome } from './bulk-actions.js';

/** Saves a table as a workbook, with code that is loaded on demand. */
async function saveWorkbook(table: readonly (readonly string[])[]): Promise<void> {
  const { workbookOf, workbookType } = await import('../ui/workbook.js');
  saveFile('credentials.xlsx', workbookOf(table), workbookType);
}

/** Buttons to copy or download new passwords, which are shown once. */
export function SavePasswords({ outcomes }: { outcomes: readonly Outcome[] }) {
  const { t } = useTranslation();
  const [failure, setFailure] = useState<Error>();
  const lines = outcomes.flatMap(({ name, email, password }) =>
    password === undefined ? [] : [[name ?? '', email ?? '', password]],
  );
  const table = [['name', 'email', 'password'], ...lines];
  return (
    <Stack gap="sm">
      <Alert color="teal" variant="light">
        {t('people.shownOnceMany')}
      </Alert>
      <Group gap="xs">
        <CopyButton value={lines.map((line) => line.map(neutralizeFormulas).join('\t')).join('\n')}>
          {({ copied, copy }) => (
            <Button variant="default" leftSection={<IconCopy size={16} aria-hidden />} onClick={copy}>
              {copied ? t('action.copied') : t('action.copy')}
            </Button>
          )}
        </CopyButton>
        <DownloadMenu
          label={t('people.downloadPasswords')}
          formats={{
            csv: () => saveFile('credentials.csv', csvOf(table), 'text/csv'),
            xlsx: () => void saveWorkbook(table).catch(() => setFailure(new Error(t('people.workbookFailed')))),
          }}
        />
      </Group>
      <FormFailure>{failure}</FormFailure>
    </Stack>
  );
}
