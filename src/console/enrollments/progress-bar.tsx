import { Group, Progress, Text } from '@mantine/core';
import { formatShare } from '../i18n/format.js';

/** A progress in percent, as a bar and in words. @param label what it is the progress of, for screen readers */
export function ProgressBar({ percent, label }: { percent: number; label: string }) {
  return (
    <Group gap="xs" wrap="nowrap" miw={120} maw={480}>
      <Progress.Root flex={1} size="sm">
        <Progress.Section value={percent} aria-label={label} />
      </Progress.Root>
      <Text size="sm" miw={44} ta="end">
        {formatShare(percent / 100)}
      </Text>
    </Group>
  );
}
