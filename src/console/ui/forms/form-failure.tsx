import { Alert } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { SessionEndedError } from '../../api/client.js';
import { messageOf } from '../messages.js';

/** Scrolls to the alert: the submit button may be far below. */
const showFailure = (alert: HTMLElement | null) => alert?.scrollIntoView({ block: 'nearest' });

interface FormFailureProps {
  /** `failure` of the form. */
  children: unknown;
  /** Heading of the alert, for failures outside of a form. */
  title?: string;
}

/**
 * Shows above a form why it was refused. Shows nothing without a failure, or if the session has ended: that message would stay
 * after signing in again.
 */
export function FormFailure({ children, title }: FormFailureProps) {
  const { t } = useTranslation();
  if (children === undefined || children instanceof SessionEndedError) return null;
  return (
    <Alert color="red" variant="light" role="alert" title={title} className="form-failure" ref={showFailure}>
      {messageOf(children, t)}
    </Alert>
  );
}
