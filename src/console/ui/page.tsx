import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useDocumentTitle } from './document-title.js';

interface PageProps {
  title: string;
  hint?: ReactNode;
  /** Buttons in the line of the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** Page whose heading gets the focus when the page opens, so that screen readers start there. */
export function Page({ title, hint, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useDocumentTitle(title);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h2" ref={heading} tabIndex={-1} className="page-heading">
            {title}
          </Title>
          {hint !== undefined && (
            <Text c="dimmed" size="sm" component="div">
              {hint}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
