import { Alert, Button, Group, List, Modal, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { initialStatuses } from '../api/enrollment-statuses.js';
import { useChange } from '../api/queries.js';
import { assignmentFailure, maxAssigned, WhenFullSwitch } from '../enrollments/when-full.js';
import { PasteEmails } from '../pickers/paste-emails.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { useUnsavedGuard } from '../ui/forms/unsaved.js';
import { refusalText } from '../ui/messages.js';
import { useNarrowWindow } from '../ui/narrow-window.js';
import { notifyDone } from '../ui/notify.js';
import { nameOf } from '../ui/person-name.js';
import { AvailableTrainees, type SelectedTrainees } from './available-trainees.js';
import { SeatsLeft } from './course-state.js';
import type { Course } from './course-values.js';

type Skipped = ResponseBody<'assignMany'>['skipped'];

interface AssignDialogProps {
  course: Course;
  opened: boolean;
  onClose(): void;
}

/** Enrolls selected trainees in a course. Only its buttons discard a selection or typed text. */
export function AssignDialog({ course, opened, onClose }: AssignDialogProps) {
  const { t } = useTranslation();
  const [dirty, setDirty] = useState(false);
  const isNarrow = useNarrowWindow();
  const assign = useChange('assignMany');

  function close(): void {
    setDirty(false);
    assign.reset();
    onClose();
  }

  const isDismissible = !dirty && !assign.isPending;
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="xl"
      fullScreen={isNarrow}
      closeOnClickOutside={isDismissible}
      closeOnEscape={isDismissible}
      title={t('enrollments.assign.title', { title: course.title })}
      closeButtonProps={{ 'aria-label': t('action.close'), disabled: assign.isPending }}
    >
      <AssignForm course={course} assign={assign} isOpen={opened} onDirty={() => setDirty(true)} onClose={close} />
    </Modal>
  );
}

interface AssignFormProps extends Pick<AssignDialogProps, 'course' | 'onClose'> {
  isOpen: boolean;
  assign: ReturnType<typeof useChange<'assignMany'>>;
  /** Called when the user selects or types something. */
  onDirty(): void;
}

function AssignForm({ course, assign, isOpen, onDirty, onClose }: AssignFormProps) {
  const { t } = useTranslation();
  const [selected, setSelected] = useState<SelectedTrainees>(new Map());
  const [skipped, setSkipped] = useState<Skipped>([]);
  const [whenFull, setWhenFull] = useState<'reject' | 'wait'>('reject');
  const lookup = useChange('findAvailableTrainees', []);
  const { seatsLeft = null } = course;
  const isTooMany = whenFull === 'reject' && seatsLeft !== null && selected.size > seatsLeft;
  const form = useApiForm<{ status: (typeof initialStatuses)[number]; reply: string }>({
    initialValues: { status: 'active', reply: '' },
    async submit({ status, reply }) {
      if (selected.size === 0) throw new Error(t('enrollments.assign.nobody'));
      const body = { courseId: course.id, status, whenFull, ...(reply.trim() !== '' && { reply }) };
      const trainees = [...selected];
      // The service refuses too few seats for each request, not for several together.
      if (trainees.length > maxAssigned && isTooMany) throw new Error(t('enrollments.assign.full'));
      const refused: Skipped = [];
      const counts = { done: 0, waiting: 0 };
      try {
        for (let begin = 0; begin < trainees.length; begin += maxAssigned) {
          setSelected(new Map(trainees.slice(begin)));
          const traineeIds = trainees.slice(begin, begin + maxAssigned).map(([id]) => id);
          const response = await assign.mutateAsync({ body: { ...body, traineeIds } });
          for (const enrollment of response.enrollments)
            counts[enrollment.status === 'waiting' ? 'waiting' : 'done'] += 1;
          refused.push(...response.skipped);
        }
      } catch (error) {
        throw assignmentFailure(error, t);
      } finally {
        for (const key of ['done', 'waiting'] as const)
          if (counts[key] > 0) notifyDone(t(`enrollments.assign.${key}`, { count: counts[key] }));
      }
      setSelected(new Map(trainees));
      setSkipped(refused);
      if (refused.length === 0) onClose();
    },
  });
  async function find(emails: readonly string[]) {
    const { trainees, unavailable } = await lookup.mutateAsync({ body: { courseId: course.id, emails: [...emails] } });
    setSelected((before) => new Map([...before, ...trainees.map((one) => [one.id, one] as const)]));
    return { found: trainees.length, unknown: unavailable };
  }
  const unsaved = [
    ...(selected.size > 0 ? [t('table.selected', { count: selected.size })] : []),
    ...(form.values.reply === '' ? [] : [t('courses.field.reply')]),
  ];
  // After success, the dialog only shows the skipped trainees.
  useUnsavedGuard(isOpen && unsaved.length > 0 && !assign.isSuccess, unsaved);
  if (skipped.length > 0) return <SkippedTrainees skipped={skipped} names={selected} onClose={onClose} />;
  return (
    <form onSubmit={form.onSubmit} onChange={onDirty} noValidate>
      <Stack>
        <FormFailure>{form.failure}</FormFailure>
        <PasteEmails onFind={find} unknownText={(count) => t('enrollments.paste.unavailable', { count })} />
        <AvailableTrainees courseId={course.id} selected={selected} onChange={setSelected} />
        <SegmentedControl
          {...form.field('status')}
          aria-label={t('enrollments.assign.as')}
          data={initialStatuses.map((value) => ({ value, label: t(`courses.status.${value}`) }))}
        />
        <Textarea {...form.field('reply')} label={t('enrollments.assign.reply')} autosize minRows={2} maxRows={6} />
        {course.maxStudents !== null && <WhenFullSwitch value={whenFull} onChange={setWhenFull} />}
        <Group justify="space-between" className="sticky-actions">
          <Text size="sm" c={isTooMany ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
            <SeatsLeft course={course} />
            {selected.size > 0 && `, ${t('table.selected', { count: selected.size })}`}
          </Text>
          <Group>
            <Button variant="default" onClick={onClose} disabled={form.submitting}>
              {t('action.cancel')}
            </Button>
            <Button type="submit" loading={form.submitting} disabled={selected.size === 0}>
              {t('enrollments.assign.submit', { count: selected.size })}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

interface SkippedTraineesProps {
  skipped: Skipped;
  names: SelectedTrainees;
  onClose(): void;
}

function SkippedTrainees({ skipped, names, onClose }: SkippedTraineesProps) {
  const { t } = useTranslation();
  return (
    <Stack>
      <Alert
        color="yellow"
        variant="outline"
        role="alert"
        title={t('enrollments.assign.skipped', { count: skipped.length })}
      >
        <List size="sm">
          {skipped.map(({ traineeId, ...refusal }) => {
            const trainee = names.get(traineeId);
            const reason = refusalText(refusal, t);
            return (
              <List.Item key={traineeId}>
                {t('enrollments.change.reason', { name: trainee ? nameOf(trainee) : traineeId, reason })}
              </List.Item>
            );
          })}
        </List>
      </Alert>
      <Group justify="flex-end">
        <Button onClick={onClose}>{t('action.close')}</Button>
      </Group>
    </Stack>
  );
}
