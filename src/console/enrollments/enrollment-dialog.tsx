import { List, Progress, ScrollArea, Stack, Text, Textarea } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, type Refusal, SessionEndedError } from '../api/client.js';
import { useRefresh } from '../api/queries.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { useLossGuard } from '../ui/forms/unsaved.js';
import { messageOf, refusalText } from '../ui/messages.js';
import { notifyDone } from '../ui/notify.js';
import { nameOf } from '../ui/person-name.js';
import { useUnmountSignal } from '../ui/unmount-signal.js';
import { type EnrollmentAction, type EnrollmentRow, isDestructive, statusAfter } from './enrollment-changes.js';
import { EnrollmentNotes } from './enrollment-notes.js';

export interface EnrollmentChange {
  action: EnrollmentAction;
  rows: readonly EnrollmentRow[];
}

interface EnrollmentDialogProps {
  /** The dialog is open while there is a change to confirm. */
  change: EnrollmentChange | undefined;
  onClose(): void;
  /** Called with the ids of changed rows, even if others were refused. */
  onDone(ids: readonly string[]): void;
}

interface RefusedRow {
  id: string;
  name: string;
  reason: string;
  /** Whether a later attempt may succeed: a seat can become free. */
  canRetry: boolean;
}

const seatFreeingActions: readonly EnrollmentAction[] = ['refuse', 'cancel', 'complete', 'remove'];

/** Actions for which the dialog shows the trainees' messages. */
const answerActions: readonly EnrollmentAction[] = ['accept', 'refuse', 'admit'];

/** Maximum of enrollments that one request removes. */
const maxRemovals = 500;

/** Maximum of enrollments that get another status in one request. Progress is shown after each request. */
const maxChanges = 100;

/** Maximum of characters that one request writes as replies: each enrollment stores its own copy. */
const maxReply = 100_000;

/** Text for a refusal; for a full course it also says what to do. */
const reasonOf = (refusal: Refusal, t: TFunction): string =>
  refusal.code === 'COURSE_FULL' ? t('enrollments.change.full') : refusalText(refusal, t);

