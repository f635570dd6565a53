import { List, Progress, ScrollArea, Stack, Text, Textarea } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, type Refusal, SessionEnded } from '../api/client.js';
import { useRefresh } from '../api/queries.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { useUnsavedGuard } from '../ui/forms/unsaved.js';
import { messageOf, refusalText } from '../ui/messages.js';
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

/** Who was refused, and why. */
interface Refused {
  id: string;
  name: string;
  reason: string;
  /** Whether it may be possible later: a seat can become free. */
  mayHelp: boolean;
}

/** What of it frees seats. */
const freeing: readonly EnrollmentAction[] = ['refuse', 'cancel', 'complete', 'remove'];

/** What is better not done before the trainees' messages are read. */
const answering: readonly EnrollmentAction[] = ['accept', 'refuse', 'admit'];

/** So many enrollments can be removed by one request. */
const maxRemovals = 500;

/** So many get another status by one request: between two of them, progress is shown. */
const maxChanges = 100;

/** The characters of a reply that one request may write: each enrollment has them. */
const maxReply = 100_000;

/** Why one was refused; of a full course also what to do. */
const reasonOf = (refusal: Refusal, t: TFunction): string =>
  refusal.code === 'COURSE_FULL' ? t('enrollments.change.full') : refusalText(refusal, t);

