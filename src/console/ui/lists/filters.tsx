import { Group } from '@mantine/core';
import type { ReactNode } from 'react';

/**
 * What a list is searched and filtered by. On a narrow screen each line of them is as wide as the page.
 * @param align where some have labels above them, `flex-end` aligns the fields
 */
export function Filters({ align = 'center', children }: { align?: 'center' | 'flex-end'; children: ReactNode }) {
  return (
    <Group component="search" className="filters" align={align} gap="sm">
      {children}
    </Group>
  );
}
