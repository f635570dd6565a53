import { Button, Text } from '@mantine/core';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../i18n/format.js';
import { useUser } from '../session/session.js';
import { nameOf } from '../ui/person-name.js';
import type { EnrollmentRow } from './enrollment-changes.js';

type Messages = Pick<EnrollmentRow, 'notes' | 'notesAt' | 'reply' | 'replyAt' | 'replyBy'>;

/** What a trainee has written with the request, and what was replied. */
export function EnrollmentNotes({ row: { user, ...messages } }: { row: Messages & Pick<EnrollmentRow, 'user'> }) {
  const { t } = useTranslation();
  const { id } = useUser();
  const { notes, notesAt, reply, replyAt, replyBy } = messages;
  const name = nameOf(user);
  const dated = (label: string, at: string | null) =>
    at === null ? label : t('enrollments.messages.dated', { label, day: formatDate(at) });
  return (
    <>
      {notes !== null && <Message label={dated(t('courses.field.notes'), notesAt)} text={notes} of={name} />}
      {reply !== null && (
        <Message
          label={dated(t(replyBy === id ? 'enrollments.messages.ownReply' : 'courses.field.reply'), replyAt)}
          text={reply}
          of={t('enrollments.messages.replyTo', { count: 1, name })}
        />
      )}
    </>
  );
}

/** A text under its label: a long one is cut off, and shown in full when asked for. @param of names it in the button */
function Message({ label, text, of }: { label: string; text: string; of: string }) {
  const { t } = useTranslation();
  const [whole, setWhole] = useState(false);
  const [isCut, setCut] = useState(false);
  // How much space there is depends on the window.
  const watch = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setCut(element.scrollHeight > element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const action = t(whole ? 'enrollments.change.less' : 'enrollments.change.all');
  return (
    <>
      <Text size="xs" c="dimmed" mt={4}>
        {label}
      </Text>
      <Text {...(!whole && { lineClamp: 3 })} size="sm" className="running-text" miw={whole ? 240 : 160} ref={watch}>
        {text}
      </Text>
      {(whole || isCut) && (
        <Button
          variant="subtle"
          size="compact-xs"
          aria-expanded={whole}
          aria-label={t('enrollments.change.actionFor', { action, name: of })}
          onClick={() => setWhole(!whole)}
        >
          {action}
        </Button>
      )}
    </>
  );
}
