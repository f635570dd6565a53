import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../i18n/format.js';
import { LinkedText } from '../ui/linked-text.js';
import { nameOf } from '../ui/person-name.js';
import type { OwnEnrollment } from './own-status.js';

interface MessageProps {
  title: string;
  text: string;
  /** Lines before the text is cut off. */
  lines?: number | undefined;
}

function Message({ title, text, lines }: MessageProps) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text size="sm" className="running-text" {...(lines !== undefined && { lineClamp: lines })}>
        <LinkedText text={text} />
      </Text>
    </div>
  );
}

/** Reply of the trainer or the administration, if any. */
export function Reply({ enrollment, lines }: { enrollment: OwnEnrollment; lines?: number }) {
  const { t } = useTranslation();
  const { reply, replyAt, replyBy, course } = enrollment;
  if (reply === null || replyAt === null) return null;
  const name = replyBy === course.trainer.id ? nameOf(course.trainer) : t('catalogue.message.administration');
  const title = t('catalogue.message.reply', { name, day: formatDate(replyAt) });
  return <Message title={title} text={reply} lines={lines} />;
}

/** Message of the trainee and the reply, the earlier one first. */
export function Messages({ enrollment }: { enrollment: OwnEnrollment }) {
  const { t } = useTranslation();
  const { notes, notesAt, replyAt } = enrollment;
  const own = notes && (
    <Message
      title={notesAt ? t('catalogue.message.ownOn', { day: formatDate(notesAt) }) : t('catalogue.message.own')}
      text={notes}
    />
  );
  const isReplyFirst = notesAt !== null && replyAt !== null && notesAt > replyAt;
  return (
    <>
      {isReplyFirst && <Reply enrollment={enrollment} />}
      {own}
      {!isReplyFirst && <Reply enrollment={enrollment} />}
    </>
  );
}
