import { Alert, Button, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ErrorCode } from '../../../examples/api-types.js';
import { ApiError } from '../api/client.js';
import { useChange } from '../api/queries.js';
import { type Course, closedOn, isFull } from '../courses/course-values.js';
import { formatDay } from '../i18n/format.js';
import { useToday } from '../session/session.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { useUnsavedGuard } from '../ui/forms/unsaved.js';
import { notifyDone } from '../ui/notify.js';

/** Returns whether a trainee can request a place, join the waiting list, or none. @param refusal code of the last refusal */
function offerOf(course: Course, refusal: ErrorCode | undefined): 'place' | 'waiting' | 'none' {
  const { waitingMax, waitingCount = 0 } = course;
  const isListFull = refusal === 'WAITING_LIST_FULL' || (waitingMax !== null && waitingCount >= waitingMax);
  // The waiting list gets free seats first. Seats may be left after it.
  if (refusal === 'SEATS_BEING_GIVEN') return isListFull ? 'place' : 'waiting';
  if (!isFull(course) && refusal !== 'COURSE_FULL' && refusal !== 'WAITING_LIST_FULL') return 'place';
  return isListFull ? 'none' : 'waiting';
}

/** Code of the last refusal, until the number of free seats changes. The shown course may not reveal that it is full. */
function useRefusal({ seatsLeft }: Course) {
  const [state, setState] = useState<{ seatsLeft: typeof seatsLeft; refusal?: ErrorCode | undefined }>({ seatsLeft });
  if (state.seatsLeft !== seatsLeft) setState({ seatsLeft });
  return [state.refusal, (refusal?: ErrorCode) => setState((last) => ({ ...last, refusal }))] as const;
}

/**
 * Form to ask for a place in a published course or on its waiting list; otherwise says why that isn't possible.
 * @param askedBefore whether the trainee already had a place or a request
 */
export function EnrollmentRequest({ course, askedBefore }: { course: Course; askedBefore: boolean }) {
  const { t } = useTranslation();
  const closed = closedOn(useToday(), course);
  const [refusal, setRefusal] = useRefusal(course);
  const offer = offerOf(course, refusal);
  if (closed) {
    const day = formatDay(closed === 'ended' ? course.endDate : course.enrollUntil);
    return <Text size="sm">{t(`catalogue.place.${closed}`, { day })}</Text>;
  }
  if (offer === 'none')
    return (
      <Alert color="gray" variant="outline" title={t('courses.seats.full')}>
        {course.waitingMax === 0 ? t('catalogue.place.full') : t('catalogue.waiting.full')}
      </Alert>
    );
  return <RequestForm course={course} askedBefore={askedBefore} offer={offer} onRefused={setRefusal} />;
}

interface RequestFormProps {
  course: Course;
  askedBefore: boolean;
  offer: 'place' | 'waiting';
  onRefused(refusal?: ErrorCode): void;
}

function RequestForm({ course, askedBefore, offer, onRefused }: RequestFormProps) {
  const { t } = useTranslation();
  const request = useChange('requestEnrollment');
  const joinWaitingList = offer === 'waiting';
  const form = useApiForm({
    initialValues: { notes: '' },
    async submit({ notes }) {
      const body = { courseId: course.id, joinWaitingList, ...(notes.trim() !== '' && { notes }) };
      try {
        const { enrollment } = await request.mutateAsync({ body });
        notifyDone(t(`catalogue.status.${enrollment.status}`));
      } catch (error) {
        onRefused(error instanceof ApiError ? error.code : undefined);
        throw error;
      }
    },
  });
  useUnsavedGuard(form.isDirty && !form.submitting, [t('field.notes')]);
  const next = course.autoAccept ? 'auto' : 'request';
  const before = joinWaitingList
    ? t('catalogue.waiting.offer', { count: course.waitingCount ?? 0 })
    : askedBefore && t('catalogue.place.again');
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <Stack gap="sm">
        <FormFailure>{form.failure}</FormFailure>
        <Text size="sm">
          {before} {t(`catalogue.${offer}.next.${next}`)}
        </Text>
        <Textarea {...form.field('notes')} label={t('catalogue.place.notes')} autosize minRows={2} maxRows={8} />
        <Button type="submit" loading={form.submitting} fullWidth>
          {joinWaitingList ? t('catalogue.waiting.join') : t(`catalogue.place.ask.${next}`)}
        </Button>
      </Stack>
    </form>
  );
}
