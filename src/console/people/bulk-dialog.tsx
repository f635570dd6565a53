import { Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../api/queries.js';
import { formatNumber } from '../i18n/format.js';
import { FormFailure } from '../ui/form.js';
import { useUnsavedGuard } from '../ui/unsaved.js';
import { type AccountAction, accountsOf, countOf, type Outcome, type Selected, targetOf } from './bulk-actions.js';
import { Outcomes } from './bulk-outcomes.js';
import { SavePasswords } from './save-passwords.js';

interface BulkDialogProps {
  action: AccountAction;
  selected: Selected;
  /** @param changed whether anything was done */
  onClose(changed: boolean): void;
}

/** Shows what an action would do to each account, does exactly that when it is confirmed, and tells what it did. */
export function BulkDialog({ action, selected, onClose }: BulkDialogProps) {
  const { t } = useTranslation();
  const rehearsal = useChange('changeManyUsers', []);
  const change = useChange('changeManyUsers');
  const [plan, setPlan] = useState<Outcome[]>();
  const [result, setResult] = useState<Outcome[]>();
  const [failure, setFailure] = useState<unknown>();
  const working = rehearsal.isPending || change.isPending;
  const hasPasswords = result?.some(({ password }) => password !== undefined) ?? false;
  useUnsavedGuard(hasPasswords, t('people.passwordLost'));

  // biome-ignore lint/correctness/useExhaustiveDependencies: once; the dialog is made anew for each action
  useEffect(() => {
    let abandoned = false;
    async function rehearse(): Promise<void> {
      const { outcomes } = await rehearsal.mutateAsync({
        body: { action, ...(await targetOf(selected)), dryRun: true },
      });
      // Who gets a new password is told by the address to sign in with.
      const accounts = action === 'reset_password' ? await accountsOf(selected) : undefined;
      if (!abandoned) setPlan(outcomes.map((one) => ({ ...one, email: accounts?.get(one.id)?.email })));
    }
    rehearse().catch((error: unknown) => {
      if (!abandoned) setFailure(error);
    });
    return () => {
      abandoned = true;
    };
  }, []);

  const changing = plan?.filter(({ outcome }) => outcome === 'done') ?? [];

  async function confirm(): Promise<void> {
    setFailure(undefined);
    try {
      // Exactly the accounts that were shown, whatever matches the filter by now.
      const ids = changing.map(({ id }) => id);
      const { outcomes } = await change.mutateAsync({ body: { action, ids, dryRun: false } });
      const emails = new Map(changing.map(({ id, email }) => [id, email]));
      setResult(outcomes.map((one) => ({ ...one, email: emails.get(one.id) })));
    } catch (error) {
      setFailure(error);
    }
  }

  const name = t(`people.bulk.action.${action}`);
  return (
    <Modal
      opened
      onClose={() => onClose(result !== undefined)}
      size="lg"
      closeOnClickOutside={!working && !hasPasswords}
      closeOnEscape={!working && !hasPasswords}
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
            <Outcomes outcomes={plan} label={t('people.bulk.plan')} tense="future" />
          </>
        ) : (
          failure === undefined && (
            <Group gap="sm" role="status">
              <Loader size="sm" aria-hidden />
              <Text size="sm">{t('people.bulk.rehearsing', { number: formatNumber(countOf(selected)) })}</Text>
            </Group>
          )
        )}
        <Group justify="flex-end">
          {result ? (
            <Button onClick={() => onClose(true)}>{t(hasPasswords ? 'people.savedPasswords' : 'action.close')}</Button>
          ) : (
            <>
              <Button variant="default" onClick={() => onClose(false)} disabled={change.isPending} data-autofocus>
                {t('action.cancel')}
              </Button>
              <Button
                color={action === 'delete' || action === 'deactivate' ? 'red' : 'teal'}
                disabled={changing.length === 0}
                loading={change.isPending}
                onClick={() => void confirm()}
              >
                {t('people.bulk.confirm', { action: name, number: formatNumber(changing.length) })}
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
