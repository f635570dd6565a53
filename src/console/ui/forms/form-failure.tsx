import { Alert } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { SessionEndedError } from '../../api/client.js';
import { messageOf } from '../messages.js';

/** The button may be far below. */
const showFailure = (alert: HTMLElement | null) => alert?.scrollIntoView({ block: 'nearest' });

interface FormFailureProps {
  /** The form's `failure`. */
  children: unknown;
  /** What failed, where no form says so. */
  title?: string;
}

/**
 * Says above a form's fields what was refused; nothing when nothing was, or when the session had ended: it would stay there
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
