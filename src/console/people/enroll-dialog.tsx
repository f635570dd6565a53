import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { assignmentFailure, WhenFullSwitch } from '../enrollments/when-full.js';
import { CoursePicker } from '../pickers/course-picker.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { useLossGuard } from '../ui/forms/unsaved.js';
import { useUnmountSignal } from '../ui/unmount-signal.js';
import { enroll, type Outcome, outcomeOf, type SelectedAccounts } from './bulk-actions.js';
import { Outcomes } from './bulk-outcomes.js';

interface EnrollDialogProps {
  selected: SelectedAccounts;
  /** @param changed whether the action was performed */
  onClose(changed: boolean): void;
}

/** Enrolls the selected trainees in a course. Lists refused people before the question and in the result. */
export function EnrollDialog({ selected, onClose }: EnrollDialogProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [courseId, setCourseId] = useState<string>();
  const [whenFull, setWhenFull] = useState<'reject' | 'wait'>('reject');
  const [result, setResult] = useState<Outcome[]>();
  const [failure, setFailure] = useState<unknown>();
  const [working, setWorking] = useState(false);
  useLossGuard(working, t('people.bulk.leave'));
  const unmounted = useUnmountSignal();

  const accounts = [...selected.values()];
  const trainees = accounts.filter(({ role, isActive }) => role === 'trainee' && isActive);
  const others = accounts.filter((account) => !trainees.includes(account));
  const refused = others.map((account) =>
    outcomeOf(account, t(account.role === 'trainee' ? 'people.bulk.inactiveTrainee' : 'people.bulk.noTrainee')),
  );

  async function confirm(): Promise<void> {
    if (courseId === undefined) return;
    setWorking(true);
    setFailure(undefined);
    try {
      setResult([...(await enroll({ courseId, whenFull }, trainees, unmounted, t)), ...refused]);
      await client.invalidateQueries();
    } catch (error) {
      setFailure(assignmentFailure(error, t));
    } finally {
      setWorking(false);
    }
  }

  return (
    <Modal
      opened
      onClose={() => onClose(result !== undefined)}
      size="lg"
      closeOnClickOutside={!working}
      closeOnEscape={!working}
      withCloseButton={!working}
      title={t('people.bulk.action.enroll')}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <Stack>
        <FormFailure>{failure}</FormFailure>
        {result ? (
          <Outcomes outcomes={result} label={t('people.bulk.result')} tense="past" />
        ) : (
          <>
            <CoursePicker label={t('field.course')} value={courseId} onChange={setCourseId} required />
            <WhenFullSwitch value={whenFull} onChange={setWhenFull} />
            <Text size="sm">{t('people.bulk.hint.enroll')}</Text>
            <Outcomes
              outcomes={[...refused, ...trainees.map((account) => outcomeOf(account))]}
              label={t('people.bulk.plan')}
              tense="future"
            />
          </>
        )}
        <Group justify="flex-end">
          {result ? (
            <Button onClick={() => onClose(true)}>{t('action.close')}</Button>
          ) : (
            <>
              <Button variant="default" onClick={() => onClose(false)} disabled={working}>
                {t('action.cancel')}
              </Button>
              <Button
                disabled={courseId === undefined || trainees.length === 0}
                loading={working}
                onClick={() => void confirm()}
              >
                {t('people.bulk.confirm', {
                  action: t('people.bulk.action.enroll'),
                  count: trainees.length,
                })}
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