/** Confirms and performs an action for one or many enrollments. Shows the progress, and why some were refused. */
export function EnrollmentDialog({ change, onClose, onDone }: EnrollmentDialogProps) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const [reply, setReply] = useState('');
  const [done, setDone] = useState(0);
  // Defined once some rows were changed and others not. `current` then has the rows to try again.
  const [refused, setRefused] = useState<readonly RefusedRow[]>();
  const [current, setCurrent] = useState(change);
  const [total, setTotal] = useState(0);
  const [isChanging, setChanging] = useState(false);
  useLossGuard(isChanging, t('enrollments.change.leave'));
  const unmounted = useUnmountSignal();
  const stopped = useRef(false);
  useEffect(() => {
    if (!change) return;
    setCurrent(change);
    setReply('');
    setRefused(undefined);
  }, [change]);
  if (!current) return null;
  const { action, rows } = current;
  const count = rows.length;
  const requestedRows = change?.rows ?? rows;
  // Without a reply, an earlier reply stays.
  const replyField = reply.trim() === '' ? {} : { reply };
  const values = { count, name: rows[0] ? nameOf(rows[0].user) : '' };

  /** Shows the refused rows, and keeps the rows that can be tried again. */
  function showRemaining(failed: readonly RefusedRow[], others: readonly EnrollmentRow[]): void {
    setRefused(failed);
    setCurrent({ action, rows: others });
  }

  /** Error that also says how many rows were changed before. */
  function partialError(changed: number, error: unknown): unknown {
    // The dialog to sign in again says enough.
    if (error instanceof SessionEndedError) return error;
    return new Error(`${t('enrollments.change.done', { count: changed })} ${messageOf(error, t)}`);
  }

  async function remove(): Promise<void> {
    for (let first = 0; first < count && !unmounted.aborted; first += maxRemovals) {
      const enrollmentIds = rows.slice(first, first + maxRemovals).map(({ id }) => id);
      try {
        await call('removeMany', { body: { enrollmentIds } });
      } catch (error) {
        if (first === 0) throw error;
        showRemaining([], rows.slice(first));
        throw partialError(first, error);
      }
      onDone(enrollmentIds);
      setDone(first + enrollmentIds.length);
    }
  }

  /** Sets the status of some rows in one request. @returns the refused rows */
  async function changeChunk(chunk: readonly EnrollmentRow[], status: ReturnType<typeof statusAfter>) {
    const [first] = chunk;
    if (!first) return [];
    // All rows of an action have the same status.
    const change = { status, expectedStatus: first.status, ...replyField };
    const { outcomes } = await call('changeManyStatuses', { body: { ...change, ids: chunk.map(({ id }) => id) } });
    const names = new Map(chunk.map(({ id, user }) => [id, nameOf(user)]));
    return outcomes.flatMap(({ id, outcome, code, params }) =>
      outcome === 'refused' && code !== null
        ? [
            {
              id,
              name: names.get(id) ?? '',
              reason: reasonOf({ code, ...(params && { params }) }, t),
              canRetry: code === 'COURSE_FULL',
            },
          ]
        : [],
    );
  }

  async function changeOne({ id, status: expectedStatus }: EnrollmentRow, status: ReturnType<typeof statusAfter>) {
    try {
      await call('changeStatus', { path: { id }, body: { status, expectedStatus, ...replyField } });
    } catch (error) {
      throw error instanceof ApiError && error.code === 'COURSE_FULL' ? new Error(t('enrollments.change.full')) : error;
    }
    onDone([id]);
  }

  async function setStatus(status: ReturnType<typeof statusAfter>): Promise<void> {
    const [only] = rows;
    if (only && requestedRows.length === 1) return changeOne(only, status);
    const failed: RefusedRow[] = [];
    let tried = 0;
    stopped.current = false;
    const size = Math.max(1, Math.min(maxChanges, Math.floor(maxReply / Math.max(reply.length, 1))));
    try {
      // Stops after leaving the page: nobody would see the outcome of the others.
      while (tried < count && !unmounted.aborted && !stopped.current) {
        const chunk = rows.slice(tried, tried + size);
        failed.push(...(await changeChunk(chunk, status)));
        tried += chunk.length;
        setDone(tried);
      }
    } catch (error) {
      throw tried === 0 ? error : partialError(tried - failed.length, error);
    } finally {
      const refusedIds = new Set(failed.map(({ id }) => id));
      onDone(rows.slice(0, tried).flatMap(({ id }) => (refusedIds.has(id) ? [] : [id])));
      const retryIds = new Set(failed.flatMap(({ id, canRetry }) => (canRetry ? [id] : [])));
      if (tried > 0 && (tried < count || failed.length > 0))
        showRemaining(
          failed,
          rows.filter(({ id }, index) => index >= tried || retryIds.has(id)),
        );
    }
    if (unmounted.aborted) return;
    if (tried < count) throw new Error(t('enrollments.change.stopped', { done: tried - failed.length, count }));
    if (failed.length > 0)
      throw partialError(count - failed.length, new Error(t('enrollments.change.refused', { count: failed.length })));
  }

  return (
    <ConfirmDialog
      opened={change !== undefined}
      onClose={onClose}
      title={refused ? t('enrollments.change.partly') : t(`enrollments.change.title.${action}`, values)}
      action={refused ? (count > 0 ? t('action.retry') : undefined) : t(`enrollments.change.action.${action}`)}
      dismiss={refused ? t('action.close') : action === 'cancel' ? t('action.keep') : undefined}
      destructive={isDestructive(action)}
      unsaved={reply !== '' && count > 0 ? t('courses.field.reply') : undefined}
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
        if (unmounted.aborted) return;
        notifyDone(t('enrollments.change.done', { count }));
      }}
    >
      <Stack>
        {!refused && (
          <Text>
            {t(`enrollments.change.hint.${action}`, values)}{' '}
            {seatFreeingActions.includes(action) && t('enrollments.change.freed')}
          </Text>
        )}
        {action !== 'remove' && !refused && (
          <>
            {answerActions.includes(action) && <TraineeMessages rows={requestedRows} />}
            {action === 'complete' && <Renames rows={requestedRows} />}
            <Textarea
              label={t('enrollments.messages.replyTo', { count: requestedRows.length, name: values.name })}
              description={t('enrollments.messages.replyHint')}
              value={reply}
              onChange={({ currentTarget }) => setReply(currentTarget.value)}
              autosize
              minRows={2}
              maxRows={8}
              data-autofocus={answerActions.includes(action) || undefined}
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

/** Messages of the trainees, to be read before they are answered. */
function TraineeMessages({ rows }: { rows: readonly EnrollmentRow[] }) {
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

/** Renames since the enrollment, to be checked before a certificate has the new name. */
function Renames({ rows }: { rows: readonly EnrollmentRow[] }) {
  const { t } = useTranslation();
  const lines = rows.flatMap(({ id, user, formerName }) =>
    formerName === null ? [] : [{ id, text: t('enrollments.renamed.one', { name: nameOf(user), former: formerName }) }],
  );
  return <NamedList title={t('enrollments.renamed.title')} lines={lines} />;
}

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
