import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

/** What a status means, whatever it is of. */
export type Tone = 'good' | 'waiting' | 'done' | 'off' | 'bad';

const colors: Record<Tone, string> = { good: 'teal', waiting: 'yellow', done: 'blue', off: 'gray', bad: 'red' };

/** A status in a word; its colour is only a dot beside it. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <Badge className="status-badge" variant="dot" size="lg" color={colors[tone]} radius="sm" tt="none" fw={500}>
      {children}
    </Badge>
  );
}
