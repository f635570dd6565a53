import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

/** Kind of a status, which decides its colour. */
export type Tone = 'good' | 'waiting' | 'done' | 'off' | 'bad';

const colors: Record<Tone, string> = { good: 'teal', waiting: 'yellow', done: 'blue', off: 'gray', bad: 'red' };

export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <Badge className="status-badge" variant="dot" size="lg" color={colors[tone]} radius="sm" tt="none" fw={500}>
      {children}
    </Badge>
  );
}
