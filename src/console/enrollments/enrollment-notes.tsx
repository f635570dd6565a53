import { Button, Group, Text } from '@mantine/core';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../i18n/format.js';
import { useUser } from '../session/session.js';
import { nameOf } from '../ui/person-name.js';
import type { EnrollmentRow } from './enrollment-changes.js';

type Messages = Pick<EnrollmentRow, 'notes' | 'notesAt' | 'reply' | 'replyAt' | 'replyBy'>;

interface EnrollmentNotesProps {
  row: Messages & Pick<EnrollmentRow, 'user'>;
  /** Lines of each message before it is cut off. */
  lines?: number;
}

/** Message of a trainee, and the reply. */
export function EnrollmentNotes({ row: { user, ...messages }, lines = 3 }: EnrollmentNotesProps) {
  const { t } = useTranslation();
  const { id } = useUser();
  const { notes, notesAt, reply, replyAt, replyBy } = messages;
  const name = nameOf(user);
  const dated = (label: string, at: string | null) =>
    at === null ? label : t('enrollments.messages.dated', { label, day: formatDate(at) });
  return (
    <>
      {notes !== null && (
        <Message lines={lines} label={dated(t('courses.field.notes'), notesAt)} text={notes} subject={name} />
      )}
      {reply !== null && (
        <Message
          lines={lines}
          label={dated(t(replyBy === id ? 'enrollments.messages.ownReply' : 'courses.field.reply'), replyAt)}
          text={reply}
          subject={t('enrollments.messages.replyTo', { count: 1, name })}
        />
      )}
    </>
  );
}

interface MessageProps {
  label: string;
  text: string;
  lines: number;
  /** Name of the message, for the label of its button. */
  subject: string;
}

/** Message with its label. A long message is cut off, with a button to show all of it. */
function Message({ label, text, lines, subject }: MessageProps) {
  const { t } = useTranslation();
  const [whole, setWhole] = useState(false);
  const [isCut, setCut] = useState(false);
  // The available space depends on the window.
  const watch = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setCut(element.scrollHeight > element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const action = t(whole ? 'enrollments.change.less' : 'enrollments.change.all');
  return (
    <Group gap={4} mt={2}>
      <Text
        {...(!whole && { lineClamp: lines })}
        // A single line leaves room for the button, unless too little of the message would remain.
        flex={lines === 1 && !whole ? '1 1 10rem' : '1 1 100%'}
        size="sm"
        className="running-text"
        ref={watch}
      >
        <Text span size="xs" c="dimmed" me={6}>
          {label}
        </Text>
        {text}
      </Text>
      {(whole || isCut) && (
        <Button
          variant="subtle"
          size="compact-xs"
          className="fixed-size"
          aria-expanded={whole}
          aria-label={t('enrollments.change.actionFor', { action, name: subject })}
          onClick={() => setWhole(!whole)}
        >
          {action}
        </Button>
      )}
    </Group>
  );
}
