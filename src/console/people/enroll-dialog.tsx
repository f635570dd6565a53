import { Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi, useRefresh } from '../api/queries.js';
import { assignmentFailure, WhenFullSwitch } from '../enrollments/when-full.js';
import { CoursePicker } from '../pickers/course-picker.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { useLossGuard } from '../ui/forms/unsaved.js';
import { useUnmountSignal } from '../ui/unmount-signal.js';
import type { Outcome } from './bulk-actions.js';
import { Outcomes } from './bulk-outcomes.js';
import { type EnrolledPeople, enroll, previewEnrolling } from './enrolling.js';

interface EnrollDialogProps {
  people: EnrolledPeople;
  /** @param changed whether the action was performed */
  onClose(changed: boolean): void;
}

/** Enrolls the selected trainees or a group in a course. Shows the outcome for each person before the question, and afterwards. */
export function EnrollDialog({ people, onClose }: EnrollDialogProps) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const [courseId, setCourseId] = useState<string>();
  const [whenFull, setWhenFull] = useState<'reject' | 'wait'>('reject');
  const [plan, setPlan] = useState<Outcome[]>();
  const [result, setResult] = useState<Outcome[]>();
  const [failure, setFailure] = useState<unknown>();
  const [working, setWorking] = useState(false);
  const { data: shown } = useApi(
    'showCourse',
    { path: { id: courseId ?? '' }, query: { include: ['seats'] } },
    { enabled: courseId !== undefined },
  );
  const course = shown?.course;
  useLossGuard(working, t('people.bulk.leave'));
  const unmounted = useUnmountSignal();

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each choice; the people stay the same
  useEffect(() => {
    setPlan(undefined);
    setFailure(undefined);
    if (!course) return undefined;
    const outdated = new AbortController();
    const signal = AbortSignal.any([outdated.signal, unmounted]);
    previewEnrolling({ courseId: course.id, whenFull }, people, course.seatsLeft ?? null, signal, t).then(
      (outcomes) => {
        if (!signal.aborted) setPlan(outcomes);
      },
      (error: unknown) => {
        if (!signal.aborted) setFailure(assignmentFailure(error, t));
      },
    );
    return () => outdated.abort();
  }, [course?.id, course?.seatsLeft, whenFull]);

  const affected = plan?.filter(({ outcome }) => outcome === 'done') ?? [];

  async function confirm(): Promise<void> {
    if (courseId === undefined || !plan) return;
    setWorking(true);
    setFailure(undefined);
    try {
      const enrolled = await enroll({ courseId, whenFull }, affected, unmounted, t);
      setResult([...enrolled, ...plan.filter(({ outcome }) => outcome !== 'done')]);
      await refresh();
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
            {'id' in people && <Text size="sm">{t('people.groups.enrollHint', { group: people.name })}</Text>}
            <CoursePicker label={t('field.course')} value={courseId} onChange={setCourseId} required />
            <WhenFullSwitch value={whenFull} onChange={setWhenFull} />
            <Text size="sm">{t('people.bulk.hint.enroll')}</Text>
            {plan ? (
              <Outcomes outcomes={plan} label={t('people.bulk.plan')} tense="future" />
            ) : (
              courseId !== undefined && failure === undefined && <Loader size="sm" aria-label={t('state.loading')} />
            )}
          </>
        )}
        <Group justify="flex-end" className="sticky-actions">
          {result ? (
            <Button onClick={() => onClose(true)}>{t('action.close')}</Button>
          ) : (
            <>
              <Button variant="default" onClick={() => onClose(false)} disabled={working}>
                {t('action.cancel')}
              </Button>
              <Button disabled={affected.length === 0} loading={working} onClick={() => void confirm()}>
                {t('people.bulk.confirm', { action: t('people.bulk.action.enroll'), count: affected.length })}
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
