import { Center, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { AppearanceMenu, LanguageFailure, useLanguageChange } from '../appearance/appearance-menu.js';
import { Brand, PoweredBy } from '../appearance/brand.js';
import { useDocumentTitle } from '../ui/document-title.js';

/** Frame of pages that need no session. */
export function SignInLayout({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  const language = useLanguageChange();
  useDocumentTitle(title);
  return (
    <Center component="main" id="content" mih="100vh" p="md">
      <Stack w="100%" maw={420}>
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <Brand />
          <AppearanceMenu onLanguage={(chosen) => void language.change(chosen)} />
        </Group>
        <LanguageFailure failed={language.failed} />
        <Paper withBorder p="lg" shadow="sm">
          <Title order={1} size="h2" mb={hint === undefined ? 'md' : 'xs'} tabIndex={-1} className="page-heading">
            {title}
          </Title>
          {hint !== undefined && (
            <Text c="dimmed" mb="md">
              {hint}
            </Text>
          )}
          {children}
        </Paper>
        <PoweredBy />
      </Stack>
    </Center>
  );
}
