import { List, Progress, ScrollArea, Stack, Text, Textarea } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call } from '../api/client.js';
import { useRefresh } from '../api/queries.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { useUnsavedGuard } from '../ui/forms/unsaved.js';
import { messageOf } from '../ui/messages.js';
import { notifyDone } from '../ui/notify.js';
import { nameOf } from '../ui/person-name.js';
import { useUnmountSignal } from '../ui/unmount-signal.js';
import { type EnrollmentAction, type EnrollmentRow, isDestructive, statusAfter } from './enrollment-changes.js';
import { EnrollmentNotes } from './enrollment-notes.js';

/** What is to be done with which rows. */
export interface EnrollmentChange {
  action: EnrollmentAction;
  rows: readonly EnrollmentRow[];
}

interface EnrollmentDialogProps {
  /** The dialog is open while there is something to be done. */
  change: EnrollmentChange | undefined;
  onClose(): void;
  /** Told which rows were changed, also when others were refused. */
  onDone(ids: readonly string[]): void;
}

/** So many enrollments can be removed by one request. */
const maxRemovals = 500;

/** Why one of many was refused; of a full course also what to do. */
const reasonOf = (error: unknown, t: TFunction): string =>
  error instanceof ApiError && error.code === 'COURSE_FULL' ? t('courses.change.full') : messageOf(error, t);

/** Does one thing with one or many enrollments: says what it will do, shows how far it is, and who was refused why. */
export function EnrollmentDialog({ change, onClose, onDone }: EnrollmentDialogProps) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const [reply, setReply] = useState('');
  const [done, setDone] = useState(0);
  const [refused, setRefused] = useState<readonly { id: string; name: string; reason: string }[]>([]);
  const [shown, setShown] = useState(change);
  const [isChanging, setChanging] = useState(false);
  useUnsavedGuard(isChanging, t('courses.change.leave'));
  const left = useUnmountSignal();
  useEffect(() => {
    if (!change) return;
    setShown(change);
    setReply('');
    setDone(0);
    setRefused([]);
  }, [change]);
  if (!shown) return null;
  const { action, rows } = shown;
  const count = rows.length;
  // After some were refused, those who are left are still of many.
  const asked = change?.rows ?? rows;
  // Without one, an earlier reply stays.
  const written = reply.trim() === '' ? {} : { reply };
  const words = { count, name: rows[0] ? nameOf(rows[0].user) : '' };

  async function remove(): Promise<void> {
    for (let first = 0; first < rows.length && !left.aborted; first += maxRemovals) {
      const enrollmentIds = rows.slice(first, first + maxRemovals).map(({ id }) => id);
      await call('removeMany', { body: { enrollmentIds } });
      onDone(enrollmentIds);
      const others = rows.slice(first + maxRemovals);
      if (others.length > 0) setShown({ action, rows: others });
      setDone(first + enrollmentIds.length);
    }
  }

  async function setStatus(to: ReturnType<typeof statusAfter>): Promise<void> {
    const failed: { id: string; name: string; reason: string }[] = [];
    const changed: string[] = [];
    for (const { id, user, status: expectedStatus } of rows) {
      // Nobody would see what became of the others.
      if (left.aborted) return;
      try {
        await call('changeStatus', { path: { id }, body: { status: to, expectedStatus, ...written } });
        changed.push(id);
      } catch (error) {
        failed.push({ id, name: nameOf(user), reason: reasonOf(error, t) });
      }
      setDone(changed.length + failed.length);
    }
    onDone(changed);
    const [only] = failed;
    if (only && asked.length === 1) throw new Error(only.reason);
    setRefused(failed);
    // Trying again concerns those who are left.
    if (failed.length > 0) setShown({ action, rows: rows.filter(({ id }) => !changed.includes(id)) });
    if (failed.length > 0) throw new Error(t('courses.change.refused', { count: failed.length }));
  }

  return (
    <ConfirmDialog
      opened={change !== undefined}
      onClose={onClose}
      title={t(`courses.change.title.${action}`, words)}
      action={t(`courses.change.action.${action}`)}
      destructive={isDestructive(action)}
      dirty={reply !== ''}
      onConfirm={async () => {
        setDone(0);
        setChanging(true);
        try {
          await (action === 'remove' ? remove() : setStatus(statusAfter(action)));
        } finally {
          setChanging(false);
          await refresh();
        }
        if (left.aborted) return;
        notifyDone(t('courses.change.done', { count }));
      }}
    >
      <Stack>
        <Text>{t(`courses.change.hint.${action}`)}</Text>
        {action !== 'remove' && (
          <>
            <Written rows={asked} />
            <Textarea
              label={t('courses.messages.replyTo', { count: asked.length, name: words.name })}
              description={t('courses.messages.replyHint')}
              value={reply}
              onChange={({ currentTarget }) => setReply(currentTarget.value)}
              autosize
              minRows={2}
              maxRows={8}
            />
          </>
        )}
        {count > 1 && done > 0 && (
          <div>
            <Progress.Root>
              <Progress.Section value={(done / count) * 100} aria-label={t('courses.change.progress')} />
            </Progress.Root>
            <Text size="sm" c="dimmed" role="status">
              {t('courses.change.doneOf', { done, count })}
            </Text>
          </div>
        )}
        {refused.length > 0 && (
          <List size="sm">
            {refused.map(({ id, name, reason }) => (
              <List.Item key={id}>{t('courses.change.reason', { name, reason })}</List.Item>
            ))}
          </List>
        )}
      </Stack>
    </ConfirmDialog>
  );
}

/** What the trainees have written: to be read before it is answered. */
function Written({ rows }: { rows: readonly EnrollmentRow[] }) {
  const { t } = useTranslation();
  const [first, ...others] = rows;
  if (first && others.length === 0)
    return (
      <div>
        <EnrollmentNotes row={first} />
      </div>
    );
  const noted = rows.filter(({ notes }) => notes !== null);
  if (noted.length === 0) return null;
  const title = t('courses.messages.present', { count: noted.length });
  return (
    <div>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <ScrollArea.Autosize mah={200} type="auto" viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': title }}>
        <List size="sm">
          {noted.map(({ id, user, notes }) => (
            <List.Item key={id} className="running-text">
              {t('courses.change.reason', { name: nameOf(user), reason: notes ?? '' })}
            </List.Item>
          ))}
        </List>
      </ScrollArea.Autosize>
    </div>
  );
}
