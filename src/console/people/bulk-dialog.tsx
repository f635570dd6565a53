import { Button, Group, Loader, Modal, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { useChange } from '../api/queries.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { useLossGuard, useUnsavedGuard } from '../ui/forms/unsaved.js';
import { messageOf, refusalText } from '../ui/messages.js';
import { useUnmountSignal } from '../ui/unmount-signal.js';
import { type AccountAction, isDangerous, type Outcome, type SelectedAccounts } from './bulk-actions.js';
import { Outcomes } from './bulk-outcomes.js';
import { InvitationMessage } from './invitation-message.js';
import { SavePasswords } from './save-passwords.js';
import { useShownOnceGuard } from './shown-once.js';

type ChangedAccount = ResponseBody<'changeManyUsers'>['outcomes'][number];

/** Accounts in each request. */
const chunkSize = 50;

interface BulkDialogProps {
  action: AccountAction;
  selected: SelectedAccounts;
  /** @param changed whether the action was performed */
  onClose(changed: boolean): void;
}

/** Previews an action for each account, performs it after a confirmation, and shows the outcomes. */
export function BulkDialog({ action, selected, onClose }: BulkDialogProps) {
  const { t } = useTranslation();
  const dryRun = useChange('changeManyUsers', []);
  const change = useChange('changeManyUsers');
  const [plan, setPlan] = useState<Outcome[]>();
  const [result, setResult] = useState<Outcome[]>();
  const [failure, setFailure] = useState<unknown>();
  /** Number of accounts changed so far; undefined unless the action is running. */
  const [done, setDone] = useState<number>();
  const [message, setMessage] = useState('');
  const working = dryRun.isPending || done !== undefined;
  const hasPasswords = result?.some(({ password }) => password !== undefined) ?? false;
  const isChanging = done !== undefined;
  const isDismissible = !working && !hasPasswords && (message === '' || result !== undefined);
  useShownOnceGuard(hasPasswords || (isChanging && action === 'reset_password'));
  useLossGuard(isChanging && action !== 'reset_password', t('people.bulk.leave'));
  useUnsavedGuard(message !== '' && !result && !isChanging, [t('people.invitation.message')]);
  const unmounted = useUnmountSignal();

  /** @param email of the account, to list it with a new password */
  const toOutcome = ({ code, message: _english, ...one }: ChangedAccount, email: string | undefined): Outcome => ({
    ...one,
    email,
    reason: code === null ? null : refusalText({ code }, t),
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once; each action mounts a new dialog
  useEffect(() => {
    async function loadPlan(): Promise<void> {
      const { outcomes } = await dryRun.mutateAsync({ body: { action, ids: [...selected.keys()], dryRun: true } });
      if (!unmounted.aborted) setPlan(outcomes.map((one) => toOutcome(one, selected.get(one.id)?.email)));
    }
    loadPlan().catch((error: unknown) => {
      if (!unmounted.aborted) setFailure(error);
    });
  }, []);

  const affected = plan?.filter(({ outcome }) => outcome === 'done') ?? [];

  async function confirm(): Promise<void> {
    setFailure(undefined);
    setDone(0);
    const outcomes: Outcome[] = [];
    const messageField = message.trim() === '' ? {} : { message };
    // Changes exactly the shown accounts, whatever matches the filter now. Sends several requests, to show the progress.
    for (let begin = 0; begin < affected.length; begin += chunkSize) {
      // Stops if the user has left the page: nobody would see the other outcomes.
      if (unmounted.aborted) return;
      const chunk = affected.slice(begin, begin + chunkSize);
      try {
        const ids = chunk.map(({ id }) => id);
        const response = await change.mutateAsync({ body: { action, ids, dryRun: false, ...messageField } });
        const emails = new Map(chunk.map(({ id, email }) => [id, email]));
        outcomes.push(...response.outcomes.map((one) => toOutcome(one, emails.get(one.id))));
      } catch (error) {
        if (begin === 0) {
          setDone(undefined);
          setFailure(error);
          return;
        }
        // Still shows the outcomes of earlier requests, which may have new passwords.
        const reason = messageOf(error, t);
        outcomes.push(...affected.slice(begin).map((one): Outcome => ({ ...one, outcome: 'refused', reason })));
        break;
      }
      setDone(begin + chunk.length);
    }
    setDone(undefined);
    setResult(outcomes);
  }

  const name = t(`people.bulk.action.${action}`);
  return (
    <Modal
      opened
      onClose={() => onClose(result !== undefined)}
      size="lg"
      closeOnClickOutside={isDismissible}
      closeOnEscape={isDismissible}
      withCloseButton={!working && !hasPasswords}
      title={name}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <Stack>
        <FormFailure>{failure}</FormFailure>
        {result ? (
          <>
            <Outcomes outcomes={result} label={t('people.bulk.result')} tense="past" />
            {hasPasswords && <SavePasswords outcomes={result} />}
          </>
        ) : plan ? (
          <>
            <Text size="sm">{t(`people.bulk.hint.${action}`)}</Text>
            <Outcomes outcomes={plan} label={t('people.bulk.plan')} tense={action === 'invite' ? 'invite' : 'future'} />
            {action === 'invite' && affected.length > 0 && (
              <InvitationMessage
                value={message}
                onChange={({ currentTarget }) => setMessage(currentTarget.value)}
                disabled={isChanging}
              />
            )}
          </>
        ) : (
          failure === undefined && (
            <Group gap="sm" role="status">
              <Loader size="sm" aria-hidden />
              <Text size="sm">{t('people.bulk.rehearsing', { count: selected.size })}</Text>
            </Group>
          )
        )}
        {done !== undefined && (
          <Progress.Root>
            <Progress.Section
              value={(100 * done) / affected.length}
              aria-label={t('people.bulk.progress', {
                done,
                count: affected.length,
              })}
            />
          </Progress.Root>
        )}
        <Group justify="flex-end">
          {result ? (
            <Button onClick={() => onClose(true)}>{t(hasPasswords ? 'people.savedPasswords' : 'action.close')}</Button>
          ) : (
            <>
              <Button variant="default" onClick={() => onClose(false)} disabled={done !== undefined} data-autofocus>
                {t('action.cancel')}
              </Button>
              <Button
                color={isDangerous(action) ? 'red.9' : 'teal'}
                disabled={affected.length === 0}
                loading={done !== undefined}
                onClick={() => void confirm()}
              >
                {t('people.bulk.confirm', { action: name, count: affected.length })}
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
