import { Alert } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { messageOf } from './messages.js';

/** The button may be far below. */
const showFailure = (alert: HTMLElement | null) => alert?.scrollIntoView({ block: 'nearest' });

/** Says above a form's fields what was refused; nothing when nothing was. @param children the form's `failure` */
export function FormFailure({ children }: { children: unknown }) {
  const { t } = useTranslation();
  if (children === undefined) return null;
  return (
    <Alert color="red" variant="light" role="alert" className="form-failure" ref={showFailure}>
      {messageOf(children, t)}
    </Alert>
  );
}
