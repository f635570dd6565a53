import { Alert, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { lazyDialog } from '../ui/lazy.js';
import { readAll } from '../ui/lists/selection.js';
import { messageOf } from '../ui/messages.js';
import { useUnmountSignal } from '../ui/unmount-signal.js';
import type { EnrollmentChange } from './enrollment-dialog.js';
import { enrollmentReader } from './read-enrollments.js';
import { type EnrollmentFilter, finishedFilter } from './status-filter.js';

const EnrollmentDialog = lazyDialog(async () => (await import('./enrollment-dialog.js')).EnrollmentDialog, 'change');

/** Says how many trainees have reached 100 %, and offers to complete them. @param within enrollments to look at */
export function FinishedNote({ within }: { within: EnrollmentFilter }) {
  const { t } = useTranslation();
  const filter = { ...within, ...finishedFilter };
  const { data } = useApi('listEnrollments', { query: { ...filter, limit: 1 } }, { keepPrevious: true });
  const [change, setChange] = useState<EnrollmentChange>();
  const [reading, setReading] = useState(false);
  const [failure, setFailure] = useState<string>();
  const unmounted = useUnmountSignal();
  const count = data?.pagination.totalItems ?? 0;

  async function ask(): Promise<void> {
    setReading(true);
    setFailure(undefined);
    try {
      const rows = await readAll(enrollmentReader(filter, unmounted));
      if (rows.size > 0) setChange({ action: 'complete', rows: [...rows.values()] });
    } catch (error) {
      if (!unmounted.aborted) setFailure(messageOf(error, t));
    } finally {
      setReading(false);
    }
  }
  return (
    <>
      {count > 0 && (
        <Alert color="teal" variant="light">
          <Group justify="space-between">
            <Text size="sm">{failure ?? t('enrollments.finished.note', { count })}</Text>
            <Button size="xs" loading={reading} onClick={() => void ask()}>
              {t('enrollments.finished.complete', { count })}
            </Button>
          </Group>
        </Alert>
      )}
      <EnrollmentDialog change={change} onClose={() => setChange(undefined)} onDone={() => undefined} />
    </>
  );
}
