import { Switch } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { ApiError, type Input } from '../api/client.js';

type WhenFull = NonNullable<Input<'assignMany'>['body']['whenFull']>;

/** Maximum of trainees that the service enrolls in one request. */
export const maxAssigned = 500;

interface WhenFullSwitchProps {
  value: WhenFull;
  onChange(value: WhenFull): void;
}

/** Switch to put trainees without a seat on the waiting list. */
export function WhenFullSwitch({ value, onChange }: WhenFullSwitchProps) {
  const { t } = useTranslation();
  return (
    <Switch
      label={t('enrollments.assign.wait')}
      checked={value === 'wait'}
      onChange={({ currentTarget }) => onChange(currentTarget.checked ? 'wait' : 'reject')}
    />
  );
}

/** Says what to do about a full course; returns other errors unchanged. */
export const assignmentFailure = (error: unknown, t: TFunction): unknown =>
  error instanceof ApiError && error.code === 'COURSE_FULL' ? new Error(t('enrollments.assign.full')) : error;