/** Does one thing with one or many enrollments: says what it will do, shows how far it is, and who was refused why. */
export function EnrollmentDialog({ change, onClose, onDone }: EnrollmentDialogProps) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const [reply, setReply] = useState('');
  const [done, setDone] = useState(0);
  // Once some were changed and others not; what is shown then are those for whom it can be tried again.
  const [refused, setRefused] = useState<readonly Refused[]>();
  const [shown, setShown] = useState(change);
  const [total, setTotal] = useState(0);
  const [isChanging, setChanging] = useState(false);
  useUnsavedGuard(isChanging, t('enrollments.change.leave'));
  const left = useUnmountSignal();
  const stopped = useRef(false);
  useEffect(() => {
    if (!change) return;
    setShown(change);
    setReply('');
    setRefused(undefined);
  }, [change]);
  if (!shown) return null;
  const { action, rows } = shown;
  const count = rows.length;
  const asked = change?.rows ?? rows;
  // Without one, an earlier reply stays.
  const written = reply.trim() === '' ? {} : { reply };
  const words = { count, name: rows[0] ? nameOf(rows[0].user) : '' };

  /** Shows what came of it where it isn't done with all of them. */
  function showLeft(failed: readonly Refused[], others: readonly EnrollmentRow[]): void {
    setRefused(failed);
    setShown({ action, rows: others });
  }

  /** What failed, after so many were changed. */
  function failedAfter(changed: number, error: unknown): unknown {
    // Signing in again says it all.
    if (error instanceof SessionEnded) return error;
    return new Error(`${t('enrollments.change.done', { count: changed })} ${messageOf(error, t)}`);
  }

  async function remove(): Promise<void> {
    for (let first = 0; first < count && !left.aborted; first += maxRemovals) {
      const enrollmentIds = rows.slice(first, first + maxRemovals).map(({ id }) => id);
      try {
        await call('removeMany', { body: { enrollmentIds } });
      } catch (error) {
        if (first === 0) throw error;
        showLeft([], rows.slice(first));
        throw failedAfter(first, error);
      }
      onDone(enrollmentIds);
      setDone(first + enrollmentIds.length);
    }
  }

  /** Moves some of them to a status. @returns who was refused, and why */
  async function changeSome(some: readonly EnrollmentRow[], status: ReturnType<typeof statusAfter>) {
    const [first] = some;
    if (!first) return [];
    // All rows of an action have the same status.
    const change = { status, expectedStatus: first.status, ...written };
    const { outcomes } = await call('changeManyStatuses', { body: { ...change, ids: some.map(({ id }) => id) } });
    const names = new Map(some.map(({ id, user }) => [id, nameOf(user)]));
    return outcomes.flatMap(({ id, outcome, code, params }) =>
      outcome === 'refused' && code !== null
        ? [
            {
              id,
              name: names.get(id) ?? '',
              reason: reasonOf({ code, ...(params && { params }) }, t),
              mayHelp: code === 'COURSE_FULL',
            },
          ]
        : [],
    );
  }

  async function setOne({ id, status: expectedStatus }: EnrollmentRow, status: ReturnType<typeof statusAfter>) {
    try {
      await call('changeStatus', { path: { id }, body: { status, expectedStatus, ...written } });
    } catch (error) {
      throw error instanceof ApiError && error.code === 'COURSE_FULL' ? new Error(t('enrollments.change.full')) : error;
    }
    onDone([id]);
  }

  async function setStatus(status: ReturnType<typeof statusAfter>): Promise<void> {
    const [only] = rows;
    if (only && asked.length === 1) return setOne(only, status);
    const failed: Refused[] = [];
    let tried = 0;
    stopped.current = false;
    const size = Math.max(1, Math.min(maxChanges, Math.floor(maxReply / Math.max(reply.length, 1))));
    try {
      // Nobody would see what became of the others.
      while (tried < count && !left.aborted && !stopped.current) {
        const some = rows.slice(tried, tried + size);
        failed.push(...(await changeSome(some, status)));
        tried += some.length;
        setDone(tried);
      }
    } catch (error) {
      throw tried === 0 ? error : failedAfter(tried - failed.length, error);
    } finally {
      const refusedIds = new Set(failed.map(({ id }) => id));
      onDone(rows.slice(0, tried).flatMap(({ id }) => (refusedIds.has(id) ? [] : [id])));
      const hopeful = new Set(failed.flatMap(({ id, mayHelp }) => (mayHelp ? [id] : [])));
      if (tried > 0 && (tried < count || failed.length > 0))
        showLeft(
          failed,
          rows.filter(({ id }, index) => index >= tried || hopeful.has(id)),
        );
    }
    if (left.aborted) return;
    if (tried < count) throw new Error(t('enrollments.change.stopped', { done: tried - failed.length, count }));
    if (failed.length > 0)
      throw failedAfter(count - failed.length, new Error(t('enrollments.change.refused', { count: failed.length })));
  }

  return (
    <ConfirmDialog
      opened={change !== undefined}
      onClose={onClose}
      title={refused ? t('enrollments.change.partly') : t(`enrollments.change.title.${action}`, words)}
      action={refused ? (count > 0 ? t('action.retry') : undefined) : t(`enrollments.change.action.${action}`)}
      dismiss={refused ? t('action.close') : action === 'cancel' ? t('action.keep') : undefined}
      destructive={isDestructive(action)}
      dirty={reply !== '' && count > 0}
      stop={
        count > maxChanges && action !== 'remove'
          ? { action: t('enrollments.change.stop'), onStop: () => (stopped.current = true) }
          : undefined
      }
      onConfirm={async () => {
        setDone(0);
        setTotal(count);
        setChanging(true);
        try {
          await (action === 'remove' ? remove() : setStatus(statusAfter(action)));
        } finally {
          setChanging(false);
          await refresh();
        }
        if (left.aborted) return;
        notifyDone(t('enrollments.change.done', { count }));
      }}
    >
      <Stack>
        {!refused && (
          <Text>
            {t(`enrollments.change.hint.${action}`, words)} {freeing.includes(action) && t('enrollments.change.freed')}
          </Text>
        )}
        {action !== 'remove' && !refused && (
          <>
            {answering.includes(action) && <Written rows={asked} />}
            {action === 'complete' && <Renames rows={asked} />}
            <Textarea
              label={t('enrollments.messages.replyTo', { count: asked.length, name: words.name })}
              description={t('enrollments.messages.replyHint')}
              value={reply}
              onChange={({ currentTarget }) => setReply(currentTarget.value)}
              autosize
              minRows={2}
              maxRows={8}
              data-autofocus={answering.includes(action) || undefined}
            />
          </>
        )}
        {isChanging && total > 1 && done > 0 && (
          <div>
            <Progress.Root>
              <Progress.Section value={(done / total) * 100} aria-label={t('enrollments.change.progress')} />
            </Progress.Root>
            <Text size="sm" c="dimmed" role="status">
              {t('enrollments.change.doneOf', { done, count: total })}
            </Text>
          </div>
        )}
        {refused && refused.length > 0 && (
          <List size="sm">
            {refused.map(({ id, name, reason }) => (
              <List.Item key={id}>{t('enrollments.change.reason', { name, reason })}</List.Item>
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
  return (
    <NamedList
      title={t('enrollments.messages.present', { count: noted.length })}
      lines={noted.map(({ id, user, notes }) => ({
        id,
        text: t('enrollments.change.reason', { name: nameOf(user), reason: notes ?? '' }),
      }))}
    />
  );
}

/** Renames since the enrollment, to be seen before a certificate has the new name. */
function Renames({ rows }: { rows: readonly EnrollmentRow[] }) {
  const { t } = useTranslation();
  const lines = rows.flatMap(({ id, user, formerName }) =>
    formerName === null ? [] : [{ id, text: t('enrollments.renamed.one', { name: nameOf(user), former: formerName }) }],
  );
  return <NamedList title={t('enrollments.renamed.title')} lines={lines} />;
}

/** Lines about some of the trainees; nothing without any. */
function NamedList({ title, lines }: { title: string; lines: readonly { id: string; text: string }[] }) {
  if (lines.length === 0) return null;
  return (
    <div>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <ScrollArea.Autosize mah={200} type="auto" viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': title }}>
        <List size="sm">
          {lines.map(({ id, text }) => (
            <List.Item key={id} className="running-text">
              {text}
            </List.Item>
          ))}
        </List>
      </ScrollArea.Autosize>
    </div>
  );
}
