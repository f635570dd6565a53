import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { statusRules } from '../api/enrollment-statuses.js';
import { useChange } from '../api/queries.js';
import { closedOn } from '../courses/course-values.js';
import type { EnrollmentStatus } from '../enrollments/enrollment-changes.js';
import { useToday } from '../session/session.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { notifyDone } from '../ui/notify.js';
import type { EnrolledCourse } from './own-status.js';

/** Statuses that a trainee can leave. */
export type LeavableStatus = 'pending' | 'waiting' | 'active';

export const isLeavable = (status: EnrollmentStatus): status is LeavableStatus =>
  'cancelled' in statusRules[status].followedBy;

interface LeaveDialogProps {
  course: EnrolledCourse;
  /** Id of the enrollment. */
  id: string;
  /** Status when the dialog opened. If it has changed meanwhile, the service refuses to cancel. */
  leaving: LeavableStatus | undefined;
  onClose(): void;
}

/** Asks whether to give up a place, a request or a number on the waiting list, and says what follows. */
export function LeaveDialog({ course, id, leaving, onClose }: LeaveDialogProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const today = useToday();
  const { isPublished } = course;
  // Without the materials, and without an unpublished course: the service refuses them after leaving.
  const outOfDate = ['listOwnEnrollments', 'listCourses'] as const;
  const change = useChange('changeStatus', isPublished ? [...outOfDate, 'showCourse'] : outOfDate);
  const [shown, setShown] = useState<LeavableStatus>('active');
  if (leaving && leaving !== shown) setShown(leaving);
  const again = isPublished && !closedOn(today, course) ? (shown === 'waiting' ? 'waiting' : 'place') : 'never';
  return (
    <ConfirmDialog
      opened={leaving !== undefined}
      onClose={onClose}
      title={t(`catalogue.leave.${shown}.title`)}
      action={t(`catalogue.leave.${shown}.action`)}
      dismiss={t('action.keep')}
      destructive
      onConfirm={async () => {
        await change.mutateAsync({ path: { id }, body: { status: 'cancelled', expectedStatus: shown } });
        notifyDone(t(`catalogue.leave.${shown}.done`));
        if (!isPublished) await navigate({ to: '/' });
      }}
    >
      {t(`catalogue.leave.${shown}.hint`)} {t(`catalogue.leave.again.${again}`)}
    </ConfirmDialog>
  );
}
